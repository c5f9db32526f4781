"""What ``mt-gate evaluate`` is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import UsageError
from mt_gate.base.lazy import resolve
from mt_gate.baselines.recording import check_missing
from mt_gate.evaluating.labelled import evaluation_of
from mt_gate.evaluating.records import EVALUATION
from mt_gate.evaluating.relation_labels import OWN, LabelFormat
from mt_gate.settings.loading import load
from mt_gate.settings.record import Settings
from mt_gate.tasks.table import listed

_OWN = ("baseline", "record_missing")
"""Settings that stand in ``mt-gate.toml`` for a run; an evaluation takes them as flags only."""


class EvaluationRequest(NamedTuple):
    """What to evaluate. ``baseline`` is an evaluation's, not a run's.

    ``mapping`` is a table of labels, ``reading`` the form of the labelled file: both of
    tasks alone whose ``TaskEvaluation`` has a ``part``.
    """

    settings: Settings
    labels: Path
    result: Path | None = None
    baseline: Path | None = None
    record_missing: bool = False
    mapping: Path | None = None
    reading: LabelFormat = LabelFormat()


def request_of(
    given: Mapping[str, Any],
    config: Path | None,
    *,
    labels: Path,
    result: Path | None,
    mapping: Path | None = None,
    reading: LabelFormat = LabelFormat(),  # noqa: B008 - immutable
) -> EvaluationRequest:
    """Return the request that flags and ``mt-gate.toml`` make.

    Raises:
        UsageError: a setting outside what is allowed.
    """
    checked = load(given, config)
    baseline, record_missing = (given.get(name) for name in _OWN)
    check_missing(record_missing, baseline)
    own = checked.baseline if baseline is not None else None
    if own is not None and own.resolve() == (checked.out / EVALUATION).resolve():
        raise UsageError(
            f"--baseline {own}: this evaluation would be written over it; name another --out"
        )
    if evaluation_of(checked.task).part is None:
        _check_unasked(checked.task, mapping, reading)
    return EvaluationRequest(checked, labels, result, own, bool(record_missing), mapping, reading)


def _check_unasked(task: str, mapping: Path | None, reading: LabelFormat) -> None:
    asked = {
        "--mapping": mapping is not None,
        "--format": reading.form != OWN,
        "--patch": reading.patch is not None,
        "--distant": reading.distant,
    }
    for flag, given in asked.items():
        if given:
            known = listed(lambda spec: spec.evaluation and resolve(spec.evaluation).part)
            raise UsageError(f"{flag}: of task {known} alone, this is {task}; omit it")
