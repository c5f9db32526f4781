"""Replaces the hypothesis with the last words of the premise, which the premise does not assert."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.lexicons.reading import ordered
from mt_gate_suites.text.inference.templates import (
    ACTS,
    DEEDS,
    NO_LONGER_ENTAILED,
    sampled,
    two_people,
)
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup

_NEARBY = ordered("text/inference", "nearby")


def _groups() -> Iterator[TemplateGroup]:
    for at, (one, other) in enumerate(two_people()):
        deed, (past, _) = DEEDS[at % len(DEEDS)], ACTS[at % len(ACTS)]
        premises = [(f"The {one} {near} the {other} {deed}.", "phrase") for near in _NEARBY]
        premises.append((f"The {one} who {past} the {other} {deed}.", "clause"))
        for premise, stratum in premises:
            yield TemplateGroup(
                PairOfTexts(premise, f"The {one} {deed}."),
                PairOfTexts(premise, f"The {other} {deed}."),
                stratum,
            )


RELATION = TextRelation(
    name="subsequence",
    title="Subsequence heuristic (HANS)",
    description=(
        "Replaces the hypothesis with the last words of the premise, which the premise does not "
        "assert. The prediction must not be entailment."
    ),
    paper="HANS (McCoy et al., ACL 2019), subsequence",
    before="The judge near the baker laughed. / The judge laughed.",
    after="The judge near the baker laughed. / The baker laughed.",
    transformation=sampled(_groups),
    output=NO_LONGER_ENTAILED,
)
