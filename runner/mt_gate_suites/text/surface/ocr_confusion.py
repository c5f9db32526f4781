"""Replaces letters with others that look alike in a scan.

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
from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

_ROWS = rows("text/surface", "scans", 2)


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
    transformation=spelling(_misread),
    surface=True,
)
