"""Denying what is asked, with a tag question, inverts the answer.

Source: Chen et al., ESEC/FSE 2021, section 4, MR1-4.
    source     is there such thing as a black card
    follow-up  there is not such thing as a black card, is it right
    follow-up  is it true that there is no such thing as a black card

The paper's words are the stratum ``paper``, those that people use ``natural``.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import INVERTED, answers

EXPECTED = INVERTED
RELATION = MetamorphicRelation(
    id="boolq/negation-tag",
    title="The question becomes its denial",
    description=(
        "The question becomes the denial of what it asks: followed by “is it right”, or in "
        "words that people use, such as “is it true that”. A system "
        "that answers yes to one must answer no to the other."
    ),
    paper="Chen et al., ESEC/FSE 2021, MR1-4",
    before="is there such a thing as a turkey vulture",
    after="there is no such thing as a turkey vulture, is that right",
    holds=answers(EXPECTED),
    fixed_edit=True,
)
