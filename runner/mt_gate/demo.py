"""The demo: runs of small checkpoints from a separate package, with real regressions.

They are trained by ``benchmarks/train_demo_ner.py``, ``train_demo_boolq.py``,
``train_demo_re.py`` and ``train_demo_text.py``.
"""

from __future__ import annotations

from pathlib import Path

from mt_gate import gate
from mt_gate.base.console import Say
from mt_gate.base.errors import UsageError
from mt_gate.baselines.writing import RunToRecord, build_baseline, record_pair
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.relations.catalogue import relations_of
from mt_gate.results.store import Run, check_writable
from mt_gate.running.predicting import Progress
from mt_gate.settings.record import Settings
from mt_gate.tasks.spec import Demo, TaskSpec
from mt_gate.tasks.table import TASKS

CHECKPOINTS = Path(__file__).parent / "checkpoints"
"""Folder of the checkpoints: from the package ``mt-gate-demo`` (``runner/demo``), or a checkout."""


_CANDIDATE = "candidate"


def run_demo(out: Path, say: Say, progress: Progress) -> list[Run]:
    """Record each task's baseline checkpoint, judge its candidate, write the reports.

    The demo does not use the user's cache, so that it computes all that it shows.

    Raises UsageError: the checkpoints are not installed, or nothing can be written to ``out``.
    """
    if not CHECKPOINTS.is_dir():
        raise UsageError(
            f"The demo's checkpoints are not installed ({CHECKPOINTS} has none). Install them: "
            "pip install 'mt-gate[demo]'"
        )
    check_writable(out)
    return [
        _judged(spec, part, folder_of(out, spec, part.suite), say, progress)
        for spec in TASKS.values()
        for part in (spec.demo, spec.second_demo)
        if part
    ]


def _judged(spec: TaskSpec, part: Demo, out: Path, say: Say, progress: Progress) -> Run:
    baseline = out / "baseline.json"
    baseline.unlink(missing_ok=True)
    baseline_settings = _settings(spec, part, part.baseline, None, out / "baseline")
    say(f"{spec.id}: running {baseline_settings.suite} on the baseline checkpoint")
    first = gate.run(baseline_settings, say, progress)
    recorded = RunToRecord(first.result, verdicts_from_rows(first.rows))
    built = build_baseline([recorded], name="baseline", accept="the demo")
    record_pair(baseline, built, first.rows)
    say(f"{spec.id}: running it against the candidate")
    baseline_settings = _settings(spec, part, part.candidate, baseline, out / _CANDIDATE)
    return gate.run(baseline_settings, say, progress)


def folder_of(out: Path, spec: TaskSpec, suite: str) -> Path:
    """Return the folder of a demo: the task's, or the suite's for its second demo."""
    second = spec.second_demo is not None and spec.second_demo.suite == suite
    return out / (suite if second else spec.id)


def reports_of(out: Path, run: Run) -> Path:
    """Return where the reports of a run's candidate are."""
    suite = run.result.suite
    return folder_of(out, TASKS[suite.task], suite.name) / _CANDIDATE


def _settings(
    spec: TaskSpec, part: Demo, checkpoint: str, baseline: Path | None, out: Path
) -> Settings:
    built = tuple(relation.id for relation in relations_of(spec.id) if not relation.at_run_time)
    return Settings(
        checkpoint=str(CHECKPOINTS / checkpoint),
        task=spec.id,
        suite=part.suite or spec.default_suite,
        baseline=baseline,
        relations=() if part.at_run_time else built,
        sources=part.sources,
        label_map=part.label_map,
        out=out,
        device="cpu",
        cache=out / "cache",
    )
