"""Negates the hypothesis.

Source: Naik et al., COLING 2018 (stress tests), negation; templates of our own.
    source     The judge near the baker laughed. / Somebody laughed.
    follow-up  The judge near the baker laughed. / Nobody laughed.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mt_gate.relations.stated import Becomes
from mt_gate_suites.text.inference.denials import denials
from mt_gate_suites.text.inference.templates import CONTRADICTION, ENTAILMENT, sampled_by_kind
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfTemplates, PairOfTexts, TemplateGroup


def _groups() -> Iterator[TemplateGroup]:
    for premise, follows, ruled_out, stratum in denials():
        yield TemplateGroup(PairOfTexts(premise, follows), PairOfTexts(premise, ruled_out), stratum)


def transform(rng: Random) -> list[TemplateGroup]:
    """Return groups whose hypothesis is denied."""
    return sampled_by_kind(_groups, rng)


RELATION = TextRelation(
    name="negated-hypothesis",
    title="Negated hypothesis (becomes contradiction)",
    description=(
        "Negates the hypothesis. The prediction must change from entailment to contradiction."
    ),
    paper="Naik et al., COLING 2018 (stress tests), negation",
    before="The judge near the baker laughed. / Somebody laughed.",
    after="The judge near the baker laughed. / Nobody laughed.",
    transformation=OfTemplates(transform),
    output=Becomes(labels={ENTAILMENT: CONTRADICTION}),
)
