"""What a metamorphic relation is to the runner: a record of plain functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from mt_gate.domain import Alignment, EntityError, Verdict

Output = Mapping[str, Any]
Input = Mapping[str, Any]


class FollowUp(NamedTuple):
    """A follow-up input with its alignment to the source."""

    input: Input
    alignment: Alignment


class Judgement(NamedTuple):
    """A verdict; ``reason`` where not applicable, the others where violated.

    ``errors`` say what kind of error each disagreement is, for tasks that tell kinds apart.
    """

    verdict: Verdict
    reason: str = ""
    unmatched: Mapping[str, Any] | None = None
    errors: tuple[EntityError, ...] = ()


class Case(NamedTuple):
    """A metamorphic group with what the system answered to both of its inputs."""

    source: Input
    follow_up: Input
    source_output: Output
    follow_up_output: Output
    alignment: Alignment


Judge = Callable[[Case], Judgement]
Bind = Callable[[Input, Output, Random], tuple[FollowUp, ...]]


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
        default: whether a run takes it where it is not asked for by name.
    """

    id: str
    title: str
    description: str
    paper: str
    before: str
    after: str
    holds: Judge
    bind: Bind | None = None
    default: bool = True
