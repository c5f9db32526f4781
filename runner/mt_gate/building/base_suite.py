"""A suite that another one holds whole: its groups stay as they are, and more stand beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from mt_gate.building.builder_api import Built
from mt_gate.building.recipe import Recipe
from mt_gate.domain import Group, Source
from mt_gate.suites.format import Suite, find_suite, read_suite
from mt_gate.tasks.spec import Input
from mt_gate.tasks.table import TASKS


class BaseSuite:
    """The base of a recipe; without one it has no groups.

    ``groups`` are by relation, ``inputs`` those of its sources by id.
    """

    def __init__(self, recipe: Recipe) -> None:
        """Read the suite that the recipe names.

        Raises:
            UsageError: there is no such suite.
            CannotJudge: it cannot be read.
        """
        self.suite = _read(recipe.base) if recipe.base else None
        self.groups: Mapping[str, Sequence[Group]] = _by_relation(self.suite)
        sources = self.suite.sources if self.suite else ()
        self.inputs: Mapping[str, Input] = {source.id: source.input for source in sources}


def with_base(recipe: Recipe, built: Built) -> Built:
    """Return what was built with the recipe's base before it.

    A source that the base has as well is taken once; one whose id the base uses for another input
    gets an id of its own; one of a text that the base has is of that text's cluster. Its relations
    are the first.
    """
    base = BaseSuite(recipe).suite
    if base is None:
        return built
    text = TASKS[recipe.task].text
    held = {source.id: source for source in base.sources}
    names: dict[str, str] = {}
    clusters: dict[str, str] = {}
    for source in base.sources:
        clusters.setdefault(text(source.input), source.cluster or source.id)
    more: list[Source] = []
    for source in built.sources:
        before = held.get(source.id)
        if before is not None and before.input == source.input:
            bind = dict.fromkeys((*before.bind, *source.bind))
            entities = before.entities or source.entities
            held[source.id] = msgspec.structs.replace(before, bind=tuple(bind), entities=entities)
            continue
        name = names[source.id] = f"{recipe.name}: {source.id}" if before else source.id
        # Without a cluster of the base a first source of its text may have got another name.
        first = clusters.setdefault(text(source.input), source.cluster or name)
        cluster = "" if first == name else first
        more.append(msgspec.structs.replace(source, id=name, cluster=cluster))
    groups = [
        msgspec.structs.replace(group, source=names.get(group.source, group.source))
        for group in built.groups
    ]
    relations = dict.fromkeys((*(one.id for one in base.head.relations), *built.relations))
    return built._replace(
        relations=tuple(relations),
        sources=[*held.values(), *more],
        groups=[*base.groups, *groups],
    )


@cache
def _read(name: str) -> Suite:
    return read_suite(find_suite(name))


def _by_relation(suite: Suite | None) -> Mapping[str, Sequence[Group]]:
    found: dict[str, list[Group]] = defaultdict(list)
    for group in suite.groups if suite else ():
        found[group.relation].append(group)
    return found
