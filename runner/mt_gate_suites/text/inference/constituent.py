"""Changes the premise so that it no longer asserts the clause in the hypothesis."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.text.inference.templates import DEEDS, NO_LONGER_ENTAILED, sampled, two_people
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup

_CLAUSES = rows("text/inference", "clauses", 3)


def _groups() -> Iterator[TemplateGroup]:
    for at, (one, other) in enumerate(two_people()):
        deed, then = DEEDS[at % len(DEEDS)], DEEDS[(at + 1) % len(DEEDS)]
        hypothesis = f"The {one} {deed}."
        for says, leaves_open, form in _CLAUSES:
            end = f", the {other} {then}." if form == "two-clauses" else "."
            first, second = (f"{word} the {one} {deed}{end}" for word in (says, leaves_open))
            yield TemplateGroup(
                PairOfTexts(first, hypothesis), PairOfTexts(second, hypothesis), form
            )


RELATION = TextRelation(
    name="constituent",
    title="Constituent heuristic (HANS)",
    description=(
        "Changes the premise so that it no longer asserts the clause in the hypothesis. The "
        "prediction must not be entailment."
    ),
    paper="HANS (McCoy et al., ACL 2019), constituent",
    before="Because the judge laughed, the baker left. / The judge laughed.",
    after="If the judge laughed, the baker left. / The judge laughed.",
    transformation=sampled(_groups),
    output=NO_LONGER_ENTAILED,
)
