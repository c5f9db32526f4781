"""Adds a combining diacritic to a letter of one or two words.

Only marks that make no letter of their own with any other, so that a reader sees the old one.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

MARKS = tuple(chr(int(code, 16)) for code, _ in rows("text/surface", "marks", 2))


def _marked(word: str, rng: Random) -> Sequence[Spelling]:
    at = rng.randrange(1, len(word) + 1)
    return [Spelling(at, at, rng.choice(MARKS))]


RELATION = TextRelation(
    name="combining-marks",
    title="Combining diacritics",
    description=(
        "Adds a combining diacritic to a letter of one or two words. The prediction must not "
        "change."
    ),
    paper=(
        "Boucher et al., IEEE S&P 2022 (Bad Characters); NL-Augmenter (Dhole et al., 2021), "
        "diacritics"
    ),
    before="I hate waiting.",
    after="I ha\u0332te waiting.",
    transformation=spelling(_marked),
    surface=True,
)
