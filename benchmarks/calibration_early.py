"""What ``--early-stop`` makes of runs, simulated and real, for benchmarks/calibration.py.

A simulated run is asked in the gate's own parts and order, and judged at each look by the gate's
own tests.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from calibration_data import BEFORE, NOW, SETTINGS, TASKS, Floats, Suite
from mt_gate import gate
from mt_gate.baselines.schema import baseline_path
from mt_gate.demo import CHECKPOINTS
from mt_gate.judging.clustered import ClusteredTest, delta_of, looks_of, tested_at_looks
from mt_gate.judging.family import Family, Question
from mt_gate.judging.futility import LEAST_CHANCE, chance_of_loss
from mt_gate.judging.looks import LOOKS, share_asked
from mt_gate.judging.pairing import Pairing, pool, side_by_side
from mt_gate.judging.sequential import Seen, families_by_look
from mt_gate.judging.statistics import SEED
from mt_gate.mutating.mutate import mutate
from mt_gate.mutating.operators import mutation
from mt_gate.results.result import Result
from mt_gate.results.rules import at_part
from mt_gate.results.store import RESULT
from mt_gate.settings.record import Settings
from mt_gate.stored_results import record_stored


class Ended(NamedTuple):
    """How a run ended that could stop early: whether it fails, and what part of it was asked."""

    fails: bool
    share: float


def early(suite: Suite, runs: Floats, *, gives_up: bool = True) -> Ended:
    """Judge two runs, the candidate first, after each part until it is decided.

    Args:
        suite: of the runs.
        runs: shape (sources, runs, relations).
        gives_up: whether a run also stops where no loss is likely to be found.
    """
    for look, pairings, tests in _looks(suite, runs):
        settings, share = at_part(SETTINGS, share_asked(look)), share_asked(look)
        if any(test.regressed(settings) for test in tests):
            return Ended(True, share)
        if look == LOOKS or not gives_up or not len(pairings[-1].sources):
            continue
        each = zip(pairings, tests, strict=True)
        if all(chance_of_loss(*one, settings, share) < LEAST_CHANCE for one in each):
            return Ended(False, share)
    return Ended(False, 1.0)


def _looks(
    suite: Suite, runs: Floats
) -> Iterator[tuple[int, Sequence[Pairing], Sequence[ClusteredTest]]]:
    """Yield each look, with the pairings and tests of what was asked by then, the pool's last."""
    each = suite.pairings(runs)
    every = [*each, pool(each)]
    sources, outcomes = side_by_side(each)
    seen = Seen(looks_of(sources), tested_at_looks(every, frozenset(), LOOKS))
    at = [looks_of(pairing.sources) for pairing in every]
    asked = Question(
        alpha=SETTINGS.alpha,
        tested=seen.tested[-1],
        widened=[1.0] * len(every),
        worse=None,
        better=None,
        seed=SEED,
    )
    for look, made in enumerate(families_by_look(outcomes, asked, seen), 1):
        so_far = [_part(pairing, of <= look) for pairing, of in zip(every, at, strict=True)]
        yield look, so_far, _tests(so_far, made())


def _part(pairing: Pairing, asked: np.ndarray) -> Pairing:
    return Pairing(
        sources=tuple(np.array(pairing.sources, dtype=np.str_)[asked].tolist()),
        violations=pairing.violations[asked],
        weights=pairing.weights[asked],
    )


def _tests(pairings: Sequence[Pairing], family: Family) -> list[ClusteredTest]:
    return [
        ClusteredTest(
            delta=delta_of(pairing),
            p_value=family.worse.single[i],
            p_adjusted=family.worse.adjusted[i],
            final=family.final[i == len(pairings) - 1],
        )
        for i, pairing in enumerate(pairings)
    ]


FAULTS = (
    ("ner", "neuron-block", 0.1),
    ("ner", "weight-shuffle", 0.1),
    ("re", "neuron-block", 0.1),
    ("re", "neuron-block", 0.3),
    ("re", "weight-shuffle", 0.3),
)
"""Seeded faults of the demos' baselines: task, operator and share of neurons of ``mutate``."""
_FAULT_SEED = 1


class EarlyRun(NamedTuple):
    """A candidate's run with early stop, and its whole run, against one baseline."""

    task: str
    candidate: str
    early: Result
    whole: Result


def early_runs(runs: Path) -> Iterator[EarlyRun]:
    """Run the demos' candidates, and faults of their baselines, both ways, on the CPU.

    Args:
        runs: folder with the whole run of each demo's baseline, ``TASK-baseline``.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for task in TASKS:
            for which in (BEFORE, NOW):
                yield _both(runs, task, which, CHECKPOINTS / f"{task}-{which}", folder)
        for task, operator, ratio in FAULTS:
            name = f"{operator} {ratio:g}"
            mutant = folder / f"{task}-{operator}-{ratio:g}"
            wanted = mutation(operator, ratio, _FAULT_SEED, None)
            mutate(CHECKPOINTS / f"{task}-{BEFORE}", wanted, mutant)
            yield _both(runs, task, name, mutant, folder)


def _both(runs: Path, task: str, name: str, checkpoint: Path, folder: Path) -> EarlyRun:
    before = runs / f"{task}-{BEFORE}" / RESULT
    record_stored([before], task, folder, "the demo's", answers=False, new_anchor=True)
    settings = Settings(
        checkpoint=str(checkpoint),
        task=task,
        suite=f"{task}-default",
        baseline=baseline_path(folder, task),
        out=folder / "out",
        device="cpu",
        early_stop=True,
    )
    found = [
        gate.run(replace(settings, early_stop=stops), lambda _: None, lambda _done, _all: None)
        for stops in (True, False)
    ]
    return EarlyRun(task, name, *(run.result for run in found))
