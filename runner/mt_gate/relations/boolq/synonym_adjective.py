"""Replacing adjectives by synonyms keeps the answer.

Source: Chen et al., ESEC/FSE 2021, section 4, MR2-1.
    source     is season 13 the last season of face off
    follow-up  is season 13 the final season of face off

Adjectives and senses are chosen when a suite is built.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import SAME, answers

EXPECTED = SAME
RELATION = MetamorphicRelation(
    id="boolq/synonym-adjective",
    title="Adjectives become synonyms",
    description=(
        "Adjectives are replaced by words with the same meaning there, so the answer must stay "
        "the same."
    ),
    paper="Chen et al., ESEC/FSE 2021, MR2-1",
    before="is season 13 the last season of face off",
    after="is season 13 the final season of face off",
    holds=answers(EXPECTED),
)
