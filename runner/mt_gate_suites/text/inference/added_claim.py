"""Adds a place or time to the hypothesis."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.relations.stated import Becomes
from mt_gate_suites.text.inference.details import detailed
from mt_gate_suites.text.inference.templates import ENTAILMENT, NEUTRAL, sampled
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup


def _groups() -> Iterator[TemplateGroup]:
    for said, otherwise, detail, stratum in detailed():
        premise = f"{said}."
        yield TemplateGroup(
            PairOfTexts(premise, f"{otherwise}."),
            PairOfTexts(premise, f"{otherwise} {detail}."),
            stratum,
        )


RELATION = TextRelation(
    name="added-claim",
    title="Detail added to hypothesis (becomes neutral)",
    description=(
        "Adds a place or time to the hypothesis. The prediction must change from entailment to "
        "neutral."
    ),
    paper="MacCartney and Manning, IWCS 2009, natural logic",
    before="The judge was thanked by the baker. / The baker thanked the judge.",
    after="The judge was thanked by the baker. / The baker thanked the judge in the garden.",
    transformation=sampled(_groups),
    output=Becomes(labels={ENTAILMENT: NEUTRAL}),
)
