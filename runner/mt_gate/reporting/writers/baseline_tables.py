"""Baselines as a person sees them in a terminal or a build log."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.baselines.anchoring import named
from mt_gate.baselines.diff import BaselineDiff, RelationDiff
from mt_gate.baselines.schema import Baseline, BaselineRelation, BaselineRun
from mt_gate.reporting.table import Table, show_labelled, show_lines, show_table
from mt_gate.results.result import NO_FINGERPRINT, runtime_text
from mt_gate.settings.policy import Tier

LISTED = 20
"""Groups of a relation that are named, of those newly violated and of those fixed."""

_LONGEST_ID = 60
_FINGERPRINT = 19


def show_baseline(path: Path, baseline: Baseline, stream: TextIO | None = None) -> None:
    """Print what a baseline holds; to standard output if no stream is given."""
    stream = stream or sys.stdout
    suite, runs, anchor = baseline.suite, baseline.runs, baseline.anchor
    show_lines([f"{path}: baseline {baseline.name}, recorded {baseline.recorded}"], stream)
    of_anchor = f"{named(anchor)}, {figures.counted(len(anchor.runs), 'run')}" if anchor else ""
    labelled = [
        ("suite", f"{suite.name} {suite.version} ({suite.sha256[:12]})"),
        *_who_answered(runs),
        ("accepted", baseline.accept or ""),
        ("tiers", _tiers(baseline)),
        ("anchor", of_anchor),
    ]
    show_labelled(labelled, stream)
    show_lines([""], stream)
    if len(runs) == 1:
        head: list[str] = ["violated", "applicable", "rate"]
        rows = [_measured(relation) for relation in baseline.first.relations]
    else:
        head = [*(f"run {number}" for number in range(1, len(runs) + 1)), "mean"]
        rows = [_rates(one) for one in zip(*(run.relations for run in runs), strict=True)]
    show_table(Table("w" + "r" * len(head), ["relation", *head], rows), stream)


def show_diff(a: Path, b: Path, diff: BaselineDiff, stream: TextIO | None = None) -> None:
    """Print what changed from baseline ``a`` to ``b``; to standard output if no stream is given.

    At most ``LISTED`` groups a relation and direction are named, the others counted.
    """
    stream = stream or sys.stdout
    show_lines([f"A  {a}", f"B  {b}"], stream)
    if not diff.same_suite:
        note = "  - the two are of different suites: only groups that both have are compared"
        show_lines([note], stream)
    if max(len(diff.a.runs), len(diff.b.runs)) > 1:
        show_lines(["  - of several runs the first is compared"], stream)
    show_lines([""], stream)
    head = ("relation", "before", "after", "newly violated", "fixed", "only A", "only B")
    show_table(Table("wrrrrrr", head, [_moved(item) for item in diff.relations]), stream)
    for item in diff.relations:
        listed = [*_listed("+", item.newly_violated), *_listed("-", item.fixed)]
        if listed:
            show_lines(["", f"{item.id}: + newly violated, - fixed", *listed], stream)


def _who_answered(runs: Sequence[BaselineRun]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each run's checkpoint, and of what computed it."""
    for number, run in enumerate(runs, 1):
        fingerprint = run.checkpoint.fingerprint[:_FINGERPRINT] or NO_FINGERPRINT
        checkpoint = f"{run.checkpoint.name} ({fingerprint})"
        runtime = runtime_text(run.checkpoint.runtime)
        if len(runs) == 1:
            yield from (("checkpoint", checkpoint), ("run on", runtime))
        else:
            yield f"run {number}", f"{checkpoint}, on {runtime}"


def _tiers(baseline: Baseline) -> str:
    """Return the relations of its runs that do not block, by tier."""
    policy = baseline.settings.policy
    found = {
        tier: [of.id for of in baseline.first.relations if policy.tier(of.id) is tier]
        for tier in (Tier.WARN, Tier.REPORT)
    }
    return "; ".join(f"{tier}: {', '.join(ids)}" for tier, ids in found.items() if ids)


def _measured(relation: BaselineRelation) -> Sequence[str]:
    counts = map(figures.count, (relation.violated, relation.applicable))
    return (shorten(relation.id, _LONGEST_ID), *counts, figures.percent(relation.rate))


def _rates(relations: Sequence[BaselineRelation]) -> Sequence[str]:
    """Return one relation's violation rate in each run, and their mean."""
    rates = [relation.rate for relation in relations]
    known = [rate for rate in rates if rate is not None]
    mean = math.fsum(known) / len(known) if known else None
    return (shorten(relations[0].id, _LONGEST_ID), *map(figures.percent, (*rates, mean)))


def _moved(item: RelationDiff) -> Sequence[str]:
    counts = (len(item.newly_violated), len(item.fixed), item.only_a, item.only_b)
    rates = map(figures.percent, item.rates)
    return (shorten(item.id, _LONGEST_ID), *rates, *map(figures.count, counts))


def _listed(mark: str, groups: Sequence[str]) -> Iterator[str]:
    yield from (f"  {mark} {group}" for group in sorted(groups)[:LISTED])
    if len(groups) > LISTED:
        yield f"  {mark} and {len(groups) - LISTED} more"
