"""What ``--early-stop`` makes of runs, simulated and real, for benchmarks/calibration.py.

A simulated run has the gate's parts and order, and each interim analysis is judged by the gate's
own tests.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from calibration_data import BEFORE, NOW, SETTINGS, TASKS, Floats, Suite
from fault_bench.exported import write_exported
from mt_gate import gate
from mt_gate.demo import CHECKPOINTS
from mt_gate.judging.clustered import (
    ClusteredTest,
    Pairing,
    looks_of,
    pool,
    side_by_side,
    tested_at_looks,
)
from mt_gate.judging.family import (
    LOOKS,
    Family,
    FamilyOptions,
    Seen,
    families_by_look,
    share_predicted,
)
from mt_gate.judging.measuring import LEAST_CHANCE, chance_of_loss
from mt_gate.judging.statistics import SEED
from mt_gate.mutating.operators import mutation
from mt_gate.results.result import Result
from mt_gate.results.rules import at_part
from mt_gate.settings.record import Settings


class Ended(NamedTuple):
    """How a run ended that could stop early: whether it fails, and its share of the suite."""

    fails: bool
    share: float


def early(suite: Suite, runs: Floats) -> Ended:
    """Judge two runs, the candidate first, after each part until it is decided."""
    [ended] = early_exchanged(suite, [runs])
    return ended


def early_exchanged(suite: Suite, runs: Sequence[Floats], *, gives_up: bool = True) -> list[Ended]:
    """Judge many pairs of runs after each part until it is decided.

    Args:
        suite: of the runs.
        runs: each of shape (sources, runs, relations), alike but for the order of the two runs of
            each source: permutations of one are those of all.
        gives_up: whether a run also stops where no loss is likely to be found.
    """
    ended: dict[int, Ended] = {}
    for look in _looks(suite, runs[0]):
        settings = at_part(SETTINGS, look.share)
        for i in range(len(runs)):
            if i in ended:
                continue
            pairings, tests = look.judge(runs[i])
            if any(test.regressed(settings) for test in tests):
                ended[i] = Ended(True, look.share)
            elif look.share == 1 or (gives_up and _hopeless(pairings, tests, look.share)):
                ended[i] = Ended(False, look.share)
    return [ended[i] for i in range(len(runs))]


def _hopeless(pairings: Sequence[Pairing], tests: Sequence[ClusteredTest], share: float) -> bool:
    settings = at_part(SETTINGS, share)
    each = zip(pairings, tests, strict=True)
    return bool(pairings[-1].sources) and all(
        chance_of_loss(*one, settings, share) < LEAST_CHANCE for one in each
    )


@dataclass(frozen=True)
class _Look:
    """A look: which sources were seen by then, of each relation, and what makes the tests."""

    suite: Suite
    share: float
    indices: Sequence[np.ndarray]
    sources: Sequence[tuple[str, ...]]
    differing: np.ndarray
    make: Callable[[Floats], Family]

    def judge(self, runs: Floats) -> tuple[list[Pairing], list[ClusteredTest]]:
        """Return pairings and tests of the part that ran by then, the overall test last."""
        weights = [*self.suite.weights.T, self.suite.weights.sum(axis=1)]
        outcomes = [*np.moveaxis(runs, 2, 0), runs.sum(axis=2)]
        pairings = [
            Pairing(sources=names, violations=of[at], weights=weight[at])
            for names, of, weight, at in zip(
                self.sources, outcomes, weights, self.indices, strict=True
            )
        ]
        family = self.make(runs[self.differing])
        tests = [
            ClusteredTest(
                delta=math.fsum(pairing.differences) / pairing.pairs if pairing.sources else 0.0,
                p_value=family.worse.single[i],
                p_adjusted=family.worse.adjusted[i],
                final=family.final[i == len(pairings) - 1],
            )
            for i, pairing in enumerate(pairings)
        ]
        return pairings, tests


def _looks(suite: Suite, runs: Floats) -> Iterator[_Look]:
    """Yield each look."""
    each = suite.pairings(runs)
    every = [*each, pool(each)]
    sources, outcomes = side_by_side(each)
    seen = Seen(looks_of(sources), tested_at_looks(every, frozenset(), LOOKS))
    place = {name: i for i, name in enumerate(suite.names.tolist())}
    at = looks_of(suite.names.tolist())
    has = [*(suite.weights > 0).T, (suite.weights > 0).any(axis=1)]
    question = FamilyOptions(
        alpha=SETTINGS.alpha,
        tested=seen.tested[-1],
        widened=[1.0] * len(every),
        worse=None,
        better=None,
        seed=SEED,
    )
    for look, make in enumerate(families_by_look(outcomes, question, seen), 1):
        by_now = [np.flatnonzero(of & (at <= look)) for of in has]
        yield _Look(
            suite=suite,
            share=share_predicted(look),
            indices=by_now,
            sources=[tuple(suite.names[of].tolist()) for of in by_now],
            differing=np.array([place[name] for name in sources], dtype=np.int64),
            make=make,
        )


FAULTS = (
    ("ner", "neuron-block", 0.3),
    ("ner", "weight-shuffle", 0.3),
    ("ner", "neuron-switch", 0.3),
    ("re", "neuron-block", 0.3),
    ("re", "weight-shuffle", 0.3),
)
"""Seeded faults of the demos' baselines: task, operator and share of neurons of ``mutate``."""
FAULT_SOURCES = 1_000
"""Sources of the suite that faults are run on, sampled as ``--sources`` does."""
_FAULT_SEED = 1


class EarlyRun(NamedTuple):
    """A candidate's run with early stop, and its whole run, against one baseline."""

    task: str
    candidate: str
    early: Result
    whole: Result


def early_runs() -> Iterator[EarlyRun]:
    """Run the demos' checkpoints, and faults of their baselines, both ways, on the CPU."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for task in TASKS:
            for which in (BEFORE, NOW):
                yield _both(task, which, CHECKPOINTS / f"{task}-{which}", folder, None)
        for task, operator, ratio in FAULTS:
            name = f"{operator} {ratio:g}"
            mutant = folder / f"{task}-{operator}-{ratio:g}"
            wanted = mutation(operator, ratio, _FAULT_SEED, None)
            mutant.mkdir()
            write_exported(CHECKPOINTS / f"{task}-{BEFORE}", wanted, mutant)
            yield _both(task, name, mutant, folder, FAULT_SOURCES)


def _both(task: str, name: str, checkpoint: Path, folder: Path, sources: int | None) -> EarlyRun:
    """Run a checkpoint with early stop and without, against the demo's baseline."""
    baseline = folder / f"{task}-{sources}.json"
    settings = Settings(
        checkpoint=str(CHECKPOINTS / f"{task}-{BEFORE}"),
        task=task,
        suite=f"{task}-default",
        sources=sources,
        baseline=baseline,
        record_missing=True,
        out=folder / "out",
        device="cpu",
    )
    if not baseline.exists():
        _run(settings)
    settings = replace(settings, checkpoint=str(checkpoint))
    return EarlyRun(task, name, _run(replace(settings, early_stop=True)), _run(settings))


def _run(settings: Settings) -> Result:
    return gate.run(settings, lambda _: None, lambda _done, _all: None).result
