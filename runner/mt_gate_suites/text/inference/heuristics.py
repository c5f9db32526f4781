"""Relations of premise and hypothesis where a heuristic of HANS finds an entailment that is none.

Source: McCoy et al., ACL 2019.
"""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.lexicons.reading import ordered, rows
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
_CLAUSES = rows("text/inference", "clauses", 3)


def _overlap() -> Iterator[TemplateGroup]:
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


def _subsequences() -> Iterator[TemplateGroup]:
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


def _constituents() -> Iterator[TemplateGroup]:
    for at, (one, other) in enumerate(two_people()):
        deed, then = DEEDS[at % len(DEEDS)], DEEDS[(at + 1) % len(DEEDS)]
        hypothesis = f"The {one} {deed}."
        for says, leaves_open, form in _CLAUSES:
            end = f", the {other} {then}." if form == "two-clauses" else "."
            first, second = (f"{word} the {one} {deed}{end}" for word in (says, leaves_open))
            yield TemplateGroup(
                PairOfTexts(first, hypothesis), PairOfTexts(second, hypothesis), form
            )


RELATIONS = (
    TextRelation(
        name="lexical-overlap",
        title="Lexical overlap (HANS): roles swapped",
        description=(
            "Swaps agent and object in the hypothesis. The prediction must not be entailment."
        ),
        paper="HANS (McCoy et al., ACL 2019), lexical overlap",
        before="The judge was thanked by the baker. / The baker thanked the judge.",
        after="The judge was thanked by the baker. / The judge thanked the baker.",
        transformation=sampled(_overlap),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="subsequence",
        title="Subsequence heuristic (HANS)",
        description=(
            "Replaces the hypothesis with the last words of the premise, which the premise does "
            "not assert. The prediction must not be entailment."
        ),
        paper="HANS (McCoy et al., ACL 2019), subsequence",
        before="The judge near the baker laughed. / The judge laughed.",
        after="The judge near the baker laughed. / The baker laughed.",
        transformation=sampled(_subsequences),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="constituent",
        title="Constituent heuristic (HANS)",
        description=(
            "Changes the premise so that it no longer asserts the clause in the hypothesis. The "
            "prediction must not be entailment."
        ),
        paper="HANS (McCoy et al., ACL 2019), constituent",
        before="Because the judge laughed, the baker left. / The judge laughed.",
        after="If the judge laughed, the baker left. / The judge laughed.",
        transformation=sampled(_constituents),
        output=NO_LONGER_ENTAILED,
    ),
)
