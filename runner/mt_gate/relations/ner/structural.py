"""Turning a declarative sentence into a yes/no question keeps every entity.

Source: Yu et al., ESEC/FSE 2023 (TIN), structural transformation.
    source     Twitter was the obvious solution.
    follow-up  Was Twitter the obvious solution?

The transformation needs a parser, so it runs when a suite is built.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.stated import SpansMapped, judge
from mt_gate.tasks import ner

RELATION = MetamorphicRelation(
    id="ner/structural",
    title="Statement to question",
    description=(
        "A statement becomes a yes/no question. It names the same things, so the same "
        "entities with the same labels must be found."
    ),
    paper="Yu et al., ESEC/FSE 2023 (TIN), structural transformation",
    before="Belarus shares a border with Russia.",
    after="Does Belarus share a border with Russia?",
    holds=judge(SpansMapped(), ner.TASK),
    fixed_edit=True,
)
