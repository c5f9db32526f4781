"""Commands over stored results and baselines, without a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from mt_gate import gate, settings
from mt_gate.baseline_store import (
    baseline_path,
    build_baseline,
    check_fits,
    check_recordable,
    diff_baselines,
    read_baseline,
    write_baseline,
)
from mt_gate.reporting import figures, html, junit_xml, markdown
from mt_gate.reporting.identity import NO_FINGERPRINT, runtime_text
from mt_gate.result import Result, RunSettings
from mt_gate.result_store import read_result, read_rows

LISTED = 20
_DECIDING = (
    "alpha",
    "margin",
    "strict",
    "max_applicability_loss",
    "max_violation_rate",
    "must_hold",
)


def compare_stored(
    result_path: Path, baseline_path: Path, out: Path | None, given: Mapping[str, Any]
) -> Result:
    """Judge a stored result against a baseline; write the five files to ``out``, if any.

    Raises:
        UsageError: a setting outside what is allowed.
        CannotJudge: result or baseline missing, unreadable, or of different suites.
    """
    result = read_result(result_path)
    baseline = read_baseline(baseline_path)
    check_fits(baseline, result.suite, baseline_path)
    result = msgspec.structs.replace(result, settings=_settings(result, given))
    if out is not None:
        gate.check_writable(out)
    run = gate.compared(gate.Run(result, list(read_rows(result_path))), baseline, baseline_path)
    if out is not None:
        gate.write_files(out, run)
    return run.result


def _settings(result: Result, given: Mapping[str, Any]) -> RunSettings:
    """Return the result's own settings, with what is given in their place."""
    known = {"checkpoint": result.checkpoint.name or "?", "task": result.suite.task}
    changed = {name: value for name, value in given.items() if value is not None}
    checked = settings.load({**known, **changed}, None)
    return msgspec.structs.replace(
        result.settings, **{name: getattr(checked, name) for name in changed if name in _DECIDING}
    )


def report_text(result_path: Path, kind: str) -> str:
    """Return one report of a stored result: html, junit, markdown or json.

    Raises:
        CannotJudge: the result is missing or unreadable.
    """
    result = read_result(result_path)
    if kind == "json":
        return msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n"
    rows = list(read_rows(result_path))
    write = {"html": html.report, "junit": junit_xml.junit, "markdown": markdown.summary}[kind]
    return write(result, lambda: rows, gate.TEXTS)


def record_stored(result_path: Path, name: str, folder: Path, accept: str | None) -> Path:
    """Record a stored result as a baseline and return its file.

    Raises:
        UsageError: a name that is no file name, a folder that cannot be written, or
            a result that needs a reason to be accepted.
        CannotJudge: the result is missing or unreadable.
    """
    path = baseline_path(folder, name)
    result = read_result(result_path)
    check_recordable(result, accept)
    baseline = build_baseline(
        result, read_rows(result_path), name=name, recorded=result.created, accept=accept
    )
    write_baseline(path, baseline)
    return path


def baseline_text(path: Path) -> str:
    """Return what a baseline holds, in a few lines."""
    baseline = read_baseline(path)
    head = baseline.checkpoint
    lines = [
        f"{path}: baseline {baseline.name}, recorded {baseline.recorded}",
        f"suite       {baseline.suite.name} {baseline.suite.version} "
        f"({baseline.suite.sha256[:12]})",
        f"checkpoint  {head.name} ({head.fingerprint[:19] or NO_FINGERPRINT}), "
        f"{runtime_text(head.runtime)}",
    ]
    if baseline.accept:
        lines.append(f"accepted    {baseline.accept}")
    for relation in baseline.relations:
        rate = relation.violated / relation.applicable if relation.applicable else None
        lines.append(
            f"{relation.id:28} {relation.violated:6d} of {relation.applicable:6d} violated  "
            f"{figures.percent(rate)}"
        )
    return "\n".join(lines)


def diff_text(a: Path, b: Path) -> str:
    """Return what changed from baseline ``a`` to baseline ``b``, a relation at a time."""
    diff = diff_baselines(read_baseline(a), read_baseline(b))
    lines = [f"from {a} to {b}"]
    if not diff.same_suite:
        lines.append("the two are of different suites: only groups that both hold are compared")
    for item in diff.relations:
        before, after = item.rates
        lines.append(
            f"{item.id:28} {figures.percent(before)} -> {figures.percent(after)}; "
            f"{len(item.newly_violated)} newly violated, {len(item.fixed)} fixed; "
            f"judged in one only: {item.only_a} and {item.only_b}"
        )
        lines += _listed("+", item.newly_violated) + _listed("-", item.fixed)
    return "\n".join(lines)


def _listed(mark: str, groups: Sequence[str]) -> list[str]:
    shown = [f"  {mark} {group}" for group in groups[:LISTED]]
    left = len(groups) - len(shown)
    return [*shown, f"  {mark} and {left} more"] if left else shown
