"""Replaces a vowel of one or two words with an asterisk."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

_VOWELS = "aeiou"


def _masked(word: str, rng: Random) -> Sequence[Spelling]:
    places = [at for at in range(1, len(word) - 1) if word[at].lower() in _VOWELS]
    if not places:
        return []
    at = rng.choice(places)
    return [Spelling(at, at + 1, "*")]


RELATION = TextRelation(
    name="letter-masking",
    title="Masked letters (w*rd)",
    description=(
        "Replaces a vowel of one or two words with an asterisk. The prediction must not change."
    ),
    paper="MTTM (Wang et al., ICSE 2023), character masking",
    before="I hate waiting.",
    after="I h*te waiting.",
    transformation=spelling(_masked),
    surface=True,
)
