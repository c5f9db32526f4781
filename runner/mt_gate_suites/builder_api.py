"""Data that a task's builder passes to the writer of a suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mt_gate.base.errors import UsageError, did_you_mean, quoted
from mt_gate.domain import Group, Source
from mt_gate.relations.catalogue import relations_of
from mt_gate.suites.format import SuiteRelation
from mt_gate_suites.recipe import Recipe

Say = Callable[[str], None]
Progress = Callable[[int, int], None]


class Built(NamedTuple):
    """The result of a builder: sources, cases in the relations' order, tools and thresholds.

    ``left_out`` counts the groups that were built and not taken, by relation and reason.
    ``stated`` are the relations that the suite states itself, by id, and ``labels`` the label
    set that these name. ``offensive`` are the words of the texts that reports are to mask.
    """

    relations: tuple[str, ...]
    sources: Sequence[Source]
    groups: Sequence[Group]
    tools: dict[str, str]
    thresholds: dict[str, float]
    left_out: Mapping[str, Mapping[str, int]] = {}
    stated: Mapping[str, SuiteRelation] = {}
    labels: tuple[str, ...] = ()
    offensive: frozenset[str] = frozenset()


def no_progress(_done: int, _total: int) -> None:
    """Print nothing."""


def wanted_relations(recipe: Recipe) -> list[str]:
    """Return the relations to build, in catalogue order.

    Raises:
        UsageError: the recipe asks for one that is unknown.
    """
    every = relations_of(recipe.task)
    known = [relation.id for relation in every]
    wanted = recipe.relations or [relation.id for relation in every if relation.default]
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"Task {recipe.task} has no relation {quoted(name)}.{did_you_mean(name, known)} It "
                f"has {', '.join(known)}."
            )
    return [name for name in known if name in wanted]
