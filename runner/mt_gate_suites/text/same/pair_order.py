"""Swaps the two texts of a pair.

Only for tasks on whether two texts mean the same, in which the order does not matter.
"""

from __future__ import annotations

from mt_gate.domain import Block
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfPair, PairOfTexts, PairRewrite


def transform(pair: PairOfTexts) -> list[PairRewrite]:
    """Return the pair in the opposite order; empty if both texts are equal."""
    first, second = pair
    if first == second:
        return []
    blocks = (
        Block(0, len(second) + 1, len(first)),
        Block(len(first) + 1, 0, len(second)),
    )
    return [PairRewrite(PairOfTexts(second, first), blocks)]


RELATION = TextRelation(
    name="pair-order",
    title="Pair order swapped",
    description="Swaps the two texts of a pair. The prediction must not change.",
    paper=(
        "LLMorph (Cho et al., ICSME 2025), swapped inputs; Ribeiro et al., ACL 2020 "
        "(CheckList), duplicate questions"
    ),
    before="Where is my card? / When will my card come?",
    after="When will my card come? / Where is my card?",
    transformation=OfPair(transform),
)
