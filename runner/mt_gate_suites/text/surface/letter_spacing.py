"""Puts spaces between the letters of one word."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

LONGEST = 10
"""Letters of a word that can still be read with spaces."""


def _space_out(word: str, _: Random) -> Sequence[Spelling]:
    if len(word) > LONGEST:
        return []
    return [Spelling(at, at, " ") for at in range(1, len(word))]


RELATION = TextRelation(
    name="letter-spacing",
    title="Spaced-out letters",
    description="Puts spaces between the letters of one word. The prediction must not change.",
    paper=(
        "HateCheck (Röttger et al., ACL 2021), added spaces; MTTM (Wang et al., ICSE 2023), "
        "visual-based splitting"
    ),
    before="I hate waiting.",
    after="I h a t e waiting.",
    transformation=spelling(_space_out, most=1),
    surface=True,
)
