"""How far the gate's numbers can be trusted: its tests and intervals, simulated.

    python benchmarks/calibration.py [--quick] [--runs FOLDER] [--only TABLE ...] [--write]

Prints the tables of results/calibration.md; ``--write`` puts them there. Seeds are fixed, two
processes work, and it takes about 20 minutes on two quiet cores; ``--quick`` repeats a tenth
as often. The simulations rest on finished runs of the shipped checkpoints over the whole suites,
``FOLDER/TASK-baseline`` and ``FOLDER/TASK-candidate``; what is missing there is run first.

Every verdict, p-value and interval is that of ``mt_gate.judging``; none is computed again here.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import time
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import NormalDist, median
from typing import NamedTuple

import msgspec
import numpy as np

from calibration_data import (
    BEFORE,
    SETTINGS,
    TASKS,
    Floats,
    Suite,
    alone,
    drawn,
    exchanged,
    exchanged_rows,
    flipped,
    made_up,
    measured,
    opened,
    rows_of,
    settings_with,
    shifted,
    suite_of,
    tested,
    with_rise,
)
from calibration_early import early, early_exchanged, early_runs
from calibration_runs import rows_again, rows_of_size
from mt_gate.judging import statistics
from mt_gate.judging.clustered import ClusteredTest, Pairing, clustered_test, pool
from mt_gate.judging.comparison import RunFacts, compare
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results import rules
from mt_gate.results.result import GateVerdict, GroupRow, OwnFlips
from mt_gate.settings.policy import Policy
from mt_gate.settings.values import read_policy
from mt_gate.sut.systems.endpoint import flips_at_most
from page_tables import put

SEED = 2026
WORKERS = 2
PARTS = 8
"""Pieces of work that the repetitions of one figure are split into, whatever the workers."""
PAGE = Path(__file__).parents[1] / "benchmarks" / "results" / "calibration.md"
NORMAL = NormalDist()

ROWS: dict[str, dict[str, list[GroupRow]]] = {}
SUITES: dict[str, Suite] = {}
RECIPES: dict[str, Suite] = {}
"""Suites by task, of which runs of one recipe are drawn; filled before the processes part."""

Rng = np.random.Generator
Job = Callable[[Rng], Sequence[float]]
"""One repetition: figures of it, always as many."""


class Work(NamedTuple):
    """Who repeats, and how often: ``scale`` times what a table asks for."""

    executor: ProcessPoolExecutor
    scale: float

    def repeat(self, jobs: Mapping[str, Job], repetitions: int) -> dict[str, Floats]:
        """Return the figures of each job, shape (repetitions, figures)."""
        number = max(PARTS, round(repetitions * self.scale))
        sizes = [len(part) for part in np.array_split(np.arange(number), PARTS)]
        waiting = {
            name: [self.executor.submit(_repeated, job, name, i, n) for i, n in enumerate(sizes)]
            for name, job in jobs.items()
        }
        return {name: np.vstack([part.result() for part in of]) for name, of in waiting.items()}


def _repeated(job: Job, name: str, part: int, number: int) -> Floats:
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode()), part])
    return np.array([job(rng) for _ in range(number)], dtype=np.float64)


class Table(NamedTuple):
    """A table of the page, cells as they stand there."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return it as Markdown."""
        ruler = ["---", *["---:"] * (len(self.header) - 1)]
        return "\n".join(f"| {' | '.join(row)} |" for row in (self.header, ruler, *self.rows))


def share(found: Floats) -> str:
    """Return a share in percent."""
    return f"{100 * found.mean():.1f}"


def at_most(found: Floats) -> str:
    """Return the upper end of the share's one-sided 95% CI."""
    return f"{100 * statistics.wilson(float(found.sum()), len(found), level=0.9)[1]:.1f}"


def points(value: float) -> str:
    """Return a difference of rates in percentage points."""
    return f"{100 * value:.2f}"


def fails(tests: Sequence[ClusteredTest]) -> bool:
    """Whether any test of a run is a regression."""
    return any(test.regressed(SETTINGS) for test in tests)


# Nothing has changed: how often does the gate say otherwise?


def unchanged(work: Work) -> Table:
    """Exchange the demos' runs at random within each source; judge them as the gate does."""
    found = work.repeat({f"unchanged {task}": partial(_unchanged, task) for task in TASKS}, 2000)
    rows = [
        [
            task,
            str(len(of)),
            *(word for column in of.T[:2] for word in (share(column), at_most(column))),
        ]
        + [share(column) for column in of.T[2:]]
        for task, of in zip(TASKS, found.values(), strict=True)
    ]
    return Table(
        ["Suite", "Repetitions", "Fails, %", "at most", "Warns, %", "at most", *_OTHERS], rows
    )


_OTHERS = ("McNemar, %", "z test, %", "Any rise, %")


def _unchanged(task: str, rng: Rng) -> Sequence[float]:
    seed = int(rng.integers(2**32))
    now, before = exchanged_rows(ROWS[task], np.random.default_rng(seed))
    verdict = compare(verdicts_from_rows(now), [verdicts_from_rows(before)], SETTINGS).verdict
    suite = SUITES[task]
    return (
        verdict in (GateVerdict.REGRESSION, GateVerdict.COLLAPSE),
        verdict is GateVerdict.INCONCLUSIVE,
        *_others(suite, *exchanged(suite, rng)),
    )


def _others(suite: Suite, runs: Floats, swapped: np.ndarray) -> tuple[bool, bool, bool]:
    """Say whether McNemar's test, an unpaired z test, and any rise at all would fail."""
    new, fixed = (
        np.where(swapped[:, None], other, one).sum()
        for one, other in ((suite.new, suite.fixed), (suite.fixed, suite.new))
    )
    pairs = suite.weights.sum()
    now, before = runs.sum(axis=(0, 2)) / pairs
    worse = now - before > SETTINGS.margin
    p = statistics.sign_flip_p(np.repeat([1.0, -1.0], [round(new), round(fixed)]))
    rate = (now + before) / 2
    z = (now - before) / math.sqrt(max(1e-12, 2 * rate * (1 - rate) / pairs))
    return (
        bool(worse and p < SETTINGS.alpha),
        bool(worse and z > NORMAL.inv_cdf(1 - SETTINGS.alpha)),
        bool(now > before),
    )


SHAPES = (
    *(("1", "single"), ("4", "single"), ("4", "whole"), ("4", "mixed")),
    *(("heavy", "single"), ("heavy", "whole"), ("heavy", "mixed")),
)


def unchanged_single(work: Work) -> Table:
    """Two equally good runs of one relation: the exact test, at every number of sources."""
    rows = []
    for size, flips in (*SHAPES, ("4", "asymmetric"), ("heavy", "asymmetric")):
        jobs = {
            f"single {size} {flips} {clusters}": partial(_single, clusters, size, flips)
            for clusters in _CLUSTERS
        }
        found = work.repeat(jobs, 3000)
        others = np.vstack(list(found.values()))[:, 1:]
        rows.append([f"{size}, {flips}", *(share(of[:, 0]) for of in found.values())])
        rows[-1] += [share(column) for column in others.T]
    header = ["Cases per source, what differs", *(f"{n} sources" for n in _CLUSTERS), *_OTHERS]
    return Table(header, rows)


_CLUSTERS = (30, 50, 100, 300, 1000)


def _single(clusters: int, size: str, flips: str, rng: Rng) -> Sequence[float]:
    suite = made_up(clusters, size, flips, 1, rng)
    differences = suite.outcomes[:, 0, 0] - suite.outcomes[:, 1, 0]
    rise = differences.sum() / suite.weights.sum()
    p = statistics.sign_flip_p(differences) if rise > SETTINGS.margin else 1.0
    as_drawn = np.zeros(clusters, dtype=bool)
    return p < SETTINGS.alpha, *_others(suite, suite.outcomes, as_drawn)


def unchanged_families(work: Work) -> Table:
    """The same of several relations over the same sources, as one family."""
    rows = []
    for relations, (size, flips) in product((5, 19), (SHAPES[0], SHAPES[2], SHAPES[6])):
        jobs = {
            f"family {relations} {size} {flips} {clusters}": partial(
                _family, clusters, size, flips, relations
            )
            for clusters in (30, 100, 1000)
        }
        found = work.repeat(jobs, 320 if relations == 5 else 120)
        every = np.vstack(list(found.values()))
        rows.append([f"{relations}, {size}, {flips}", *(share(of[:, 0]) for of in found.values())])
        rows[-1] += [share(every[:, 0]), at_most(every[:, 0])]
        rows[-1] += [share(column) for column in every.T[1:]]
    header = ["Relations, cases per source, what differs"]
    header += [f"{n} sources" for n in (30, 100, 1000)]
    return Table([*header, "All", "at most", *_OTHERS], rows)


def _family(clusters: int, size: str, flips: str, relations: int, rng: Rng) -> Sequence[float]:
    suite = made_up(clusters, size, flips, relations, rng)
    as_drawn = np.zeros(clusters, dtype=bool)
    return fails(tested(suite, suite.outcomes)), *_others(suite, suite.outcomes, as_drawn)


def unchanged_slices(work: Work) -> Table:
    """Equally good runs with known answers, their slices, and 15 relations: one family."""
    shapes = {
        "7 targets and 13 functions": (1000, (7, 13)),
        "150 labels": (2000, (150,)),
        "77 labels and 3 domains": (900, (77, 3)),
    }
    rows = []
    for name, (sources, slices) in shapes.items():
        jobs = {
            f"slices {name} {share_of}": partial(_sliced, sources, slices, share_of)
            for share_of in _DIFFERING
        }
        found = work.repeat(jobs, 160)
        every = np.vstack(list(found.values()))[:, 0]
        cells = [share(of[:, 0]) for of in found.values()]
        rows.append([name, *cells, share(every), at_most(every)])
    header = ["Slices", *(f"{100 * one:.0f}% differ" for one in _DIFFERING)]
    return Table([*header, "All", "at most"], rows)


_DIFFERING = (0.02, 0.1, 0.3)
"""Shares of the cases whose verdicts differ between two equally good runs."""
_WRONG, _RELATIONS = 0.2, 15


def _sliced(sources: int, slices: Sequence[int], differing: float, rng: Rng) -> Sequence[float]:
    """Judge two equally good runs over known answers in slices, and relations next to them."""
    names = [f"source-{i:05d}" for i in range(sources)]
    known = _equally_good(KNOWN, names, differing, rng)
    at = [rng.integers(0, number, sources) for number in slices]
    groups = np.array([f"{KNOWN}:{name}" for name in names])
    of_slice = {
        f"{kind}: {value}": frozenset(groups[part == value].tolist())
        for kind, (number, part) in enumerate(zip(slices, at, strict=True))
        for value in range(number)
    }
    now = {KNOWN: replace(known[0], slices=of_slice)}
    before = {KNOWN: known[1]}
    for i in range(_RELATIONS):
        some = [name for name in names if rng.random() < 0.25]
        now[f"r{i:02d}"], before[f"r{i:02d}"] = _equally_good(f"r{i:02d}", some, differing, rng)
    verdict = compare(now, [before], SETTINGS).verdict
    return [verdict in (GateVerdict.REGRESSION, GateVerdict.COLLAPSE)]


KNOWN = "text/known-answer"


def _equally_good(
    relation: str, names: Sequence[str], differing: float, rng: Rng
) -> tuple[RelationVerdicts, RelationVerdicts]:
    """Return the verdicts of two runs on a relation, a group a source."""
    groups = [f"{relation}:{name}" for name in names]
    wrong = rng.random(len(names)) < _WRONG
    turned, first = (rng.random(len(names)) < x for x in (differing, 0.5))
    runs = (np.where(turned, first, wrong), np.where(turned, ~first, wrong))
    now, before = (
        RelationVerdicts(
            id=relation,
            violated=frozenset(g for g, lost in zip(groups, run, strict=True) if lost),
            satisfied=frozenset(g for g, lost in zip(groups, run, strict=True) if not lost),
            source_of=dict(zip(groups, names, strict=True)),
        )
        for run in runs
    )
    return now, before


POLICIES = {
    "tiers": "",
    "shares": "shares = {block = 0.8, warn = 0.2}",
    "one separate": "shares = {block = 0.8, warn = 0.2}",
}
"""What the policies of the table say of alpha; every second relation warns, the margin is 0."""
_SEPARATE = 0.3


def policy_of(name: str, task: str, relations: Sequence[str]) -> Policy:
    """Return a policy of the table, for the relations of a suite."""
    entries: dict[str, dict[str, str | float]]
    entries = {relation: {"tier": "warn"} for relation in relations[1::2]}
    if name == "one separate":
        entries[relations[0]] = {"share": _SEPARATE, "max-relative-rise": 0.0}
    table = tomllib.loads(POLICIES[name])
    table |= {"tasks": {task: {"margin": 0.0}}, "relations": entries}
    return read_policy("the table's policy", table)


def policy(work: Work) -> Table:
    """Exchange the demos' runs as before, and judge them by policies with tiers and shares."""
    found = work.repeat({f"policy {task}": partial(_by_policies, task) for task in TASKS}, 300)
    rows = []
    for (task, name), column in zip(
        product(TASKS, POLICIES),
        np.hstack(list(found.values())).reshape(-1, 9, 2).swapaxes(0, 1),
        strict=True,
    ):
        blocks, either = column.T
        cells = [share(blocks), at_most(blocks), share(either), at_most(either)]
        rows.append([f"{task}, {name}", str(len(column)), *cells])
    header = ["Suite, policy", "Repetitions", "Fails, %", "at most"]
    return Table([*header, "Fails or warns, %", "at most"], rows)


def _by_policies(task: str, rng: Rng) -> Sequence[float]:
    now, before = (verdicts_from_rows(rows) for rows in exchanged_rows(ROWS[task], rng))
    found: list[float] = []
    for name in POLICIES:
        settings = settings_with(policy=policy_of(name, task, SUITES[task].relations))
        verdict = compare(now, [before], settings).verdict
        fails = verdict in (GateVerdict.REGRESSION, GateVerdict.COLLAPSE)
        found += [fails, fails or verdict is GateVerdict.WARNING]
    return found


# Something got worse: how much is found?


def eighty_point(rises: Sequence[float], found: Sequence[Floats]) -> float:
    """Return the rise that is found 4 times in 5: a probit line of the greatest likelihood."""
    counts = np.array([of.sum() for of in found])
    number = np.array([len(of) for of in found])
    top = max(rises)
    at = np.linspace(top / 50, 2 * top, 400)[:, None, None]
    slope = np.geomspace(0.5, 50, 80)[None, :, None] / top
    line = (np.array(rises) - at) * slope + NORMAL.inv_cdf(0.8)
    chance = np.clip(0.5 * (1 + np.vectorize(math.erf)(line / math.sqrt(2))), 1e-9, 1 - 1e-9)
    likelihood = (counts * np.log(chance) + (number - counts) * np.log(1 - chance)).sum(axis=2)
    return float(at[np.unravel_index(likelihood.argmax(), likelihood.shape)[0], 0, 0])


STEPS = (0.6, 0.8, 1.0, 1.2, 1.4)


def power(work: Work) -> Table:
    """A rise of all relations together: what is found 4 times in 5."""
    rows = []
    for task in TASKS:
        guess = _printed(SUITES[task])[-1]
        rises = [step * guess for step in STEPS]
        kinds = {"exchanged": None, "drawn 1": 1, "drawn 3": 3}
        jobs = {
            f"power {task} {kind} {rise:.5f}": partial(_risen, task, runs, rise)
            for (kind, runs), rise in product(kinds.items(), rises)
        }
        found = [of[:, 0] for of in work.repeat(jobs, 80).values()]
        of_kind = [found[i : i + len(rises)] for i in range(0, len(found), len(rises))]
        small = work.repeat({f"power {task} small": partial(_risen, task, None, 0.008)}, 160)
        [one] = small.values()
        eighty = [points(eighty_point(rises, of)) for of in of_kind]
        rows.append([task, points(guess), *eighty, share(one[:, 0])])
    header = ["Suite", "Printed", "Simulated", "One run drawn", "Three runs drawn"]
    return Table([*header, "Fails at a true rise of 0.8, %"], rows)


def _risen(task: str, runs: int | None, rise: float, rng: Rng) -> Sequence[float]:
    suite = SUITES[task] if runs is None else RECIPES[task]
    now = exchanged(suite, rng)[0] if runs is None else drawn(suite, runs + 1, rng)
    return [fails(tested(suite, with_rise(suite, now, rise, rng)))]


def _printed(suite: Suite, number: int = 15) -> list[float]:
    """Return the median of the smallest losses that unchanged runs print, the pool's last."""
    rng = np.random.default_rng(SEED)
    found = [measured(suite, exchanged(suite, rng)[0]) for _ in range(number)]
    effects = [[m.figures.minimum_detectable_effect for m in of] for of in found]
    return [median(e or math.nan for e in of) for of in zip(*effects, strict=True)]


def power_single(work: Work) -> Table:
    """A rise of one relation alone: what its report prints, and what is found 4 times in 5."""
    rows = []
    for task in TASKS:
        suite = SUITES[task]
        printed = _printed(suite)
        for i, relation in enumerate(suite.relations):
            pairs = suite.groups[:, i].sum()
            if not math.isfinite(printed[i]):
                continue
            rate = suite.outcomes[:, :, i].sum() / max(1, 2 * suite.weights[:, i].sum())
            top = 1 - rate
            rises = [min(step * printed[i], top) for step in STEPS]
            jobs = {
                f"single {relation} {number}": partial(_risen_alone, task, i, rise)
                for number, rise in enumerate(rises)
            }
            found = [of[:, 0] for of in work.repeat(jobs, 40).values()]
            reached = found[-1].mean() >= 0.8
            eighty = points(eighty_point(rises, found)) if reached else f"not by {points(top)}"
            sources = int((suite.weights[:, i] > 0).sum())
            cells = [str(sources), f"{pairs:.0f}", f"{100 * rate:.1f}", points(printed[i]), eighty]
            rows.append([relation, *cells])
    header = ["Relation", "Sources", "Cases", "Violated, %", "Printed", "Simulated"]
    return Table(header, rows)


def _risen_alone(task: str, relation: int, rise: float, rng: Rng) -> Sequence[float]:
    suite = SUITES[task]
    runs = with_rise(suite, exchanged(suite, rng)[0], alone(suite, relation, rise), rng)
    return [tested(suite, runs)[relation].regressed(SETTINGS)]


# A strict gate: what does it clear?


def strict(work: Work) -> Table:
    """Unchanged runs, and runs that are worse by just the margin, under ``--strict``."""
    margins = (0.01, 0.02, 0.03)
    rows = []
    for task in TASKS:
        verdicts = verdicts_from_rows(ROWS[task][BEFORE])
        itself = compare(
            verdicts, [verdicts], settings_with(strict=True), RunFacts(same=True)
        ).verdict
        jobs = {"": partial(_cleared, task, margins, 0.0)}
        jobs |= {f"{margin}": partial(_cleared, task, (margin,), margin) for margin in margins}
        found = work.repeat({f"strict {task} {of}": job for of, job in jobs.items()}, 120)
        equal, *worse = found.values()
        pooled = {
            f"pool {task} {margin}": partial(_pool_cleared, task, margin) for margin in margins
        }
        pools = work.repeat(pooled, 1000).values()
        for i, (margin, of, alone_of) in enumerate(zip(margins, worse, pools, strict=True)):
            cells = [f"{task}, {100 * margin:.0f}", itself.value]
            cells += [share(equal[:, 2 * i]), share(equal[:, 2 * i + 1])]
            rows.append([*cells, share(of[:, 0]), share(alone_of), at_most(alone_of[:, 0])])
    header = ["Suite, margin", "Identical", "Unchanged passes, %", "overall only"]
    return Table([*header, "Worse by the margin passes, %", "overall only", "at most"], rows)


def _cleared(task: str, margins: Sequence[float], rise: float, rng: Rng) -> Sequence[float]:
    """Return for each margin whether the run passes, and whether its pool is cleared."""
    suite = SUITES[task]
    runs = with_rise(suite, exchanged(suite, rng)[0], rise, rng)
    found: list[float] = []
    *each, pooled = measured(suite, runs)
    for margin in margins:
        settings = settings_with(strict=True, margin=margin)
        open_ones = [rules.not_shown(m.figures, settings) for m in each]
        whole = not rules.not_shown(pooled.figures, settings, together=True)
        risen = any(m.test.regressed(settings) for m in (*each, pooled))
        found += [whole and not any(open_ones) and not risen, whole]
    return found


def _pool_cleared(task: str, margin: float, rng: Rng) -> Sequence[float]:
    """Say whether a pool that is worse by the margin is cleared; far cheaper than a whole run."""
    suite = SUITES[task]
    runs = with_rise(suite, exchanged(suite, rng)[0], margin, rng)
    pairing = pool(suite.pairings(runs))
    return [statistics.difference_interval(pairing.differences, pairing.weights)[1] <= margin]


# Intervals: how often do they hold the truth?


def coverage(work: Work) -> Table:
    """How often the 95% CI of a difference holds the true one."""
    rows = []
    for clusters, differing in product((10, 30, 50, 200, 1000), (0.02, 0.1, 0.3)):
        cells = [
            (size, flips, rise)
            for (size, flips), rise in product(SHAPES, (0.0, 0.02, 0.08))
            if rise <= differing
        ]
        jobs = {
            f"coverage {clusters} {differing} {cell}": partial(_covered, clusters, differing, *cell)
            for cell in cells
        }
        found = work.repeat(jobs, 800)
        ranked = sorted((of[:, 0].mean(), name) for name, of in found.items())
        low, high = (np.array([of[:, i].mean() for of in found.values()]) for i in (1, 2))
        every = [of for of, _ in ranked]
        between = sum(0.93 <= of <= 0.97 for of in every)
        rows.append(
            [f"{clusters}, {100 * differing:.0f}%"]
            + [f"{100 * value:.1f}" for value in (every[0], np.mean(every), every[-1])]
            + [f"{between} of {len(every)}", f"{100 * low.max():.1f}", f"{100 * high.max():.1f}"]
        )
    header = ["Sources, cases that differ", "Lowest, %", "Mean", "Highest", "93% to 97%"]
    return Table([*header, "Above it, at most", "Below it, at most"], rows)


def _covered(
    clusters: int, differing: float, size: str, flips: str, rise: float, rng: Rng
) -> Sequence[float]:
    chances = (differing + rise) / 2, (differing - rise) / 2
    weights, new, fixed = flipped(clusters, size, flips, chances, 1, rng)
    low, high = statistics.difference_interval((new - fixed)[:, 0], weights[:, 0])
    return low <= rise <= high, low > rise, high < rise


# Runs of one recipe, chosen baselines, slow losses


RECIPE_RUNS = (1, 2, 3, 5)
SEEDS = (
    (0.0, "together"),
    (0.5, "together"),
    (1.0, "together"),
    (2.0, "together"),
    (1.0, "separate"),
)


def recipe(work: Work) -> Table:
    """Retrain by the same recipe: how often does that fail?"""
    rows = []
    for task, (sd, how) in product(TASKS, SEEDS):
        jobs = {
            f"recipe {task} {sd} {how} {runs}": partial(_recipe, task, runs, sd, how, 0.0)
            for runs in RECIPE_RUNS
        }
        found = work.repeat(jobs, 72)
        rows.append([f"{task}, {sd} {how}", *(share(of[:, 0]) for of in found.values())])
    return Table(["Suite, points between seeds", *map(_runs, RECIPE_RUNS)], rows)


def recipe_power(work: Work) -> Table:
    """The same with a true rise that one run finds 4 times in 5 if seeds make no difference."""
    rows = []
    for task in TASKS:
        rise = _printed(SUITES[task])[-1]
        for sd in (0.0, 1.0):
            jobs = {
                f"recipe power {task} {sd} {runs}": partial(
                    _recipe, task, runs, sd, "together", rise
                )
                for runs in RECIPE_RUNS
            }
            found = work.repeat(jobs, 48)
            rows.append([f"{task}, {sd}, rise of {points(rise)}"])
            rows[-1] += [
                f"{share(of[:, 0])} ({points(np.median(of[:, 1]))})" for of in found.values()
            ]
    return Table(["Suite, points between seeds", *map(_runs, RECIPE_RUNS)], rows)


def _runs(number: int) -> str:
    return "One run" if number == 1 else f"{number} runs"


def _recipe(task: str, runs: int, sd: float, how: str, rise: float, rng: Rng) -> Sequence[float]:
    suite = RECIPES[task]
    outcomes = drawn(suite, runs + 1, rng)
    for run in range(runs + 1 if sd else 0):
        shape = len(suite.relations) if how == "separate" else None
        luck = rng.normal(0, sd / 100, shape)
        outcomes[:, run] = shifted(suite, outcomes[:, run], luck, rng)
    *each, pooled = measured(suite, with_rise(suite, outcomes, rise, rng))
    smallest = pooled.figures.minimum_detectable_effect
    return fails([m.test for m in (*each, pooled)]), math.nan if smallest is None else smallest


def chosen(work: Work) -> Table:
    """Choose the baseline by its rate, or lose a little again and again."""
    rows = []
    for task in TASKS:
        jobs: dict[str, Job] = {
            f"best {task}": partial(_best, task),
            f"all {task}": partial(_recipe, task, 5, 0.0, "together", 0.0),
        }
        best, every = work.repeat(jobs, 160).values()
        [better] = work.repeat({f"better {task}": partial(_whenever_better, task)}, 24).values()
        [slow] = work.repeat({f"slow {task}": partial(_slow, task)}, 40).values()
        cells = [share(best[:, 0]), share(every[:, 0]), share(better.ravel())]
        rows.append([task, *cells, *(share(column) for column in slow.T)])
    header = [
        "Suite",
        "Best of five recorded, fails %",
        "all five recorded",
        "recorded when better",
    ]
    header += [
        "Five slow regressions not found, %: last baseline",
        "with the anchor",
        "first baseline",
    ]
    return Table(header, rows)


def _rate(run: Floats) -> float:
    return float(run.sum())


def _best(task: str, rng: Rng) -> Sequence[float]:
    suite = RECIPES[task]
    runs = drawn(suite, 6, rng)
    best = min(range(1, 6), key=lambda i: _rate(runs[:, i]))
    return [fails(tested(suite, runs[:, [0, best]]))]


def _whenever_better(task: str, rng: Rng) -> Sequence[float]:
    """Judge eight runs, one after another; each that is better becomes the baseline."""
    suite = RECIPES[task]
    runs = drawn(suite, 9, rng)
    baseline, found = 0, []
    for run in range(1, 9):
        found.append(fails(tested(suite, runs[:, [run, baseline]])))
        baseline = run if _rate(runs[:, run]) < _rate(runs[:, baseline]) else baseline
    return found


def _slow(task: str, rng: Rng) -> Sequence[float]:
    """Lose 0.8 points five times; say whether all five pass, and get recorded.

    A run that passes is recorded; with an anchor only if it is no loss against it either, and its
    pooled rate not more than the margin above it (``baselines.recording.check_within``).
    """
    suite = RECIPES[task]
    runs = drawn(suite, 6, rng)
    for step in range(1, 6):
        runs[:, step] = shifted(suite, runs[:, step], 0.008 * step, rng)
    last = all(not fails(tested(suite, runs[:, [step, step - 1]])) for step in range(1, 6))
    first = [tested(suite, runs[:, [step, 0]]) for step in range(1, 6)]
    kept = not any(fails(tests) or tests[-1].delta > SETTINGS.margin for tests in first)
    return last, last and kept, not any(map(fails, first))


# Stopped early


def early_stop(work: Work) -> Table:
    """Runs that may stop early: exchanged ones, and ones with a loss, next to whole runs."""
    rows = []
    for task in TASKS:
        likely = _printed(SUITES[task], 3)[-1]
        same = {f"early {task}": partial(_exchanged_often, SUITES[task], 50, True)}
        jobs = {
            f"early {task} once": partial(_early, task, likely, True),
            f"early {task} twice": partial(_early, task, 2 * likely, False),
        }
        [unchanged] = work.repeat(same, PARTS).values()
        once, twice = work.repeat(jobs, 200).values()
        failed, ran = unchanged.reshape(-1, 2).T
        cells = [str(len(failed)), share(failed), at_most(failed), share(1 - ran)]
        cells += [points(likely), str(len(once)), share(once[:, 2])]
        for found in (once, twice):
            cells += [share(found[:, 0]), share(1 - found[:, 1])]
        rows.append([task, *cells])
    header = ["Suite", "Unchanged", "Fails, %", "at most", "Saved, %", "Detectable rise"]
    header += ["Repetitions", "Found whole, %", "Found early, %", "Saved, %"]
    return Table([*header, "Twice that: found early, %", "Saved, %"], rows)


def _early(task: str, rise: float, whole: bool, rng: Rng) -> Sequence[float]:
    suite = SUITES[task]
    runs = with_rise(suite, exchanged(suite, rng)[0], rise, rng)
    return *early(suite, runs), whole and fails(tested(suite, runs))


def _exchanged_often(suite: Suite, number: int, gives_up: bool, rng: Rng) -> Sequence[float]:
    """Return whether each of so many swapped runs fails, and how much it ran, one after another.

    They have their permutations in common.
    """
    runs = [exchanged(suite, rng)[0] for _ in range(number)]
    ended = early_exchanged(suite, runs, gives_up=gives_up)
    return [float(figure) for one in ended for figure in one]


def early_stop_families(work: Work) -> Table:
    """The same for simulated runs, each swapped often, run to the end unless one fails."""
    rows = []
    for relations, (size, flips) in product((1, 5), (SHAPES[0], SHAPES[2], SHAPES[6])):
        jobs = {
            f"early family {relations} {size} {flips} {clusters}": partial(
                _early_family, clusters, size, flips, relations
            )
            for clusters in (100, 1000)
        }
        found = [of.reshape(-1, 2)[:, 0] for of in work.repeat(jobs, PARTS).values()]
        every = np.concatenate(found)
        cells = [*map(share, found), share(every), at_most(every)]
        rows.append([f"{relations}, {size}, {flips}", *cells])
    header = ["Relations, cases per source, what differs", "100 sources", "1000 sources"]
    return Table([*header, "Both", "at most"], rows)


def _early_family(
    clusters: int, size: str, flips: str, relations: int, rng: Rng
) -> Sequence[float]:
    return _exchanged_often(made_up(clusters, size, flips, relations, rng), 50, False, rng)


def early_stop_runs(_: Work) -> Table:
    """Real runs of the demos' checkpoints and of seeded faults, whole and with early stop."""
    rows = [
        [
            *(run.task, run.candidate, run.whole.verdict.value, run.early.verdict.value),
            f"{run.whole.predictions.unique:,}",
            f"{run.early.predictions.unique:,}",
            f"{100 * (1 - run.early.predictions.unique / run.whole.predictions.unique):.0f}",
        ]
        for run in early_runs()
    ]
    header = ["Task", "Candidate", "Whole run", "Early stop", "Inputs", "Inputs run", "Saved, %"]
    return Table(header, rows)


# Nothing changed at all, and size


def unstable(work: Work) -> Table:
    """A language model that answers some inputs differently each time, and is no worse."""
    shares = (0.0, 0.01, 0.03, 0.05, 0.1)
    cases = [*((0.0, now) for now in shares), *((same, same) for same in shares[1:])]
    cases += [(0.01, 0.03), (0.05, 0.1)]
    rows = []
    for before, now in cases:
        jobs = {
            f"unstable {before} {now} {rise} {sources}": partial(
                _unstable, before, now, rise, sources
            )
            for rise, sources in product((0.0, 0.1), (150, 500))
        }
        found = [*work.repeat(jobs, 1000).values()]
        cells = [share(of[:, 0]) for of in found]
        largest = at_most(max((of[:, 0] for of in found[:2]), key=lambda of: of.mean()))
        rows.append([f"{100 * before:g}, {100 * now:g}", *cells[:2], largest, *cells[2:]])
    header = ["Flips of baseline and candidate, %", "150 sources", "500", "at most"]
    return Table([*header, "rise of 10 points, 150", "500"], rows)


_UNSTABLE, _CASES, _VIOLATED, _MEASURED = 0.3, 3, 0.15, 64
"""Share of inputs that may flip, cases of a source, violation rate, and inputs measured twice."""


def _unstable(before: float, now: float, rise: float, sources: int, rng: Rng) -> Sequence[float]:
    """Judge two runs of one model, whose inputs flip by themselves, and a true rise."""
    shape = (sources, _CASES)
    violated = rng.random(shape) < _VIOLATED
    worse = rng.random(shape) < rise / (1 - _VIOLATED)
    may_flip = [rng.random(of) < _UNSTABLE for of in ((sources, 1), shape)]
    runs, flips = [], []
    for share_of, has in ((now, violated | worse), (before, violated)):
        # Of inputs that may flip, this share deviates: two requests differ for share_of of all.
        deviates = (1 - math.sqrt(1 - 2 * share_of / _UNSTABLE)) / 2
        source, follow_up = (of & (rng.random(of.shape) < deviates) for of in may_flip)
        runs.append((has ^ source ^ follow_up).sum(1))
        number = rng.binomial(_MEASURED, share_of)
        flips.append(OwnFlips(number / _MEASURED, flips_at_most(number, _MEASURED)))
    now_settings, then_settings = (msgspec.structs.replace(SETTINGS, flips=of) for of in flips)
    settings = rules.with_allowed_flips(now_settings, then_settings)
    of_relation = rules.make_relation_settings(settings, "r", rules.Paired(0, None))
    pairing = Pairing(
        sources=tuple(map(str, range(sources))),
        violations=np.stack(runs, axis=1).astype(np.float64),
        weights=np.full(sources, float(_CASES)),
    )
    return [clustered_test(pairing, of_relation).regressed(of_relation)]


def again(work: Work) -> Table:
    """Ask the same checkpoint 100 times, in another order, other batches, with other threads."""
    number = max(4, round(100 * work.scale))
    before = rows_again("ner", None)
    runs = list(work.executor.map(partial(rows_again, "ner"), range(number)))
    verdicts = [
        compare(verdicts_from_rows(rows), [verdicts_from_rows(before)], SETTINGS) for rows in runs
    ]
    other = sum(outcome.verdict is not GateVerdict.PASS for outcome in verdicts)
    moved = sum(
        any(
            change not in ("ok", "still")
            for of in outcome.changes.values()
            for change in of.values()
        )
        for outcome in verdicts
    )
    cells = ["ner-baseline", str(number), str(len(before)), str(other), str(moved)]
    return Table(["Checkpoint", "Runs", "Cases", "Not a pass", "With a changed verdict"], [cells])


def size(work: Work) -> Table:
    """Compare runs of a million groups, each in a process of its own."""
    rows = []
    context = multiprocessing.get_context("spawn")
    for per_source, relations in ((4, 10), (1, 19)):
        groups = round(1_000_000 * work.scale)
        with ProcessPoolExecutor(1, mp_context=context) as alone_there:
            found = alone_there.submit(_size, groups, per_source, relations).result()
        seconds, peak = found
        rows.append([f"{per_source}, {relations}", f"{groups:,}", f"{seconds:.1f}", f"{peak:.2f}"])
    return Table(["Cases per source, relations", "Cases", "Seconds", "Peak memory, GB"], rows)


def _size(groups: int, per_source: int, relations: int) -> tuple[float, float]:
    now, before = (
        verdicts_from_rows(rows_of_size(groups, per_source, relations, run)) for run in (1, 0)
    )
    start = time.perf_counter()
    compare(now, [before], SETTINGS)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


TABLES: Mapping[str, Callable[[Work], Table]] = {
    "size": size,
    "unchanged": unchanged,
    "unchanged-single": unchanged_single,
    "unchanged-families": unchanged_families,
    "unchanged-slices": unchanged_slices,
    "policy": policy,
    "power": power,
    "power-single": power_single,
    "strict": strict,
    "coverage": coverage,
    "recipe": recipe,
    "recipe-power": recipe_power,
    "chosen": chosen,
    "early-stop": early_stop,
    "early-stop-families": early_stop_families,
    "early-stop-runs": early_stop_runs,
    "again": again,
    "unstable": unstable,
}
"""In the order in which they are made: size first, alone on the machine."""


def main() -> None:
    """Make the tables, print them, and put them into the page with ``--write``."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="repeat a tenth as often")
    parser.add_argument("--runs", type=Path, default=Path("calibration-runs"), metavar="FOLDER")
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES), metavar="TABLE")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into benchmarks/results/calibration.md"
    )
    arguments = parser.parse_args()
    for task in TASKS if {*arguments.only} - {"unstable"} else ():
        ROWS[task] = rows_of(arguments.runs, task)
        SUITES[task] = suite_of(task, ROWS[task])
        RECIPES[task] = opened(SUITES[task])
    start = time.perf_counter()
    with ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("fork")) as executor:
        work = Work(executor, 0.1 if arguments.quick else 1.0)
        for name in arguments.only:
            table = TABLES[name](work).markdown()
            print(f"\n{name}, after {time.perf_counter() - start:.0f} s\n\n{table}", flush=True)
            if arguments.write:
                put(PAGE, name, table)


if __name__ == "__main__":
    main()
