"""A part of a suite: a seeded draw of its sources."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.known_answer import is_known_answer
from mt_gate.suites.format import Suite


class Drawn(NamedTuple):
    """A suite with some of its sources; ``of`` counts those that relations make groups from."""

    suite: Suite
    of: int


def _used(suite: Suite, relations: Collection[str]) -> set[str]:
    """Return the sources that some relations make groups from."""
    used = {group.source for group in suite.groups if group.relation in relations}
    return used | {s.id for s in suite.sources if not set(s.bind).isdisjoint(relations)}


def draw(
    suite: Suite, relations: Sequence[MetamorphicRelation], sources: int | None, seed: int
) -> Drawn:
    """Return the suite with ``sources`` of its sources (None: all), and their groups.

    Sources that no relation asked for makes a group from are left out. A sample is drawn from those
    that are edited, where any are: their known answers come with them.
    """
    wanted = {relation.id for relation in relations}
    used = _used(suite, wanted)
    edited = _used(suite, {name for name in wanted if not is_known_answer(name)}) or used
    of = sum(source.id in edited for source in suite.sources)
    kept, words = used, suite.part
    if sources is not None and sources < of:
        ids = [source.id for source in suite.sources if source.id in edited]
        kept = set(Random(seed).sample(ids, sources))
        words = (*words, f"{sources} of {of} sources, seed {seed}")
    groups = tuple(group for group in suite.groups if group.source in kept)
    wanted_sources = kept | {group.second for group in groups}
    drawn = msgspec.structs.replace(
        suite,
        sources=tuple(one for one in suite.sources if one.id in wanted_sources),
        groups=groups,
        part=words,
    )
    return Drawn(drawn, of)
