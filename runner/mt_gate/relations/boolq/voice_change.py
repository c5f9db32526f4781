"""Turning the passage's sentences from active to passive, or back, keeps the answer.

Source: Chen et al., ESEC/FSE 2021, section 4, MR2-3.
    source     … the company now uses the SSE brand throughout the UK …
    follow-up  … the SSE brand is now used by the company throughout the UK …
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import SAME, answers

EXPECTED = SAME
RELATION = MetamorphicRelation(
    id="boolq/voice-change",
    title="Sentences change voice",
    description=(
        "Sentences of the passage change from active to passive, or back. The passage says the "
        "same, so the answer must stay the same."
    ),
    paper="Chen et al., ESEC/FSE 2021, MR2-3",
    before="… the company now uses the SSE brand throughout the UK …",
    after="… the SSE brand is now used by the company throughout the UK …",
    holds=answers(EXPECTED),
    fixed_edit=True,
)
