"""Subsets of a suite: the quick part of a built-in suite, a sample of sources, or a shard."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random

import msgspec

from mt_gate.base.figures import count
from mt_gate.domain import KNOWN_ANSWER, Group, Source
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.suites.format import (
    SHIPPED,
    Suite,
    SuiteRelation,
    find_suite,
    read_suite,
    shipped_suites,
)
from mt_gate.tasks.table import TASKS

WHOLE, QUICK = "-default", "-quick"
_OF_OTHERS = f"/{KNOWN_ANSWER}"
"""End of the id of a relation whose originals are those of other relations."""
MARK = "quick"
"""The first word of the note on a quick suite, in results and reports."""


def quick_suites() -> dict[str, str]:
    """Return the names of the quick suites, each with the name of its whole suite."""
    return {
        f"{name.removesuffix(WHOLE)}{QUICK}": name
        for name in shipped_suites()
        if name.endswith(WHOLE)
    }


def open_suite(name_or_folder: str) -> Suite:
    """Read a built-in suite, a quick suite, or a user's suite. Raises UsageError: no such suite."""
    known = quick_suites()
    if name_or_folder in known:
        return quick(read_suite(SHIPPED / known[name_or_folder]))
    return read_suite(find_suite(name_or_folder, known))


def quick(suite: Suite) -> Suite:
    """Return a sample of a suite with a share of each relation and subtype.

    All relations choose their cases in the same order of sources. So they share sources, and one
    prediction on a source serves several relations.
    """
    seed, size = suite.head.seed, TASKS[suite.head.task].quick_part
    by_kind: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for group in suite.groups:
        if group.relation.endswith(_OF_OTHERS):  # the original is predicted anyway
            continue
        by_kind[group.relation, group.stratum].append((group.source, group.id))
    for source in suite.sources:
        for name in source.bind:
            by_kind[name, ""].append((source.id, source.id))

    def order(row: tuple[str, str]) -> tuple[bytes, str]:
        return hashlib.sha256(f"{seed}\0{row[0]}".encode()).digest(), row[1]

    drawn = set[tuple[str, str]]()
    for (name, _), rows in by_kind.items():
        most = max(size.least, math.ceil(size.share * len(rows)))
        drawn.update((name, row_id) for _, row_id in sorted(rows, key=order)[:most])
    edited = [group for group in suite.groups if (group.relation, group.id) in drawn]
    used = {name for group in edited for name in (group.source, group.second)}
    used |= {
        source.id
        for source in suite.sources
        if any((name, source.id) in drawn for name in source.bind)
    }
    groups = tuple(
        group
        for group in suite.groups
        if (group.relation, group.id) in drawn
        or (group.relation.endswith(_OF_OTHERS) and group.source in used)
    )
    sources = tuple(
        msgspec.structs.replace(source, bind=bind)
        for source in suite.sources
        if (bind := tuple(name for name in source.bind if (name, source.id) in drawn))
        or source.id in used
    )
    digest = hashlib.sha256(
        "\n".join(f"{name} {row_id}" for name, row_id in sorted(drawn)).encode()
    )
    words = (
        f"{MARK}, {count(len(groups))} of {count(len(suite.groups))} groups, "
        f"{count(len(sources))} of {count(len(suite.sources))} sources, seed {seed}, draw "
        f"{digest.hexdigest()[:12]}"
    )
    head = msgspec.structs.replace(
        suite.head,
        relations=tuple(_counted(relation, sources, groups) for relation in suite.head.relations),
    )
    return msgspec.structs.replace(
        suite, head=head, sources=sources, groups=groups, part=(*suite.part, words)
    )


def _counted(
    relation: SuiteRelation, sources: Sequence[Source], groups: Sequence[Group]
) -> SuiteRelation:
    if relation.bound:
        bound = sum(relation.id in source.bind for source in sources)
        return msgspec.structs.replace(relation, sources=bound)
    own = [group.source for group in groups if group.relation == relation.id]
    return msgspec.structs.replace(relation, groups=len(own), sources=len(set(own)))


def draw(suite: Suite, relations: Sequence[MetamorphicRelation], sources: int | None) -> Suite:
    """Return the suite with ``sources`` of its sources (None: all), and their cases.

    Sources without a case of a wanted relation are omitted. A sample is taken from the sources that
    have edited texts, if any; their known answers are included.
    """
    wanted = {relation.id for relation in relations}
    used, edited = (
        {group.source for group in suite.groups if group.relation in names}
        | {source.id for source in suite.sources if not names.isdisjoint(source.bind)}
        for names in (wanted, {name for name in wanted if not name.endswith(_OF_OTHERS)})
    )
    edited = edited or used
    of = sum(source.id in edited for source in suite.sources)
    chosen, words = used, suite.part
    if sources is not None and sources < of:
        ids = [source.id for source in suite.sources if source.id in edited]
        chosen = set(Random(suite.head.seed).sample(ids, sources))
        words = (*words, f"{sources} of {of} sources, seed {suite.head.seed}")
    groups = tuple(group for group in suite.groups if group.source in chosen)
    wanted_sources = chosen | {group.second for group in groups}
    return msgspec.structs.replace(
        suite,
        sources=tuple(source for source in suite.sources if source.id in wanted_sources),
        groups=groups,
        part=words,
    )


def part_of(suite: Suite, is_in: Callable[[str], bool]) -> Suite:
    """Return a shard of a suite: its clusters, and the second sources of their cases."""
    own = {s.id for s in suite.sources if is_in(s.cluster or s.id)}
    groups = tuple(group for group in suite.groups if group.source in own)
    seconds = {group.second for group in groups}
    sources = tuple(
        # Another shard runs the bound relations of this source.
        source if source.id in own else msgspec.structs.replace(source, bind=())
        for source in suite.sources
        if source.id in own or source.id in seconds
    )
    return msgspec.structs.replace(suite, sources=sources, groups=groups)
