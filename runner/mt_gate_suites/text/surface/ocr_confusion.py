"""Replaces letters with others that look alike in a scan.

Source: NL-Augmenter (Dhole et al., 2021), OCR perturbation.
    source     Where is the modern card?
    follow-up  Where is the modem card?   (never made: a word)
    follow-up  Where is the modern c4rd?  (never made: no scan shows it)
    source     Where is my bill?
    follow-up  Where is my bi1l?
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate.language.forms import is_word
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, respelt
from mt_gate_suites.text.transformation import OfText

_ROWS = rows("text/surface", "scans", 2)


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with one word or two misread."""
    return respelt(text, rng, _misread)


def _misread(word: str, rng: Random) -> Sequence[Spelling]:
    for old, new in rng.sample(_ROWS, len(_ROWS)):
        at = word.find(old)
        if at >= 0 and not is_word(f"{word[:at]}{new}{word[at + len(old) :]}".lower()):
            return [Spelling(at, at + len(old), new)]
    return []


RELATION = TextRelation(
    name="ocr-confusion",
    title="OCR errors",
    description=(
        "Replaces letters with others that look alike in a scan. The prediction must not change."
    ),
    paper="NL-Augmenter (Dhole et al., 2021), OCR perturbation",
    before="Where is my bill?",
    after="Where is my bi1l?",
    transformation=OfText(transform),
    surface=True,
)
