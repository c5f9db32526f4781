"""What passes between the building of a task's groups and the writing of a suite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mt_gate.base.errors import UsageError, quoted
from mt_gate.building.recipe import Recipe, refused_ids
from mt_gate.domain import Group, Source
from mt_gate.relations.catalogue import relations_of

Say = Callable[[str], None]
Progress = Callable[[int, int], None]


class Built(NamedTuple):
    """What a builder made: sources, groups in the relations' order, tools and thresholds."""

    relations: tuple[str, ...]
    sources: Sequence[Source]
    groups: Sequence[Group]
    tools: dict[str, str]
    thresholds: dict[str, float]


def no_progress(_done: int, _total: int) -> None:
    """Say nothing."""


def wanted_relations(recipe: Recipe, *, has_tools: bool) -> list[str]:
    """Return the relations to build, in catalogue order.

    Raises:
        UsageError: the recipe asks for one that is unknown, or whose tools are not named.
    """
    every = relations_of(recipe.task)
    known = [relation.id for relation in every]
    needing_tools = {relation.id for relation in every if relation.needs_tools}
    usual = [relation.id for relation in every if relation.default]
    wanted = recipe.relations or [r for r in usual if has_tools or r not in needing_tools]
    for name in wanted:
        if name not in known:
            raise UsageError(f"relation {quoted(name)}: task {recipe.task} has {', '.join(known)}")
    lacking = needing_tools.intersection(wanted)
    if lacking and not has_tools:
        raise UsageError(
            f"relation {quoted(min(lacking))} needs a language model and an encoder; name them "
            "with "
            "--masked-lm or --causal-lm, and --encoder"
        )
    return [name for name in known if name in wanted]


def drawn(groups: Iterable[Group], recipe: Recipe, most: int | None = None) -> list[Group]:
    """Return a relation's groups, at most the recipe's number, without refused ones."""
    found = {group.id: group for group in groups}
    refused = refused_ids(recipe)
    # An id is a hash: the least of them are a random sample, the same wherever it is drawn.
    taken = {name for name in sorted(found)[: most or recipe.groups] if name not in refused}
    return [group for name, group in found.items() if name in taken]
