"""Add written pairs to a suite, and remove cases that reviewers rejected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from mt_gate.base.figures import counted
from mt_gate.domain import Group, Source
from mt_gate.relations.base import is_known_answer
from mt_gate.suites.format import (
    Corpus,
    Suite,
    SuiteFile,
    SuiteRelation,
    find_suite,
    read_suite,
    with_known_answers,
)
from mt_gate.tasks.table import TASKS
from mt_gate_suites.build import write_whole_suite
from mt_gate_suites.builder_api import Say
from mt_gate_suites.own.pairs import read_pairs
from mt_gate_suites.recipe import ids_in

WRITTEN = "written"
"""Subtype of added cases whose line names none."""


def extend_suite(
    name: str,
    files: tuple[Path, ...],
    out: Path,
    say: Say,
    *,
    licence: str,
    rejected: Path | None = None,
) -> SuiteFile:
    """Write the next version of a suite: its cases, and those of pairs files.

    Args:
        name: of a built-in suite, or a folder with one.
        files: of pairs; their relations are those of the suite, or have an output.
        out: the new suite's folder.
        say: reports what was added and removed.
        licence: of sources whose line names no corpus of the suite as their origin.
        rejected: file of which each line begins with the id of a case or source to omit.

    Raises:
        UsageError: a line is not as expected; nothing is written.
        CannotJudge: the suite is unreadable.
    """
    without = ids_in(rejected) if rejected else frozenset()
    base = read_suite(find_suite(name))
    pairs = read_pairs(files, TASKS[base.head.task], base)
    old = {group.id for group in base.groups}
    groups = [
        group if group.id in old or group.stratum else replace(group, stratum=WRITTEN)
        for group in pairs.groups
        if not {group.id, group.source} & without
    ]
    place = {relation.id: at for at, relation in enumerate(pairs.relations)}
    groups.sort(key=lambda group: place[group.relation])
    used = {group.source for group in groups}
    sources = [
        source
        for source in _in_clusters(base, pairs.sources)
        if source.id not in without
        and (source.id in used or source.bind or source.gold is not None)
    ]
    added = sum(group.id not in old for group in groups)
    removed = len(base.groups) - (len(groups) - added)
    say(f"{base.head.name}: {counted(added, 'case')} added, {removed:,} removed")
    head = replace(
        base.head,
        version=_next_version(base.head.version),
        relations=tuple(_counted(relation, base, groups, sources) for relation in pairs.relations),
        sources=tuple(_corpora(base, sources, licence)),
    )
    says = next((one.says for one in base.head.relations if is_known_answer(one.id)), "")
    return write_whole_suite(with_known_answers(head, sources, says), sources, groups, out)


def _next_version(version: str) -> str:
    number = re.match(r"\d{1,9}", version)
    return str(int(number[0]) + 1) if number else f"{version}-2"


def _in_clusters(base: Suite, sources: Iterable[Source]) -> Iterable[Source]:
    """Yield the sources; a new one shares the cluster of an earlier one with its longest text."""
    task, old = TASKS[base.head.task], {source.id for source in base.sources}
    first: dict[str, str] = {}
    for source in sources:
        longest = max((source.input[name] for name in task.names(source.input)), key=len)
        cluster = first.setdefault(longest, source.cluster or source.id)
        yield (
            source if source.id in old or cluster == source.id else replace(source, cluster=cluster)
        )


def _counted(
    relation: SuiteRelation, base: Suite, groups: Iterable[Group], sources: Iterable[Source]
) -> SuiteRelation:
    """Return a relation with its counts; a review covers only the cases that it was made of."""
    if relation.bound:
        return replace(relation, sources=sum(relation.id in source.bind for source in sources))
    own = {group.id: group.source for group in groups if group.relation == relation.id}
    same = {group.id for group in base.groups if group.relation == relation.id} == own.keys()
    return replace(
        relation,
        groups=len(own),
        sources=len({*own.values()}),
        precision=relation.precision if same else None,
    )


def _corpora(base: Suite, sources: Iterable[Source], licence: str) -> Iterable[Corpus]:
    taken = Counter(source.origin for source in sources)
    known = {corpus.name: corpus for corpus in base.head.sources}
    for name in (*known, *sorted(taken.keys() - known.keys())):
        corpus = known.get(name) or Corpus(
            name=name, licence=licence, attribution="as its owner states", sentences=0
        )
        yield replace(corpus, sentences=taken[name])
