"""Repeats the first vowel of one or two words."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

_VOWELS = "aeiou"
MORE = (2, 3)
"""Number of added letters: no English word has three equal letters in a row."""


def _drawn_out(word: str, rng: Random) -> Sequence[Spelling]:
    lower = word.lower()
    places = [
        at
        for at in range(1, len(word))
        if lower[at] in _VOWELS and lower[at] not in (lower[at - 1], lower[at + 1 : at + 2])
    ]
    if not places:
        return []
    at = places[0]
    return [Spelling(at + 1, at + 1, word[at] * rng.choice(MORE))]


RELATION = TextRelation(
    name="repeated-letters",
    title="Repeated letters",
    description="Repeats the first vowel of one or two words. The prediction must not change.",
    paper=("NL-Augmenter (Dhole et al., 2021), word lengthening; MTTM (Wang et al., ICSE 2023)"),
    before="I hate waiting.",
    after="I haaaate waiting.",
    transformation=spelling(_drawn_out),
    surface=True,
)
