"""Baselines as a person sees them in a terminal or a build log."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.baselines.anchoring import named
from mt_gate.baselines.diff import BaselineDiff, RelationDiff
from mt_gate.baselines.schema import Baseline, BaselineRelation, BaselineRun
from mt_gate.reporting.words.console import (
    WIDTH,
    bare_table,
    console,
    encodable,
    folded,
    labelled,
    print_table,
    room_for_titles,
    wrapped,
)
from mt_gate.results.result import NO_FINGERPRINT, runtime_text
from mt_gate.settings.policy import Tier

LISTED = 20
"""Groups of a relation that are named, of those newly violated and of those fixed."""

_LONGEST_ID = 60
_FINGERPRINT = 19
_HELD = ("violated", "applicable", "rate")
_MOVED = ("before", "after", "newly violated", "fixed", "only A", "only B")

Row = tuple[str, Sequence[str]]


def show_baseline(path: Path, baseline: Baseline, stream: TextIO | None = None) -> None:
    """Print what a baseline holds; to standard output if no stream is given."""
    stream = stream or sys.stdout
    suite, runs, anchor = baseline.suite, baseline.runs, baseline.anchor
    told = {
        "suite": f"{suite.name} {suite.version} ({suite.sha256[:12]})",
        **_who_answered(runs),
        "accepted": baseline.accept or "",
        "tiers": _tiers(baseline),
        "anchor": f"{named(anchor)}, {figures.counted(len(anchor.runs), 'run')}" if anchor else "",
    }
    _print_lines([f"{path}: baseline {baseline.name}, recorded {baseline.recorded}"], stream)
    _print_labelled(told, stream)
    _print_lines([""], stream)
    if len(runs) == 1:
        _print_table(_HELD, [_held(relation) for relation in baseline.first.relations], stream)
        return
    columns = [*(f"run {number}" for number in range(1, len(runs) + 1)), "mean"]
    by_relation = zip(*(run.relations for run in runs), strict=True)
    _print_table(columns, [_rates(relations) for relations in by_relation], stream)


def show_diff(a: Path, b: Path, diff: BaselineDiff, stream: TextIO | None = None) -> None:
    """Print what changed from baseline ``a`` to ``b``; to standard output if no stream is given.

    At most ``LISTED`` groups a relation and direction are named, the others counted.
    """
    stream = stream or sys.stdout
    _print_lines([f"A  {a}", f"B  {b}"], stream)
    if not diff.same_suite:
        note = "  - the two are of different suites: only groups that both have are compared"
        _print_lines([note], stream)
    if max(len(diff.a.runs), len(diff.b.runs)) > 1:
        _print_lines(["  - of several runs the first is compared"], stream)
    _print_lines([""], stream)
    _print_table(_MOVED, [_moved(item) for item in diff.relations], stream)
    for item in diff.relations:
        listed = [*_listed("+", item.newly_violated), *_listed("-", item.fixed)]
        if listed:
            _print_lines(["", f"{item.id}: + newly violated, - fixed", *listed], stream)


def _who_answered(runs: Sequence[BaselineRun]) -> dict[str, str]:
    """Return label and text of each run's checkpoint, and of what computed it."""
    told = [
        (
            f"{run.checkpoint.name} "
            f"({run.checkpoint.fingerprint[:_FINGERPRINT] or NO_FINGERPRINT})",
            runtime_text(run.checkpoint.runtime),
        )
        for run in runs
    ]
    if len(told) == 1:
        return dict(zip(("checkpoint", "run on"), told[0], strict=True))
    return {f"run {number}": ", on ".join(texts) for number, texts in enumerate(told, 1)}


def _tiers(baseline: Baseline) -> str:
    """Return the relations of its runs that do not block, by tier."""
    policy = baseline.settings.policy
    found = {
        tier: [of.id for of in baseline.first.relations if policy.tier(of.id) is tier]
        for tier in (Tier.WARN, Tier.REPORT)
    }
    return "; ".join(f"{tier}: {', '.join(ids)}" for tier, ids in found.items() if ids)


def _held(relation: BaselineRelation) -> Row:
    counts = (relation.violated, relation.applicable)
    return relation.id, (*map(figures.count, counts), figures.percent(relation.rate))


def _rates(relations: Sequence[BaselineRelation]) -> Row:
    """Return one relation's violation rate in each run, and their mean."""
    rates = [relation.rate for relation in relations]
    known = [rate for rate in rates if rate is not None]
    mean = math.fsum(known) / len(known) if known else None
    return relations[0].id, tuple(map(figures.percent, (*rates, mean)))


def _moved(item: RelationDiff) -> Row:
    counts = (len(item.newly_violated), len(item.fixed), item.only_a, item.only_b)
    return item.id, (*map(figures.percent, item.rates), *map(figures.count, counts))


def _listed(mark: str, groups: Sequence[str]) -> Iterator[str]:
    yield from (f"  {mark} {group}" for group in groups[:LISTED])
    if len(groups) > LISTED:
        yield f"  {mark} and {len(groups) - LISTED} more"


def _print_lines(lines: Sequence[str], stream: TextIO) -> None:
    encode, where = encodable(stream), console(stream)
    for line in lines:
        print(wrapped(encode(line), where), file=stream)


def _print_labelled(told: Mapping[str, str], stream: TextIO) -> None:
    encode, where = encodable(stream), console(stream)
    for label, text in told.items():
        if text:
            print(labelled(label, encode(text), where), file=stream)


def _print_table(names: Sequence[str], rows: Sequence[Row], stream: TextIO) -> None:
    encode, where = encodable(stream), console(stream)
    titles = [shorten(encode(title), _LONGEST_ID) for title, _ in rows]
    columns = zip(names, *(cells for _, cells in rows), strict=True)
    widths = [max(map(len, column)) for column in columns]
    room, gap = room_for_titles(max(where.width, WIDTH), titles, widths)
    table = bare_table(gap)
    table.add_column("relation", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for title, (_, cells) in zip(titles, rows, strict=True):
        table.add_row(folded(title, room), *cells)
    print_table(where, table)
