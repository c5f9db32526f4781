"""Swaps the two contradictory texts."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.relations.stated import Same, When
from mt_gate_suites.text.inference.denials import denials
from mt_gate_suites.text.inference.templates import CONTRADICTION, sampled_by_kind
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup


def _groups() -> Iterator[TemplateGroup]:
    for premise, _, ruled_out, stratum in denials():
        yield TemplateGroup(
            PairOfTexts(premise, ruled_out), PairOfTexts(ruled_out, premise), stratum
        )


RELATION = TextRelation(
    name="contradiction-order",
    title="Contradiction in swapped order",
    description="Swaps the two contradictory texts. The prediction must stay contradiction.",
    paper="MacCartney and Manning, IWCS 2009, natural logic",
    before="The judge near the baker laughed. / Nobody laughed.",
    after="Nobody laughed. / The judge near the baker laughed.",
    transformation=sampled_by_kind(_groups),
    output=Same(labels=(CONTRADICTION,), when=When(label=CONTRADICTION)),
)
