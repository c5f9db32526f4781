"""Denying what is asked, with a tag question, inverts the answer.

Source: Chen et al., ESEC/FSE 2021, section 4, MR1-4.
    source     is there such thing as a black card
    follow-up  there is not such thing as a black card, is it right

Where the denial is the exact opposite: ``mt_gate.building.boolq.negation.tag``.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import INVERTED, answers

EXPECTED = INVERTED
RELATION = MetamorphicRelation(
    id="boolq/negation-tag",
    title="The question becomes its denial",
    description=(
        "The question becomes the denial of what it asks, followed by “is it right”. A system "
        "that answers yes to one must answer no to the other."
    ),
    paper="Chen et al., ESEC/FSE 2021, MR1-4",
    before="is there such thing as a black card",
    after="there is not such thing as a black card, is it right",
    holds=answers(EXPECTED),
    builder="mt_gate.building.boolq.negation.tag:TRANSFORMATION",
    fixed_edit=True,
)
