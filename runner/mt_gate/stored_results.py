"""A stored result judged again, reported or recorded as a baseline; no checkpoint is needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from mt_gate import gate
from mt_gate.baselines.fitting import check_fits
from mt_gate.baselines.reading import read_baseline
from mt_gate.baselines.schema import baseline_path
from mt_gate.baselines.writing import build_baseline, check_recordable, record_alone, record_pair
from mt_gate.reporting.words.texts import relation_texts
from mt_gate.reporting.writers import badge, html, junit_xml, markdown, sarif
from mt_gate.results.out_folder import check_writable, emptied
from mt_gate.results.result import Result, RunSettings
from mt_gate.results.store import read_result, read_rows, shown
from mt_gate.settings.record import DECIDING, dashed
from mt_gate.settings.values import checked


def compare_stored(
    result_path: Path, baseline_path: Path, out: Path | None, given: Mapping[str, Any]
) -> Result:
    """Judge a stored result against a baseline; write the five files to ``out``, if any.

    Raises:
        UsageError: a setting outside what is allowed.
        CannotJudge: result or baseline missing, unreadable, or of different suites.
    """
    if out is None:
        return _compared(result_path, baseline_path, given).result
    check_writable(out)
    with emptied(out, keep=result_path.parent):
        run = _compared(result_path, baseline_path, given)
        return shown(result_path, lambda: gate.report(out, run)).result


def _compared(result_path: Path, baseline_path: Path, given: Mapping[str, Any]) -> gate.Run:
    result = read_result(result_path)
    baseline = read_baseline(baseline_path)
    check_fits(baseline, result.suite, baseline_path)
    rows = list(read_rows(result_path, result))
    result = msgspec.structs.replace(result, settings=_settings(result, given))
    return gate.judge(gate.Run(result, rows), baseline, baseline_path)


def _settings(result: Result, given: Mapping[str, Any]) -> RunSettings:
    """Return the result's own settings, with those that are given in their place."""
    changed = {
        name: checked(f"--{dashed(name)}", name, given[name])
        for name in DECIDING
        if given.get(name) is not None
    }
    return msgspec.structs.replace(result.settings, **changed)


def report_text(result_path: Path, kind: str) -> str:
    """Return one report of a stored result: html, junit, markdown, json, sarif or badge.

    Raises:
        CannotJudge: the result is missing or unreadable.
    """
    result = read_result(result_path)
    if kind == "json":
        return msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n"
    if kind == "badge":
        return badge.badge(result)
    if kind == "sarif":
        return sarif.sarif(result, relation_texts())
    rows = list(read_rows(result_path, result))
    write = {"html": html.report, "junit": junit_xml.junit, "markdown": markdown.summary}[kind]
    return shown(result_path, lambda: write(result, lambda: rows, relation_texts()))


def record_stored(
    result_path: Path, name: str, folder: Path, accept: str | None, answers: bool = True
) -> Path:
    """Record a stored result as a baseline and return its file.

    Args:
        result_path: of the ``result.json``; its groups lie next to it.
        name: of the baseline.
        folder: to write to.
        accept: why a run that is not good is recorded anyway.
        answers: whether what the checkpoint answered is kept next to the baseline.

    Raises:
        UsageError: a name that is no file name, a folder that cannot be written, or
            a result that needs a reason to be accepted.
        CannotJudge: the result is missing or unreadable.
    """
    path = baseline_path(folder, name)
    result = read_result(result_path)
    check_recordable(result, accept)
    rows = list(read_rows(result_path, result))
    baseline = build_baseline(result, rows, name=name, recorded=result.created, accept=accept)
    if answers:
        record_pair(path, baseline, rows)
    else:
        record_alone(path, baseline)
    return path
