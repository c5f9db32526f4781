"""Replaces the quantifier with one of opposite monotonicity."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.lexicons.reading import ordered, rows
from mt_gate_suites.text.inference.templates import NO_LONGER_ENTAILED, sampled
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup

_THINGS = rows("text/inference", "things", 2)
_DONE = ordered("text/inference", "done")
_UPWARD = ordered("text/inference", "upward")
_DOWNWARD = ordered("text/inference", "downward")


def _groups() -> Iterator[TemplateGroup]:
    for things, adjectives in _THINGS:
        for adjective in adjectives.split():
            for done in _DONE:
                for up in _UPWARD:
                    for down in _DOWNWARD:
                        few = {word: f"{word} {adjective} {things} {done}." for word in (up, down)}
                        all_of = {word: f"{word} {things} {done}." for word in (up, down)}
                        yield TemplateGroup(
                            PairOfTexts(few[up], all_of[up]),
                            PairOfTexts(few[down], all_of[down]),
                            "downward-monotone",
                        )
                        yield TemplateGroup(
                            PairOfTexts(all_of[down], few[down]),
                            PairOfTexts(all_of[up], few[up]),
                            "upward-monotone",
                        )


RELATION = TextRelation(
    name="quantifier",
    title="Quantifier monotonicity",
    description=(
        "Replaces the quantifier with one of opposite monotonicity. The prediction must not be "
        "entailment."
    ),
    paper="MacCartney and Manning, IWCS 2009; Richardson et al., AAAI 2020",
    before="Some red cars were sold. / Some cars were sold.",
    after="No red cars were sold. / No cars were sold.",
    transformation=sampled(_groups),
    output=NO_LONGER_ENTAILED,
)
