"""What a metamorphic relation is to the runner: a record of plain functions."""

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
    """An input with what the system answered to it, and how near the answer is to another."""

    input: Input
    output: Output
    margin: float = math.inf


class FollowUp(NamedTuple):
    """A follow-up input with its alignment to the source.

    ``second`` is the second source, of a relation that has two; ``gold`` are its labels, of a
    group that states them.
    """

    input: Input
    alignment: Alignment
    second: AnsweredInput | None = None
    gold: tuple[str, ...] | None = None


class Context(NamedTuple):
    """What relations may know of the system beside its answers.

    ``ontology`` is what its labels mean (task ``re``), ``reads_types`` whether
    its input holds the types of head and tail. ``labels`` are those it can predict, under the
    names that the suite uses (task ``text``); empty where they are not known.
    """

    ontology: Ontology | None = None
    reads_types: bool = True
    labels: frozenset[str] = frozenset()


class Judgement(NamedTuple):
    """A verdict; ``reason`` is set if not applicable, the others if violated.

    ``errors`` say what kind of error each disagreement is, for tasks that tell kinds apart.
    ``margin`` is set where a difference of scores was judged: how far it is from where the
    verdict turns.
    """

    verdict: Verdict
    reason: str = ""
    unmatched: Mapping[str, Any] | None = None
    errors: tuple[EntityError, ...] = ()
    margin: float | None = None


class ExecutedGroup(NamedTuple):
    """A metamorphic group with what the system answered to its inputs.

    ``gold`` are the follow-up's labels, of a group that states them.
    """

    source: Input
    follow_up: Input
    source_output: Output
    follow_up_output: Output
    alignment: Alignment
    second: AnsweredInput | None = None
    context: Context = Context()
    gold: tuple[str, ...] | None = None


class PendingGroup(NamedTuple):
    """A group of a suite before its follow-up is asked."""

    source: Input
    follow_up: Input
    source_output: Output
    context: Context
    second: AnsweredInput | None = None


class FirstSource(NamedTuple):
    """A first source, its answer, and what else its relation builds from."""

    source: Source
    output: Output
    context: Context


Judge = Callable[[ExecutedGroup], Judgement]
Bind = Callable[[Input, Output, Random], tuple[FollowUp, ...]]
Condition = Callable[[PendingGroup], str]


class Combination(NamedTuple):
    """How a relation with two sources builds its follow-ups, in a second round.

    Args:
        seconds: inputs that may be the second source, all to be asked.
        follow_ups: the follow-ups of those that are, given what was answered.
    """

    seconds: Callable[[FirstSource], tuple[Input, ...]]
    follow_ups: Callable[[FirstSource, tuple[AnsweredInput, ...]], tuple[FollowUp, ...]]


class MetamorphicRelation(NamedTuple):
    """Transformation plus output relation.

    Args:
        id: ``task/name``, as in suites, results and baselines.
        title: a few words for a heading.
        description: one sentence for a reader who has not seen the paper.
        paper: where it comes from.
        before: an example source, ``after`` its follow-up.
        holds: the output relation.
        bind: builds the follow-ups from the source output at run time; None for
            a relation whose follow-ups stand in the suite. An empty result
            means not applicable.
        combine: the same for a relation with two sources, in place of ``bind``.
        parts: of a composition, the two relations that are applied one after the other.
        scarce: whether few sentences serve it, so that a suite takes their sources first.
        when: returns why the source output makes the group not applicable, or an
            empty text; the follow-ups of such groups are never asked. None: all are asked.
        fixed_edit: whether all its edits are of one kind of its own, moved words or always the same
            new ones, so that nothing is to be said of how varied they are.
        default: whether it runs without being named in ``--relations``.
    """

    id: str
    title: str
    description: str
    paper: str
    before: str
    after: str
    holds: Judge
    bind: Bind | None = None
    combine: Combination | None = None
    parts: tuple[MetamorphicRelation, ...] = ()
    scarce: bool = False
    fixed_edit: bool = False
    when: Condition | None = None
    default: bool = True

    @property
    def at_run_time(self) -> bool:
        """Whether its follow-ups are built at run time, from what the system answers."""
        return self.bind is not None or self.combine is not None
