"""What ``mt-gate evaluate`` is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.errors import UsageError
from mt_gate.evaluating.records import EVALUATION
from mt_gate.settings import Settings, load
from mt_gate.tasks import relation_extraction

_OWN = ("baseline", "record_missing")
"""Settings that stand in ``mt-gate.toml`` for a run; an evaluation takes them as flags only."""


class Request(NamedTuple):
    """What to evaluate. ``baseline`` is an evaluation's, not a run's.

    ``mapping`` is a table of labels; ``distant`` says that a plain ``relation``
    is of distant supervision: both of task ``re`` alone.
    """

    settings: Settings
    labels: Path
    result: Path | None = None
    baseline: Path | None = None
    record_missing: bool = False
    mapping: Path | None = None
    distant: bool = False


def request_of(
    given: Mapping[str, Any],
    config: Path | None,
    *,
    labels: Path,
    result: Path | None,
    mapping: Path | None = None,
    distant: bool = False,
) -> Request:
    """Return the request that flags and ``mt-gate.toml`` make.

    Raises:
        UsageError: a setting outside what is allowed.
    """
    checked = load(given, config)
    baseline, record_missing = (given.get(name) for name in _OWN)
    if record_missing and baseline is None:
        raise UsageError("--record-missing: no --baseline to record; name its file")
    own = checked.baseline if baseline is not None else None
    if own is not None and own.resolve() == (checked.out / EVALUATION).resolve():
        raise UsageError(
            f"--baseline {own}: this evaluation would be written over it; name another --out"
        )
    if checked.task != relation_extraction.ID and (mapping is not None or distant):
        flag = "--distant" if mapping is None else f"--mapping {mapping}"
        raise UsageError(f"{flag}: of task re alone, this is {checked.task}; leave it out")
    return Request(checked, labels, result, own, bool(record_missing), mapping, distant)
