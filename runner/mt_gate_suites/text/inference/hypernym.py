"""Swaps premise and hypothesis, so that the hypothesis is more specific."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.grammar.rewrite import article_for
from mt_gate_suites.lexicons.reading import ordered, rows
from mt_gate_suites.text.inference.templates import NO_LONGER_ENTAILED, PEOPLE, sampled
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup

_KINDS = rows("text/inference", "kinds", 2)
_GETTING = ordered("text/inference", "getting")


def _groups() -> Iterator[TemplateGroup]:
    for person in PEOPLE:
        for verb in _GETTING:
            for thing, kind in _KINDS:
                one, other = (f"The {person} {verb} {_one(noun)}." for noun in (thing, kind))
                yield TemplateGroup(PairOfTexts(one, other), PairOfTexts(other, one), kind)


def _one(noun: str) -> str:
    return f"{article_for(noun.split()[0])} {noun}"


RELATION = TextRelation(
    name="hypernym",
    title="Hypernym to hyponym (not entailed)",
    description=(
        "Swaps premise and hypothesis, so that the hypothesis is more specific. The prediction "
        "must not be entailment."
    ),
    paper=("LLMorph (Cho et al., ICSME 2025), hypernyms; MacCartney and Manning, IWCS 2009"),
    before="The judge bought a guitar. / The judge bought an instrument.",
    after="The judge bought an instrument. / The judge bought a guitar.",
    transformation=sampled(_groups),
    output=NO_LONGER_ENTAILED,
)
