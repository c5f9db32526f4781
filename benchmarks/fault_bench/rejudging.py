"""A benchmark's candidates judged with other rules, from stored verdicts, without new runs.

By larger margins, and by a baseline of several runs
of the reference's recipe, which shows how far such runs differ. Those are candidates of the
choosing half, the first by strength of a kind that is harmless; they are judged by no baseline
that they are part of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from fault_bench.faults import Half
from fault_bench.kept_verdicts import as_judged
from fault_bench.records import CandidateRecord, ReferenceRecord, kept_verdicts
from mt_gate.base import figures
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import RunVerdicts
from mt_gate.results.result import RunSettings, is_loss

RUNS = 3
MARGINS = (0.02, 0.03)
"""Larger than the one that the bench was judged by, which come after it in this order."""


class Rejudging(NamedTuple):
    """Ways to judge, by name, and which candidates each calls a loss.

    ``caught`` has for each candidate the ways that it was judged in; ``runs`` are the candidates
    that are the baseline of the last way, empty where there are too few for it.
    """

    ways: tuple[str, ...]
    caught: Mapping[str, Mapping[str, bool]]
    runs: tuple[str, ...]


def rejudged(
    folder: Path, reference: ReferenceRecord, records: Sequence[CandidateRecord]
) -> Rejudging:
    """Judge candidates again.

    Args:
        folder: of the study.
        reference: of the study.
        records: its candidates; those without a verdict, or whose verdicts cannot be read, are
            not judged.
    """
    settings = reference.settings
    runs = _runs(folder, records)
    margins = [margin for margin in MARGINS if margin > settings.margin]
    by_margin = {_by_margin(margin): margin for margin in (settings.margin, *margins)}
    by_runs = f"{len(runs)} runs, margin {figures.size_in_points(settings.margin)}"
    before = as_judged(reference.verdicts)
    caught: dict[str, dict[str, bool]] = {}
    for record in records:
        name, verdicts = record.fault.name, kept_verdicts(folder, record)
        if record.gate is None or verdicts is None:
            continue
        found = caught[name] = {}
        lost = record.gate.caught
        for way, margin in by_margin.items():
            # What is no loss by a margin is none by a larger one.
            if lost and margin > settings.margin:
                lost = _is_loss(verdicts, [before], settings, margin)
            found[way] = lost
        if runs and name not in runs:
            found[by_runs] = _is_loss(verdicts, [*runs.values()], settings, settings.margin)
    judged = {way for found in caught.values() for way in found}
    ways = tuple(way for way in (*by_margin, by_runs) if way in judged)
    return Rejudging(ways, caught, tuple(runs))


def _by_margin(margin: float) -> str:
    return f"one run, margin {figures.size_in_points(margin)}"


def _runs(folder: Path, records: Sequence[CandidateRecord]) -> dict[str, RunVerdicts]:
    """Return the runs of a baseline by name, none where there are not enough."""
    fit = sorted(
        (
            record
            for record in records
            if record.fault.harmless and record.fault.half is Half.DEVELOPMENT and record.gate
        ),
        key=lambda record: (record.fault.kind, record.fault.strength),
    )
    read = [(record.fault.name, kept_verdicts(folder, record)) for record in fit[:RUNS]]
    found = {name: verdicts for name, verdicts in read if verdicts is not None}
    return found if len(found) == RUNS else {}


def _is_loss(
    verdicts: RunVerdicts, baselines: Sequence[RunVerdicts], settings: RunSettings, margin: float
) -> bool:
    by = msgspec.structs.replace(settings, margin=margin)
    return is_loss(compare(verdicts, baselines, by).verdict)
