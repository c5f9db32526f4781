"""A part of a suite: a seeded draw of its sources."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import msgspec

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.suites.format import Suite
from mt_gate.suites.held_groups import heads, part_of_groups


class Drawn(NamedTuple):
    """A suite with some of its sources; ``of`` counts those that relations make groups from."""

    suite: Suite
    of: int


def draw(
    suite: Suite, relations: Sequence[MetamorphicRelation], sources: int | None, seed: int
) -> Drawn:
    """Return the suite with ``sources`` of its sources (None: all), and their groups.

    Sources that no relation asked for makes a group from are left out.
    """
    wanted = {relation.id for relation in relations}
    used = {group.source for group in heads(suite.groups) if group.relation in wanted}
    used |= {source.id for source in suite.sources if wanted.intersection(source.bind)}
    ids = [source.id for source in suite.sources if source.id in used]
    of = len(ids)
    if sources is not None and sources < of:
        ids = Random(seed).sample(ids, sources)
    kept = frozenset(ids)
    words = () if len(ids) == of else (f"{len(ids)} of {of} sources, seed {seed}",)
    groups = part_of_groups(suite.groups, lambda group: group.source in kept)
    asked = kept.union(group.second for group in heads(groups))
    drawn = msgspec.structs.replace(
        suite,
        sources=tuple(source for source in suite.sources if source.id in asked),
        groups=groups,
        part=(*suite.part, *words),
    )
    return Drawn(drawn, of)
