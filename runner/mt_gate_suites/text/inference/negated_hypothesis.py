"""Negates the hypothesis."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.relations.stated import Becomes
from mt_gate_suites.text.inference.denials import denials
from mt_gate_suites.text.inference.templates import CONTRADICTION, ENTAILMENT, sampled_by_kind
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup


def _groups() -> Iterator[TemplateGroup]:
    for premise, follows, ruled_out, stratum in denials():
        yield TemplateGroup(PairOfTexts(premise, follows), PairOfTexts(premise, ruled_out), stratum)


RELATION = TextRelation(
    name="negated-hypothesis",
    title="Negated hypothesis (becomes contradiction)",
    description=(
        "Negates the hypothesis. The prediction must change from entailment to contradiction."
    ),
    paper="Naik et al., COLING 2018 (stress tests), negation",
    before="The judge near the baker laughed. / Somebody laughed.",
    after="The judge near the baker laughed. / Nobody laughed.",
    transformation=sampled_by_kind(_groups),
    output=Becomes(labels={ENTAILMENT: CONTRADICTION}),
)
