"""Replacing the first adjective by its antonym turns a yes into a no.

Source: Chen et al., ESEC/FSE 2021, section 4, MR1-1.
    source     is scott and sid based on a true story
    follow-up  is scott and sid based on a fictional story

Adjectives and senses are chosen when a suite is built.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import INVERTED_YES, answers

EXPECTED = INVERTED_YES
RELATION = MetamorphicRelation(
    id="boolq/antonym-adjective",
    title="An adjective becomes its opposite",
    description=(
        "An adjective that describes the subject is replaced by its opposite. A yes to one "
        "question rules out "
        "a yes to the other."
    ),
    paper="Chen et al., ESEC/FSE 2021, MR1-1",
    before="is scott and sid based on a true story",
    after="is scott and sid based on a fictional story",
    holds=answers(EXPECTED),
)
