"""A metamorphic relation, which is a record of plain functions to the runner."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from mt_gate.domain import Alignment, EntityError, Source, Verdict
from mt_gate.ontologies.ontology import Ontology

Output = Mapping[str, Any]
Input = Mapping[str, Any]


class AnsweredInput(NamedTuple):
    """An input with what the system predicts, and how near that is to another prediction."""

    input: Input
    output: Output
    margin: float = math.inf


class FollowUp(NamedTuple):
    """A follow-up input with its alignment to the source.

    ``second`` is the second source, of a relation that has two; ``gold`` are its labels, of a group
    that states them.
    """

    input: Input
    alignment: Alignment
    second: AnsweredInput | None = None
    gold: tuple[str, ...] | None = None


class Context(NamedTuple):
    """Facts about the system that relations may use in addition to its predictions.

    ``ontology`` is what its labels mean (task ``re``), ``reads_types`` whether its input holds the
    types of head and tail. ``labels`` are those it can predict, under the names that the suite uses
    (task ``text``); empty where they are not known.
    """

    ontology: Ontology | None = None
    reads_types: bool = True
    labels: frozenset[str] = frozenset()


class Judgement(NamedTuple):
    """A verdict; ``reason`` is set if not applicable, the others if violated.

    ``margin`` is set where a difference of scores was judged: how far it is from where the verdict
    turns.
    """

    verdict: Verdict
    reason: str = ""
    unmatched: Mapping[str, Any] | None = None
    errors: tuple[EntityError, ...] = ()
    margin: float | None = None


class ExecutedGroup(NamedTuple):
    """A metamorphic group with its predictions; ``gold`` are the follow-up's labels, if stated."""

    source: Input
    follow_up: Input
    source_output: Output
    follow_up_output: Output
    alignment: Alignment
    second: AnsweredInput | None = None
    context: Context = Context()
    gold: tuple[str, ...] | None = None


class PendingGroup(NamedTuple):
    """A group of a suite before its follow-up is predicted."""

    source: Input
    follow_up: Input
    source_output: Output
    context: Context
    second: AnsweredInput | None = None


class FirstSource(NamedTuple):
    """A first source, its prediction, and what else its relation builds from."""

    source: Source
    output: Output
    context: Context


Judge = Callable[[ExecutedGroup], Judgement]
Bind = Callable[[Input, Output, Random], tuple[FollowUp, ...]]
Condition = Callable[[PendingGroup], str]


class Combination(NamedTuple):
    """How a relation with two sources builds its follow-ups, in a second round.

    ``seconds`` returns inputs that may be the second source, all to be predicted, ``follow_ups``
    the follow-ups of those that are.
    """

    seconds: Callable[[FirstSource], tuple[Input, ...]]
    follow_ups: Callable[[FirstSource, tuple[AnsweredInput, ...]], tuple[FollowUp, ...]]


class MetamorphicRelation(NamedTuple):
    """Transformation plus output relation.

    ``bind`` builds the follow-ups from the source output at run time, ``combine`` those of a
    relation with two sources; None where follow-ups are in the suite. ``when`` returns why the
    source output makes a group not applicable, or an empty text; such follow-ups are never
    predicted.
    """

    id: str  # task/name, as in suites, results and baselines
    title: str
    description: str  # two short sentences: the edit, then what must follow
    paper: str
    before: str  # an example source, and its follow-up
    after: str
    holds: Judge
    bind: Bind | None = None
    combine: Combination | None = None
    parts: tuple[MetamorphicRelation, ...] = ()  # of a composition, applied one after the other
    scarce: bool = False  # few sentences serve it, so a suite takes their sources first
    fixed_edit: bool = (
        False  # edits are of one kind, so that nothing is said of how varied they are
    )
    when: Condition | None = None
    default: bool = True  # runs without being named in --relations

    @property
    def at_run_time(self) -> bool:
        """Whether its follow-ups are built at run time, from what the system answers."""
        return self.bind is not None or self.combine is not None
