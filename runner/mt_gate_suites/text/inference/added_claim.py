"""Adds a place or time to the hypothesis.

Source: MacCartney and Manning, IWCS 2009, natural logic; templates of our own.
    source     The judge was thanked by the baker. / The baker thanked the judge.
    follow-up  The judge was thanked by the baker. / The baker thanked the judge in the garden.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mt_gate.relations.stated import Becomes
from mt_gate_suites.text.inference.details import detailed
from mt_gate_suites.text.inference.templates import ENTAILMENT, NEUTRAL, sampled
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfTemplates, PairOfTexts, TemplateGroup


def _groups() -> Iterator[TemplateGroup]:
    for said, otherwise, detail, stratum in detailed():
        premise = f"{said}."
        yield TemplateGroup(
            PairOfTexts(premise, f"{otherwise}."),
            PairOfTexts(premise, f"{otherwise} {detail}."),
            stratum,
        )


def transform(rng: Random) -> list[TemplateGroup]:
    """Return groups whose hypothesis gets a detail."""
    return sampled(_groups, rng)


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
    transformation=OfTemplates(transform),
    output=Becomes(labels={ENTAILMENT: NEUTRAL}),
)
