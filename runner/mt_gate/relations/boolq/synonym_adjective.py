"""Replacing adjectives by synonyms keeps the answer.

Source: Chen et al., ESEC/FSE 2021, section 4, MR2-1.
    source     can a tight hat give you a headache
    follow-up  can a close-fitting hat give you a headache

Adjectives and senses are chosen when a suite is built (``mt_gate.building.boolq``).
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
    before="can a tight hat give you a headache",
    after="can a close-fitting hat give you a headache",
    holds=answers(EXPECTED),
    builder="mt_gate.building.boolq.adjectives.synonym:transform",
)
