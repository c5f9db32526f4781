"""Replaces letters of one or two words with digits or symbols that look alike."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.lexicons.reading import mapping
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

SIGNS = mapping("text/surface", "leet")
MOST_SIGNS = 2
"""Signs replace at most one in this many letters of a word."""


def _leet(word: str, rng: Random) -> Sequence[Spelling]:
    places = [at for at, letter in enumerate(word) if letter.lower() in SIGNS]
    some = rng.sample(places, min(MOST_SIGNS, len(places), len(word) // 2))
    return [Spelling(at, at + 1, SIGNS[word[at].lower()]) for at in sorted(some)]


RELATION = TextRelation(
    name="leetspeak",
    title="Leetspeak",
    description=(
        "Replaces letters of one or two words with digits or symbols that look alike. The "
        "prediction must not change."
    ),
    paper=(
        "HateCheck (Röttger et al., ACL 2021), leet speak; NL-Augmenter (Dhole et al., 2021), "
        "leet letters"
    ),
    before="I hate waiting.",
    after="I h4t3 waiting.",
    transformation=spelling(_leet),
    surface=True,
)
