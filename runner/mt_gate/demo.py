"""The demo: small checkpoints that the package carries, and honest regressions.

How they were made: ``benchmarks/train_demo_ner.py``, ``benchmarks/train_demo_boolq.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mt_gate import gate
from mt_gate.baselines.recording import record_pair
from mt_gate.baselines.store import build_baseline
from mt_gate.relations.catalogue import relations_of
from mt_gate.results.result import GateVerdict, Result
from mt_gate.running.predicting import Progress
from mt_gate.settings.record import Settings

CHECKPOINTS = Path(__file__).parent / "checkpoints"


class Part(NamedTuple):
    """What of a task's suite the demo runs, so that all of it takes about a minute."""

    task: str
    relations: tuple[str, ...]
    sources: int | None


# Names that change places are half of what ner-default asks, and questions are long.
PARTS = (
    Part("ner", tuple(r.id for r in relations_of("ner") if not r.at_run_time), None),
    Part("boolq", (), 400),
    Part("re", (), 2000),
)


def run_demo(out: Path, say: gate.Say, progress: Progress) -> list[Result]:
    """Record each task's baseline checkpoint, judge its candidate, write the reports.

    Nothing is taken from, or left in, the user's cache: what the demo shows, it computed.
    """
    gate.check_writable(out)
    return [_task(part, out / part.task, say, progress) for part in PARTS]


def _task(part: Part, out: Path, say: gate.Say, progress: Progress) -> Result:
    baseline = out / "baseline.json"
    baseline.unlink(missing_ok=True)
    say(f"{part.task}: running {part.task}-default against the baseline checkpoint")
    first = gate.run(_settings(part, "baseline", None, out), say, progress)
    kept = build_baseline(
        first.result, first.rows, name="baseline", recorded=first.result.created, accept="the demo"
    )
    record_pair(baseline, kept, first.rows)
    say(f"{part.task}: running it against the candidate: the same model, trained on")
    return gate.run(_settings(part, "candidate", baseline, out), say, progress).result


def afterword(out: Path, results: list[Result]) -> list[str]:
    """Return what to say when the tables have been shown."""
    lines = [f"report: {out / r.suite.task / 'candidate' / 'report.html'}" for r in results]
    worse = [r.suite.task for r in results if r.verdict is GateVerdict.REGRESSION]
    if worse:
        lines.append(f"regressions ({', '.join(worse)}): as gates, these runs would exit with 1")
    return lines


def _settings(part: Part, which: str, baseline: Path | None, out: Path) -> Settings:
    return Settings(
        checkpoint=str(CHECKPOINTS / f"{part.task}-{which}"),
        task=part.task,
        suite=f"{part.task}-default",
        baseline=baseline,
        relations=part.relations,
        sources=part.sources,
        out=out / which,
        device="cpu",
        cache=out / which / "cache",
    )
