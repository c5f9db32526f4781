"""Exchanging the first ``before`` and ``after`` turns a yes into a no.

Source: Chen et al., ESEC/FSE 2021, section 4, MR1-3.
    source     was the peloponnesian war before the persian war
    follow-up  was the peloponnesian war after the persian war

Only where the two orders exclude each other.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import INVERTED_YES, answers

EXPECTED = INVERTED_YES
RELATION = MetamorphicRelation(
    id="boolq/before-after",
    title="Before and after change places",
    description=("One of two things comes first. A yes to one order rules out a yes to the other."),
    paper="Chen et al., ESEC/FSE 2021, MR1-3",
    before="was the peloponnesian war before the persian war",
    after="was the peloponnesian war after the persian war",
    holds=answers(EXPECTED),
    fixed_edit=True,
)
