"""Asking of the future what was asked of the past, or the reverse, turns a yes into a no.

Source: Chen et al., ESEC/FSE 2021, section 4, MR1-2.
    source     will there be a fifth season of mom
    follow-up  has there ever been a fifth season of mom

Only questions where one excludes the other are taken.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq.answers import INVERTED_YES, answers

EXPECTED = INVERTED_YES
RELATION = MetamorphicRelation(
    id="boolq/tense-change",
    title="The tense changes",
    description=(
        "What has happened cannot be still in the future, and what is in the future has not "
        "happened "
        "yet. A yes to one question rules out a yes to the other."
    ),
    paper="Chen et al., ESEC/FSE 2021, MR1-2",
    before="will there be a fifth season of mom",
    after="has there ever been a fifth season of mom",
    holds=answers(EXPECTED),
)
