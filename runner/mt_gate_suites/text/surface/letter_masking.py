"""Replaces a vowel of one or two words with an asterisk.

Source: MTTM (Wang et al., ICSE 2023), character masking.
    source     I hate waiting.
    follow-up  I h*te waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, respelt
from mt_gate_suites.text.transformation import OfText

_VOWELS = "aeiou"


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with a star in one word or two."""
    return respelt(text, rng, _masked)


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
    transformation=OfText(transform),
    surface=True,
)
