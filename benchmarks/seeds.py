"""How much trainings of one recipe differ in their violation rates (needs mt-gate[export]).

    python benchmarks/seeds.py --data DATA --work WORK [--tasks ner,boolq,re,text] [--seeds 8]

Trains each recipe of each task with several seeds, and runs the task's suite on every checkpoint.
What is finished stays in WORK: a stopped study continues. The recipes are the small ones of
``fault_training.py``: with their encoder, with one layer less, and with other examples per seed.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from fault_training import RECIPES, Plan, Recipe, described, started_from, train_into
from mt_gate.judging import clustered
from mt_gate.judging.clustered import SeedSpread, pair, pool
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import RunVerdicts, verdicts_from_rows
from mt_gate.relations.base import is_known_answer
from mt_gate.results.result import RunSettings, is_loss
from mt_gate.results.store import read_all_rows, read_result

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


def fit(spreads: Sequence[Mapping[str, Spread]]) -> SeedSpread:
    """Return the prior that several recipes support.

    The scale is the mean over recipes of the median over relations. The degrees of freedom follow
    from how much the scale varies: a chi-squared variable over its mean has the variance 2 / f.
    """
    scales = np.array(
        [
            max(0.0, float(np.median([one.scale for one in of.values() if 0 < one.rate < 1])))
            for of in spreads
        ]
    )
    mean = float(scales.mean())
    varies = float(scales.var(ddof=1)) / mean**2 if mean and len(scales) > 1 else 1.0
    return SeedSpread(mean, max(1, min(30, round(2 / varies))))


def fail_share(
    trainings: Sequence[Training], runs: int, prior: SeedSpread | None, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how often a training fails against others of its recipe, and what is detectable.

    The second is the median overall minimum detectable regression. Without a prior, judge as if
    trainings of other recipes told nothing.
    """
    clustered.SEEDS = prior or SeedSpread(0.0, 0)
    failures, detectable = [], []
    for _ in range(DRAWS):
        candidate, *baseline = rng.choice(len(trainings), runs + 1, replace=False)
        settings = replace(trainings[candidate].settings, retrained=prior is not None)
        before = [trainings[at].verdicts for at in baseline]
        outcome = compare(trainings[candidate].verdicts, before, settings)
        failures.append(is_loss(outcome.verdict))
        effect = outcome.overall and outcome.overall.minimum_detectable_effect
        detectable.append(effect or math.inf)
    return float(np.mean(failures)), float(np.median(detectable))


def print_tables(work: Path, tasks: Sequence[str]) -> None:
    """Print how much seeds differ, the prior, and how recipes fare that are not part of it."""
    of_recipes = read_trainings(work, tasks)
    spreads = {key: measure_spreads(some) for key, some in of_recipes.items()}
    for key, of in spreads.items():
        shown = {name: (round(100 * one.rate, 1), round(one.scale, 5)) for name, one in of.items()}
        print(key, len(of_recipes[key]), shown)
    print("prior", fit([*spreads.values()]))
    for key, some in of_recipes.items():
        prior = fit([of for other, of in spreads.items() if other != key])
        rng = np.random.default_rng(7)
        cells = [key, prior]
        for runs in (1, 3, 5):
            if len(some) > runs:
                cells += [fail_share(some, runs, None, rng), fail_share(some, runs, prior, rng)]
        print(*cells, flush=True)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tasks", default="ner,boolq,re,text")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--tables", action="store_true", help="print tables of what is in WORK")
    arguments = parser.parse_args()
    if arguments.tables:
        print_tables(arguments.work, arguments.tasks.split(","))
        return
    for task in arguments.tasks.split(","):
        for seed in range(1, arguments.seeds + 1):
            for name, recipe in recipes(task, seed).items():
                run(task, name, recipe, arguments.data, arguments.work)
                print(task, name, seed, flush=True)


if __name__ == "__main__":
    main()
