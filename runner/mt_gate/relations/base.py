"""Metamorphic relations as records of plain functions, and the known-answer relation.

The known-answer relation has no edited text and reuses the original's prediction, so it adds no
model runs. A relation with the condition "if the original is flagged" skips every case of a model
that flags nothing. The known-answer relation does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from mt_gate.domain import (
    KNOWN_ANSWER,
    LABELS,
    LOOK_ALIKE,
    Alignment,
    Entity,
    EntityError,
    NotApplicable,
    Source,
    Verdict,
)
from mt_gate.ontologies.ontology import Ontology
from mt_gate.tasks.spec import TaskSpec

Output = Mapping[str, Any]
Input = Mapping[str, Any]


class AnsweredInput(NamedTuple):
    """An input with its prediction, and the smallest gap in scores to another prediction."""

    input: Input
    output: Output
    margin: float = math.inf


class FollowUp(NamedTuple):
    """A follow-up input with its alignment to the source.

    ``second`` is the second source, for a relation with two sources. ``gold`` are the follow-up's
    labels and ``entities`` its entities, if the group states them.
    """

    input: Input
    alignment: Alignment
    second: AnsweredInput | None = None
    gold: tuple[str, ...] | None = None
    entities: tuple[Entity, ...] = ()


class Context(NamedTuple):
    """Facts about the system that relations may use in addition to its predictions.

    ``ontology`` defines its labels (task ``re``). ``reads_types`` is whether it reads the types of
    head and tail. ``labels`` are those that it can predict, by the suite's names (task ``text``);
    empty if unknown. ``kinds`` are the system's labels for each label of the suite (task ``ner``).
    """

    ontology: Ontology | None = None
    reads_types: bool = True
    labels: frozenset[str] = frozenset()
    kinds: Mapping[str, frozenset[str]] = MappingProxyType({})


class Judgement(NamedTuple):
    """A verdict; ``reason`` is set if not applicable, ``unmatched`` and ``errors`` if violated.

    ``margin`` is set if a difference of scores was judged: its distance from the threshold.
    """

    verdict: Verdict
    reason: str = ""
    unmatched: Mapping[str, Any] | None = None
    errors: tuple[EntityError, ...] = ()
    margin: float | None = None


class ExecutedGroup(NamedTuple):
    """A metamorphic group with its predictions.

    ``gold`` are the follow-up's labels, if stated; ``known`` are the known entities of both texts.
    """

    source: Input
    follow_up: Input
    source_output: Output
    follow_up_output: Output
    alignment: Alignment
    second: AnsweredInput | None = None
    context: Context = Context()
    gold: tuple[str, ...] | None = None
    known: tuple[tuple[Entity, ...], tuple[Entity, ...]] = ((), ())


class PendingGroup(NamedTuple):
    """A group of a suite before its follow-up is predicted."""

    source: Input
    follow_up: Input
    source_output: Output
    context: Context
    second: AnsweredInput | None = None


class FirstSource(NamedTuple):
    """A first source with its prediction and the context."""

    source: Source
    output: Output
    context: Context


Judge = Callable[[ExecutedGroup], Judgement]
Bind = Callable[[Input, Output, Random], tuple[FollowUp, ...]]
Condition = Callable[[PendingGroup], str]


class Combination(NamedTuple):
    """How a relation with two sources builds its follow-ups.

    ``seconds`` returns inputs that could be the second source; all of them are predicted.
    ``follow_ups`` builds the follow-ups from those predictions.
    """

    seconds: Callable[[FirstSource], tuple[Input, ...]]
    follow_ups: Callable[[FirstSource, tuple[AnsweredInput, ...]], tuple[FollowUp, ...]]


class MetamorphicRelation(NamedTuple):
    """Transformation plus output relation.

    ``bind`` builds the follow-ups from the source output at run time. ``combine`` does so for a
    relation with two sources. Both are None if the suite has the follow-ups. ``when`` returns why
    the source output makes a group not applicable, or an empty text. Follow-ups of groups that are
    not applicable are not predicted.
    """

    id: str  # task/name, as in suites, results and baselines
    title: str
    description: str  # two short sentences: the edit, then the expectation
    paper: str
    before: str  # an example source, and its follow-up
    after: str
    holds: Judge
    bind: Bind | None = None
    combine: Combination | None = None
    parts: tuple[MetamorphicRelation, ...] = ()  # of a composition, applied one after the other
    scarce: bool = False  # few sentences fit, so a suite chooses their sources first
    fixed_edit: bool = False  # all edits are of one kind, so their variety is not reported
    when: Condition | None = None
    default: bool = True  # runs without being named in --relations

    @property
    def at_run_time(self) -> bool:
        """Whether its follow-ups are built at run time, from predictions."""
        return self.bind is not None or self.combine is not None


SCHEME_END = ":"
"""End of the scheme in a known answer of task ``re``, which is written ``SCHEME:label``."""


def has_known_answers(task: TaskSpec) -> bool:
    """Whether suites of a task may store known answers, which must be labels."""
    return not task.spans and (task.needs_ontology or task.decided is not None)


def is_labels(relation: str) -> bool:
    """Whether an id is that of a relation of labelled examples."""
    return relation.partition("/")[2] == LABELS


def is_known_answer(relation: str) -> bool:
    """Whether an id is that of a known-answer relation."""
    return relation.partition("/")[2] in (KNOWN_ANSWER, LOOK_ALIKE)


def known_answer(task: TaskSpec, labels: Collection[str] = ()) -> MetamorphicRelation:
    """Return the known-answer relation of a task.

    ``labels`` is the suite's label set, empty if it has none. Predicted labels outside the set are
    ignored, because known answers never contain them.
    """
    decided, known = task.decided, frozenset(labels)

    def judge_labels(case: ExecutedGroup) -> Judgement:
        gold = frozenset(case.gold or ())
        if case.context.labels and not gold <= case.context.labels:
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.OTHER_LABELS)
        predicted = frozenset(decided(case.source_output) if decided else ())
        return _judgement((predicted & known if known else predicted) == gold, gold)

    return MetamorphicRelation(
        id=f"{task.id}/{KNOWN_ANSWER}",
        title="Known answers",
        description=(
            "Compares the prediction for the original with the right answer. They must be equal."
        ),
        paper="",
        before="",
        after="",
        holds=_judge_relations if task.needs_ontology else judge_labels,
        fixed_edit=True,
    )


def _judge_relations(case: ExecutedGroup) -> Judgement:
    ontology = case.context.ontology
    gold = _in_scheme(case.gold or (), ontology)
    if ontology is None or not gold:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.OTHER_LABELS)
    predicted = case.source_output["relation"]
    return _judgement(any(ontology.same(predicted, label) for label in gold), gold)


def _in_scheme(gold: Iterable[str], ontology: Ontology | None) -> list[str]:
    prefix = f"{ontology.name}{SCHEME_END}" if ontology else ""
    labels = [label.removeprefix(prefix) for label in gold if prefix and label.startswith(prefix)]
    answers = ontology.answers if ontology else frozenset()
    return [label for label in labels if not answers or label in answers]


def _judgement(right: bool, gold: Iterable[str]) -> Judgement:
    if right:
        return Judgement(Verdict.SATISFIED)
    return Judgement(Verdict.VIOLATED, unmatched={"expected": sorted(gold)})
