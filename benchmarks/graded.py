"""What margins show that verdicts do not, and how often they show it for nothing.

    python benchmarks/graded.py [--tasks ner,boolq,re] [--sources N] [--runs FOLDER] [--write]

Prints the table of docs/trust.md, "Graded evidence"; with ``--write`` it is put there. The two
shipped checkpoints of each task are asked ``N`` of their suite's sources, all where it is not
given; runs that ``FOLDER`` has are not made again. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist

import msgspec
import numpy as np

from calibration_data import BEFORE, NOW, SETTINGS, exchanged_rows
from mt_gate import gate
from mt_gate.base.figures import p_value, points
from mt_gate.demo import CHECKPOINTS
from mt_gate.judging.comparison import Outcome, compare
from mt_gate.judging.evidence import graded_evidence
from mt_gate.judging.statistics import wilson
from mt_gate.judging.verdicts import RunVerdicts, verdicts_from_rows
from mt_gate.results.result import Evidence, GateVerdict, GroupRow
from mt_gate.results.store import GROUPS
from mt_gate.running.evaluation import kept_margin
from mt_gate.settings.record import Settings
from page_tables import markdown, put

TASKS = ("ner", "boolq", "re")
PAGE = Path(__file__).parents[1] / "docs" / "trust.md"
REPETITIONS, RESCALED = 200, 100
SCALES = (0.7, 1.5)
HEAD = (
    "Suite",
    "Pairs",
    "Rise of violations",
    "p",
    "Rise weighed by margin",
    "p",
    "z, of the one over the other",
    "Exchanged at random: evidence, %",
    "at most",
    f"Logits rescaled: evidence or no pass, of {RESCALED}",
)

Rows = list[GroupRow]


def asked(task: str, which: str, sources: int | None, runs: Path) -> Rows:
    """Return the rows of a shipped checkpoint; a run that is not there is made."""
    out = runs / f"{task}-{which}-{sources or 'all'}"
    if not (out / GROUPS).exists():
        settings = Settings(
            checkpoint=str(CHECKPOINTS / f"{task}-{which}"),
            task=task,
            suite=f"{task}-default",
            sources=sources,
            out=out,
            device="cpu",
        )
        gate.run(settings, lambda _: None, lambda _done, _total: None)
    with gzip.open(out / GROUPS) as lines:
        return [msgspec.json.decode(line, type=GroupRow) for line in lines]


def graded(now: RunVerdicts, before: RunVerdicts) -> Evidence:
    """Return the graded evidence of two runs that keep margins."""
    shared = [name for name in now if name in before]
    found = graded_evidence(
        [now[name] for name in shared], [[before[name]] for name in shared], SETTINGS
    )
    assert found is not None, "runs of this release keep margins"
    return found


def two_sided(now: RunVerdicts, before: RunVerdicts) -> tuple[Outcome, float]:
    """Return a comparison, and the p of its pooled difference, whichever way it lies."""
    outcome, reversed_ = compare(now, [before], SETTINGS), compare(before, [now], SETTINGS)
    sides = [one.overall.p_value for one in (outcome, reversed_)]
    return outcome, min(1.0, 2 * min(1.0 if p is None else p for p in sides))


def z_of(p: float) -> float:
    """Return how many standard deviations out a two-sided p is."""
    return -NormalDist().inv_cdf(p / 2)


def rescaled(rows: Sequence[GroupRow], scale: float) -> Rows:
    """Return the rows that the same answers have with all logits times ``scale``."""
    return [
        msgspec.structs.replace(row, margin=kept_margin(row.verdict, row.margin * scale))
        if row.margin is not None
        else row
        for row in rows
    ]


def row_of(task: str, sources: int | None, runs: Path) -> list[str]:
    """Return a task's row of the table."""
    rows = {which: asked(task, which, sources, runs) for which in (BEFORE, NOW)}
    now, before = verdicts_from_rows(rows[NOW]), verdicts_from_rows(rows[BEFORE])
    outcome, p = two_sided(now, before)
    found = graded(now, before)
    seen = sum(_exchanged(rows, seed).p_value < SETTINGS.alpha for seed in range(REPETITIONS))
    told = sum(_tells(rows[BEFORE], rows, seed) for seed in range(RESCALED))
    share = seen / REPETITIONS
    return [
        f"{task}, {sources} sources" if sources else task,
        f"{found.pairs:,}",
        points(outcome.overall.delta),
        p_value(p),
        points(found.delta),
        p_value(found.p_value),
        f"{z_of(found.p_value):.2f} / {z_of(p):.2f}",
        f"{100 * share:.1f}",
        f"{100 * wilson(seen, REPETITIONS, level=0.9)[1]:.1f}",
        str(told),
    ]


def _exchanged(rows: dict[str, Rows], seed: int) -> Evidence:
    now, before = exchanged_rows(rows, np.random.default_rng(seed))
    return graded(verdicts_from_rows(now), verdicts_from_rows(before))


def _tells(like: Rows, rows: dict[str, Rows], seed: int) -> bool:
    """Whether a run with its logits rescaled, label-equal, is evidence or does not pass."""
    one = exchanged_rows(rows, np.random.default_rng(seed))[seed % 2] if seed else like
    scaled = verdicts_from_rows(rescaled(one, SCALES[seed % len(SCALES)]))
    before = verdicts_from_rows(one)
    outcome = compare(scaled, [before], SETTINGS)
    passed = outcome.verdict is GateVerdict.PASS
    return not passed or graded(scaled, before).p_value < SETTINGS.alpha


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--sources", type=int, metavar="N")
    parser.add_argument("--runs", type=Path, default=Path("graded-runs"), metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="put the table into docs/trust.md")
    arguments = parser.parse_args()
    rows = [row_of(task, arguments.sources, arguments.runs) for task in arguments.tasks.split(",")]
    table = markdown(HEAD, rows)
    print(table)
    if arguments.write:
        put(PAGE, "graded", table)


if __name__ == "__main__":
    main()
