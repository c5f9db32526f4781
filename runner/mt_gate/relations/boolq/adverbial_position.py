"""Moving an adverbial to the other end of the question keeps the answer.

Source: Chen et al., ESEC/FSE 2021, section 4, MR2-2.
    source     can you turn left on red in canada
    follow-up  in canada, can you turn left on red
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import SAME, answers

EXPECTED = SAME
RELATION = MetamorphicRelation(
    id="boolq/adverbial-position",
    title="An adverbial moves",
    description=(
        "A phrase of place, time or condition moves to the other end of the question. The meaning "
        "stays, so the answer must stay the same."
    ),
    paper="Chen et al., ESEC/FSE 2021, MR2-2",
    before="can you turn left on red in canada",
    after="in canada, can you turn left on red",
    holds=answers(EXPECTED),
    fixed_edit=True,
)
