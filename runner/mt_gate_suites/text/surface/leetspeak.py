"""Replaces letters of one or two words with digits or symbols that look alike.

Source: HateCheck (Röttger et al., ACL 2021), F29 leet speak; NL-Augmenter (Dhole et al., 2021),
leet letters.
    source     I hate waiting.
    follow-up  I h4t3 waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import mapping
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, respelt
from mt_gate_suites.text.transformation import OfText

SIGNS = mapping("text/surface", "leet")
MOST_SIGNS = 2
"""Signs replace at most one in this many letters of a word."""


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with one word or two in leetspeak."""
    return respelt(text, rng, _leet)


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
    transformation=OfText(transform),
    surface=True,
)
