"""The demo: two small checkpoints that the package carries, and an honest regression.

How they were made: ``benchmarks/train_demo_ner.py``.
"""

from __future__ import annotations

from pathlib import Path

from mt_gate import gate
from mt_gate.predicting import Progress
from mt_gate.result import GateVerdict, Result
from mt_gate.settings import Settings

CHECKPOINTS = Path(__file__).parent / "checkpoints"
BASELINE, CANDIDATE = CHECKPOINTS / "ner-baseline", CHECKPOINTS / "ner-candidate"


def run_demo(out: Path, say: gate.Say, progress: Progress) -> Result:
    """Record the baseline checkpoint, judge the candidate, write the candidate's reports.

    Nothing is taken from, or left in, the user's cache: what the demo shows, it computed.
    """
    baseline = out / "baselines" / "ner.json"
    gate.check_writable(out)
    baseline.unlink(missing_ok=True)
    say("running ner-default against the baseline checkpoint")
    gate.run(_settings(BASELINE, baseline, out / "baseline"), say, progress)
    say("running it against the candidate: the same model, trained on")
    return gate.run(_settings(CANDIDATE, baseline, out / "candidate"), say, progress).result


def afterword(out: Path, result: Result) -> list[str]:
    """Return what to say when the table has been shown."""
    lines = [f"report: {out / 'candidate' / 'report.html'}"]
    if result.verdict is GateVerdict.REGRESSION:
        lines.append("the candidate is a regression: as a gate, this run would exit with 1")
    return lines


def _settings(checkpoint: Path, baseline: Path, out: Path) -> Settings:
    return Settings(
        checkpoint=str(checkpoint),
        task="ner",
        suite="ner-default",
        baseline=baseline,
        record_missing=checkpoint == BASELINE,
        out=out,
        device="cpu",
        cache=out / "cache",
    )
