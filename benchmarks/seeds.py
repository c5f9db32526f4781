"""How much trainings of one recipe differ in their violation rates (needs mt-gate[export]).

    python benchmarks/seeds.py --data DATA --work WORK [--tasks ner,boolq,re,text] [--seeds 8]
    python benchmarks/seeds.py --work WORK --tables [--write]

The first trains each recipe of each task with several seeds, and runs the task's suite on every
checkpoint. What is finished stays in WORK: a stopped study continues. The recipes are the small
ones of ``fault_training.py``: with their encoder, with one layer less, and with other examples per
seed. The second makes the tables of results/seeds.md.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from fault_training import RECIPES, Plan, Recipe, described, started_from, train_into
from mt_gate.judging import clustered
from mt_gate.judging.clustered import SeedSpread, pair, pool
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import RunVerdicts, verdicts_from_rows, with_others
from mt_gate.relations.base import is_known_answer
from mt_gate.results.result import RunSettings, is_loss
from mt_gate.results.store import read_all_rows, read_result
from page_tables import markdown, put

PAGE = Path(__file__).parent / "results" / "seeds.md"
SUITES = {"text": "text-robustness"}
"""Suites of tasks that do not use ``TASK-default``."""
DRAWS = 40
"""Comparisons for each share."""


def recipes(task: str, seed: int) -> dict[str, Recipe]:
    """Return the recipes of a task for a seed, by name."""
    usual = RECIPES[task]._replace(seed=seed)
    return {
        "usual": usual,
        "smaller": usual._replace(layers=-1),
        "new-data": usual._replace(data_seed=1000 + seed),
    }


def run(task: str, name: str, recipe: Recipe, data: Path, work: Path) -> None:
    """Train one checkpoint, and run the suite on it, unless that is done."""
    out = work / task / name / str(recipe.seed)
    if (out / "result.json").is_file():
        return
    checkpoint = work / "checkpoint"
    shutil.rmtree(checkpoint, ignore_errors=True)
    planned = Plan(recipe)
    train_into(task, data, planned, checkpoint, described(name, planned, started_from(task, data)))
    flags = ["--checkpoint", checkpoint, "--task", task, "--out", out, "--cache", work / "cache"]
    flags += ["--suite", SUITES.get(task, f"{task}-default"), "--quiet"]
    command = [sys.executable, "-m", "mt_gate", "run", *map(str, flags)]
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    shutil.rmtree(work / "cache", ignore_errors=True)


class Training(NamedTuple):
    """One training's verdicts on the suite, and the settings of its run."""

    verdicts: RunVerdicts
    settings: RunSettings


def read_trainings(work: Path, tasks: Sequence[str]) -> dict[str, list[Training]]:
    """Return the trainings of each recipe, by "task, recipe"; recipes with three or more."""
    of_recipes: dict[str, list[Training]] = {}
    for task in tasks:
        for path in sorted(work.glob(f"{task}/*/*/result.json")):
            result = read_result(path)
            verdicts = verdicts_from_rows(read_all_rows(path, result))
            key = f"{task}, {path.parts[-3]}"
            of_recipes.setdefault(key, []).append(Training(verdicts, result.settings))
    return {key: some for key, some in of_recipes.items() if len(some) > 2}


class Spread(NamedTuple):
    """Mean rate of a recipe's trainings, and their variance beyond that which texts explain."""

    rate: float
    beyond: float

    @property
    def scale(self) -> float:
        """The variance over that of a single case."""
        return self.beyond / (self.rate * (1 - self.rate))


def measure_spreads(trainings: Sequence[Training]) -> dict[str, Spread]:
    """Return the spread of each relation with enough texts, and of all together ("")."""
    first, *others = (training.verdicts for training in trainings)
    pairings = {
        name: pair(of, [other[name] for other in others])
        for name, of in first.items()
        if all(name in other for other in others)
    }
    pairings = {name: of for name, of in pairings.items() if len(of.sources) >= 30}
    pooled = pool([of for name, of in pairings.items() if not is_known_answer(name)])
    spreads = {}
    for name, pairing in {**pairings, "": pooled}.items():
        runs = pairing.violations
        rates = runs.sum(axis=0) / pairing.pairs
        by_texts = math.fsum(runs.var(axis=1, ddof=1)) / pairing.pairs**2
        spreads[name] = Spread(float(rates.mean()), float(rates.var(ddof=1)) - by_texts)
    return spreads


def fit(spreads: Sequence[Mapping[str, Spread]], *, overall: bool) -> SeedSpread:
    """Return the prior that several recipes support, for all relations together or for each.

    The scale is the mean over recipes of the overall scale, or of the median over relations. The
    degrees of freedom follow from how much it varies: a chi-squared variable over its mean has the
    variance 2 / f.
    """
    scales = np.array([max(0.0, scale_of(of, overall=overall)) for of in spreads])
    mean = float(scales.mean())
    varies = float(scales.var(ddof=1)) / mean**2 if mean and len(scales) > 1 else 1.0
    return SeedSpread(mean, max(1, min(30, round(2 / varies))))


def scale_of(spreads: Mapping[str, Spread], *, overall: bool) -> float:
    """Return a recipe's scale overall, or the median of its relations."""
    if overall:
        return spreads[""].scale
    return float(np.median([of.scale for name, of in spreads.items() if name and 0 < of.rate < 1]))


class Case(NamedTuple):
    """How many trainings the baseline and the candidate have, and whether a prior is used."""

    baseline: int
    candidates: int
    prior: bool


CASES = (
    Case(1, 1, prior=False),
    Case(1, 1, prior=True),
    Case(3, 1, prior=False),
    Case(3, 1, prior=True),
    Case(5, 1, prior=True),
    Case(3, 3, prior=True),
)


def fail_share(trainings: Sequence[Training], case: Case, priors: Priors) -> tuple[float, float]:
    """Return how often a training fails against others of its recipe, and what is detectable.

    The second is the median overall minimum detectable regression. Without a prior, judge as if
    nothing was known of other recipes.
    """
    nothing = SeedSpread(0.0, 0)
    clustered.SEEDS, clustered.SEEDS_OVERALL = priors if case.prior else (nothing, nothing)
    rng = np.random.default_rng(7)
    failures, detectable = [], []
    for _ in range(DRAWS):
        drawn = rng.choice(len(trainings), case.baseline + case.candidates, replace=False)
        candidates, baseline = np.split(drawn, [case.candidates])
        first, *others = (trainings[at].verdicts for at in candidates)
        settings = replace(trainings[candidates[0]].settings, retrained=case.prior)
        before = [trainings[at].verdicts for at in baseline]
        outcome = compare(with_others(first, others), before, settings)
        failures.append(is_loss(outcome.verdict))
        effect = outcome.overall.minimum_detectable_effect
        detectable.append(effect or math.inf)
    return float(np.mean(failures)), float(np.median(detectable))


Priors = tuple[SeedSpread, SeedSpread]
"""For each relation, and overall."""


def priors_of(spreads: Sequence[Mapping[str, Spread]]) -> Priors:
    """Return both priors that recipes support."""
    return fit(spreads, overall=False), fit(spreads, overall=True)


def held_out(work: Path, tasks: Sequence[str], key: str) -> list[tuple[float, float]]:
    """Return for each case how a recipe fares with a prior from the recipes of other tasks."""
    of_recipes = read_trainings(work, tasks)
    others = [of for name, of in of_recipes.items() if name.split(",")[0] != key.split(",")[0]]
    priors = priors_of([measure_spreads(of) for of in others])
    return [fail_share(of_recipes[key], case, priors) for case in CASES]


def make_tables(work: Path, tasks: Sequence[str]) -> dict[str, str]:
    """Return the tables of the page by name."""
    of_recipes = read_trainings(work, tasks)
    spreads = {key: measure_spreads(some) for key, some in of_recipes.items()}
    rows = [
        [
            key,
            str(len(of_recipes[key])),
            f"{100 * of[''].rate:.1f}",
            f"{100 * math.sqrt(max(0.0, of[''].beyond)):.2f}",
            f"{1e4 * scale_of(of, overall=True):.1f}",
            f"{1e4 * scale_of(of, overall=False):.1f}",
        ]
        for key, of in spreads.items()
    ]
    header = ["Task, recipe", "Trainings", "Violated, %", "Standard deviation, points"]
    header += ["Variance overall, 1e-4 r(1 - r)", "of a relation (median)"]
    tables = {"spread": markdown(header, rows)}
    relation, overall = priors_of([*spreads.values()])
    rows = [
        [name, f"{1e4 * of.scale:.1f}", str(of.freedom)]
        for name, of in (("relation", relation), ("overall", overall))
    ]
    tables["prior"] = markdown(["", "Variance, 1e-4 r(1 - r)", "Degrees of freedom"], rows)
    with ProcessPoolExecutor() as executor:
        results = executor.map(partial(held_out, work, tasks), of_recipes)
        by_key = dict(zip(of_recipes, results, strict=True))
    names = [
        f"{case.baseline} to {case.candidates}, {'prior' if case.prior else 'no prior'}"
        for case in CASES
    ]
    rows = [
        [key, *(f"{100 * failed:.0f}% ({100 * effect:.1f})" for failed, effect in found)]
        for key, found in by_key.items()
    ]
    mean = np.mean([[failed for failed, _ in found] for found in by_key.values()], axis=0)
    middle = np.median([[effect for _, effect in found] for found in by_key.values()], axis=0)
    rows.append(
        ["**All**", *(f"{100 * a:.1f}% ({100 * b:.1f})" for a, b in zip(mean, middle, strict=True))]
    )
    tables["retrained"] = markdown(["Task, recipe", *names], rows)
    return tables


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tasks", default="ner,boolq,re,text")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--tables", action="store_true", help="print tables of what is in WORK")
    parser.add_argument("--write", action="store_true", help="put them into results/seeds.md")
    arguments = parser.parse_args()
    if arguments.tables:
        for name, table in make_tables(arguments.work, arguments.tasks.split(",")).items():
            print(f"{name}\n\n{table}", flush=True)
            if arguments.write:
                put(PAGE, name, table)
        return
    for task in arguments.tasks.split(","):
        for seed in range(1, arguments.seeds + 1):
            for name, recipe in recipes(task, seed).items():
                run(task, name, recipe, arguments.data, arguments.work)
                print(task, name, seed, flush=True)


if __name__ == "__main__":
    main()
