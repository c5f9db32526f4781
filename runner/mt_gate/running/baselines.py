"""The baseline of a run, and whether it is of the very suite and groups that are asked."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.fitting import Units, check_covers, check_fits
from mt_gate.baselines.naming import check_name
from mt_gate.baselines.reading import BaselineSource, parse_baseline, read_baseline
from mt_gate.baselines.schema import Baseline
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.results.old_reports import NAMES
from mt_gate.results.out_folder import check_writable
from mt_gate.running.loading import is_complete
from mt_gate.settings.record import Settings
from mt_gate.suites.format import Suite
from mt_gate.tasks.table import TASKS


def load_baseline(
    settings: Settings,
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    source: BaselineSource,
) -> Baseline | None:
    """Read the baseline; None where none is asked for, or it is to be recorded.

    Args:
        settings: of the run; they name the file.
        suite: of the run.
        relations: of the run.
        source: what stands in for the file, if anything does.

    Raises:
        CannotJudge: missing, unreadable, or of another suite, task or groups.
    """
    path = settings.baseline
    if path is None:
        return None
    if source.data is None and settings.record_missing and not os.path.exists(path):
        if settings.relations:
            raise UsageError(
                "--record-missing with --relations would record a part of the suite; omit one of "
                "them"
            )
        _check_recordable(path, settings.out)
        return None
    name = named(path, source)
    baseline = read_baseline(path) if source.data is None else parse_baseline(source.data, name)
    if not TASKS[suite.head.task].needs_ontology:  # what its labels mean is not known yet
        check_baseline(baseline, suite, relations, name)
    return baseline


def _check_recordable(path: Path, out: Path) -> None:
    """Refuse, before anything is asked, a place where a baseline could not be recorded."""
    check_name(path.stem)
    if path.name in NAMES and os.path.realpath(path.parent) == os.path.realpath(out):
        raise UsageError(
            f"--baseline {path}: a report of the run in --out {out}; name another file, or another "
            "folder"
        )
    check_writable(path.parent, f"--baseline {path}")


def check_baseline(
    baseline: Baseline, suite: Suite, relations: Sequence[MetamorphicRelation], name: str
) -> None:
    """Check a baseline against the suite, before anything is asked.

    Raises:
        CannotJudge: it is of another suite, lacks a relation of the run, or has other groups.
    """
    check_fits(baseline, suite.identity, name)
    recorded = baseline.settings
    if recorded.complete != is_complete(recorded.relations, suite):
        raise CannotJudge(
            f"{name}: says that its run was {'whole' if recorded.complete else 'partial'}, of "
            f"{', '.join(recorded.relations)[:200] or 'no relation'}; suite {suite.head.name} has "
            f"{', '.join(relation.id for relation in suite.head.relations)[:200]}; record a new "
            "baseline with mt-gate baseline record"
        )
    check_covers(baseline, _units(relations, suite), name)


def _units(relations: Sequence[MetamorphicRelation], suite: Suite) -> dict[str, Units]:
    """Return what a run counts each relation in, as the suite has it."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for group in suite.groups:
        ids[group.relation].add(group.id)
    found = {}
    for relation in relations:
        if relation.at_run_time:
            binding = (source for source in suite.sources if relation.id in source.bind)
            own = {source.cluster or source.id for source in binding}
        else:
            own = ids[relation.id]
        found[relation.id] = Units(relation.at_run_time, own)
    return found


def named(path: Path, source: BaselineSource) -> str:
    """Return what messages call the baseline: its file, and the commit it was read from."""
    return f"{path} of base commit {source.commit[:7]}" if source.commit else str(path)
