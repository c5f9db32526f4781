"""Swaps agent and object in the hypothesis."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.text.inference.templates import ACTS, NO_LONGER_ENTAILED, sampled, two_people
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup


def _groups() -> Iterator[TemplateGroup]:
    for one, other in two_people():
        for past, participle in ACTS:
            passive = f"The {one} was {participle} by the {other}."
            active = f"The {other} {past} the {one}."
            turned = f"The {one} {past} the {other}."
            yield TemplateGroup(
                PairOfTexts(passive, active), PairOfTexts(passive, turned), "passive"
            )
            yield TemplateGroup(
                PairOfTexts(active, passive),
                PairOfTexts(active, f"The {other} was {participle} by the {one}."),
                "active",
            )


RELATION = TextRelation(
    name="lexical-overlap",
    title="Lexical overlap (HANS): roles swapped",
    description="Swaps agent and object in the hypothesis. The prediction must not be entailment.",
    paper="HANS (McCoy et al., ACL 2019), lexical overlap",
    before="The judge was thanked by the baker. / The baker thanked the judge.",
    after="The judge was thanked by the baker. / The judge thanked the baker.",
    transformation=sampled(_groups),
    output=NO_LONGER_ENTAILED,
)
