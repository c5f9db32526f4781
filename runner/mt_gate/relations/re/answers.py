"""Output relations over labels: what the follow-up's must be, given the source's."""

from __future__ import annotations

from collections.abc import Callable

from mt_gate.domain import NotApplicable, Verdict
from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import (
    Condition,
    Context,
    ExecutedGroup,
    Input,
    Judge,
    Judgement,
    PendingGroup,
)
from mt_gate.tasks.relation_extraction import ARGUMENTS, argument

Expected = Callable[[Ontology, str, Input, Input], str | None]
"""From ontology, source label, source and follow-up to the label that must come; or None."""


def ontology_of(context: Context) -> Ontology:
    """Return what the system's labels mean; every run of task re has one."""
    assert context.ontology is not None, "task re needs an ontology"
    return context.ontology


def same(ontology: Ontology, label: str, _: Input, __: Input) -> str | None:
    """Expect the source's relation, where it is one."""
    return None if ontology.read(label) is None else label


def same_of_both_types(
    ontology: Ontology, label: str, source: Input, follow_up: Input
) -> str | None:
    """Expect the source's relation where it can be between the types of both inputs."""
    if ontology.read(label) is None:
        return None
    kinds = [[argument(value, name).type for name in ARGUMENTS] for value in (source, follow_up)]
    return label if all(ontology.fits(label, *pair) for pair in kinds) else None


def condition(expected: Expected) -> Condition:
    """Return the condition on the source output of a relation that expects ``expected``."""

    def when(before: PendingGroup) -> str:
        types_alone = _untyped(before.source) == _untyped(before.follow_up)
        if types_alone and not before.context.reads_types:
            return NotApplicable.TYPES_UNREAD
        ontology = ontology_of(before.context)
        label = before.source_output["relation"]
        found = expected(ontology, label, before.source, before.follow_up)
        return NotApplicable.SOURCE_ANSWER if found is None else ""

    return when


def answers(expected: Expected) -> Judge:
    """Return the output relation that holds where the follow-up's label says the expected."""

    def holds(case: ExecutedGroup) -> Judgement:
        ontology = ontology_of(case.context)
        label = case.source_output["relation"]
        wanted = expected(ontology, label, case.source, case.follow_up)
        if wanted is None:
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SOURCE_ANSWER)
        return judged(ontology, wanted, case.follow_up_output["relation"])

    return holds


def judged(ontology: Ontology, wanted: str, found: str) -> Judgement:
    """Return the verdict on a label where another, or the same, was expected."""
    if ontology.same(wanted, found):
        return Judgement(Verdict.SATISFIED)
    return Judgement(Verdict.VIOLATED, unmatched={"expected": wanted})


def _untyped(value: Input) -> list[object]:
    return [value["text"], *(value[name][:2] for name in ARGUMENTS)]
