"""Inserts an invisible character into one or two words."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import INVISIBLE, Spelling, spelling


def _parted(word: str, rng: Random) -> Sequence[Spelling]:
    at = rng.randrange(1, len(word))
    return [Spelling(at, at, rng.choice(INVISIBLE))]


RELATION = TextRelation(
    name="zero-width",
    title="Zero-width characters",
    description=(
        "Inserts an invisible character into one or two words. The prediction must not change."
    ),
    paper=(
        "Boucher et al., IEEE S&P 2022 (Bad Characters), invisible characters; MTTM (Wang et "
        "al., ICSE 2023), noise injection"
    ),
    before="I hate waiting.",
    after="I ha\u200bte waiting.",
    transformation=spelling(_parted),
    surface=True,
)
