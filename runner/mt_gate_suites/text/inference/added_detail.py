"""Adds a place or time to the premise."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.relations.stated import Same, When
from mt_gate_suites.text.inference.details import detailed
from mt_gate_suites.text.inference.templates import ENTAILMENT, sampled
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup


def _groups() -> Iterator[TemplateGroup]:
    for said, otherwise, detail, stratum in detailed():
        hypothesis = f"{otherwise}."
        yield TemplateGroup(
            PairOfTexts(f"{said}.", hypothesis),
            PairOfTexts(f"{said} {detail}.", hypothesis),
            stratum,
        )


RELATION = TextRelation(
    name="added-detail",
    title="Detail added to premise (still entailed)",
    description="Adds a place or time to the premise. The prediction must stay entailment.",
    paper="MacCartney and Manning, IWCS 2009, natural logic",
    before="The judge was thanked by the baker. / The baker thanked the judge.",
    after="The judge was thanked by the baker in the garden. / The baker thanked the judge.",
    transformation=sampled(_groups),
    output=Same(labels=(ENTAILMENT,), when=When(label=ENTAILMENT)),
)
