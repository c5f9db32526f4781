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
MOST_FREEDOM = 30.0


def plan_recipes(task: str, seed: int) -> dict[str, Recipe]:
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


def fit(recipes: Mapping[str, Sequence[Training]]) -> SeedSpread:
    """Return the prior that several recipes support.

    The scales that recipes show, each from few trainings, are taken for those of an F distribution
    (Smyth 2004). Its mean and variance give the scale and its degrees of freedom.
    """
    scales = np.array([max(0.0, measure_spreads(some)[""].scale) for some in recipes.values()])
    known = float(np.mean([len(some) - 1 for some in recipes.values()]))
    mean = float(scales.mean())
    varies = known * float(scales.var(ddof=1)) / mean**2
    freedom = MOST_FREEDOM
    if varies > 2:
        freedom = min(freedom, (4 * varies + 2 * (known - 2)) / (varies - 2))
    return SeedSpread(mean * (freedom - 2) / freedom, int(freedom))


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


def fail_share(trainings: Sequence[Training], case: Case, prior: SeedSpread) -> tuple[float, float]:
    """Return how often a training fails against others of its recipe, and what is detectable.

    The second is the median overall minimum detectable regression. Without a prior, judge as if
    nothing was known of other recipes.
    """
    clustered.SEEDS = prior if case.prior else SeedSpread(0.0, 0)
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


def held_out(work: Path, tasks: Sequence[str], key: str) -> list[tuple[float, float] | None]:
    """Return for each case how a recipe fares with a prior from the recipes of other tasks."""
    recipes = read_trainings(work, tasks)
    task = key.split(",")[0]
    prior = fit({name: some for name, some in recipes.items() if name.split(",")[0] != task})
    return [
        fail_share(recipes[key], case, prior)
        if case.baseline + case.candidates <= len(recipes[key])
        else None
        for case in CASES
    ]


def make_tables(work: Path, tasks: Sequence[str]) -> dict[str, str]:
    """Return the tables of the page by name."""
    recipes = read_trainings(work, tasks)
    rows = [
        [
            key,
            str(len(some)),
            f"{100 * of.rate:.1f}",
            f"{100 * math.sqrt(max(0.0, of.beyond)):.2f}",
            f"{1e4 * of.scale:.1f}",
        ]
        for key, some in recipes.items()
        for of in (measure_spreads(some)[""],)
    ]
    header = ["Task, recipe", "Trainings", "Violated, %", "Standard deviation, points"]
    tables = {"spread": markdown([*header, "Variance, 1e-4 r(1 - r)"], rows)}
    prior = fit(recipes)
    tables["prior"] = markdown(
        ["Variance, 1e-4 r(1 - r)", "Degrees of freedom"],
        [[f"{1e4 * prior.scale:.1f}", str(prior.freedom)]],
    )
    with ProcessPoolExecutor() as executor:
        results = executor.map(partial(held_out, work, tasks), recipes)
        by_key = dict(zip(recipes, results, strict=True))
    names = [
        f"{case.baseline} to {case.candidates}, {'prior' if case.prior else 'no prior'}"
        for case in CASES
    ]
    rows = [
        [
            key,
            *("" if one is None else f"{100 * one[0]:.0f}% ({100 * one[1]:.1f})" for one in found),
        ]
        for key, found in by_key.items()
    ]
    of_cases = [[one for one in column if one] for column in zip(*by_key.values(), strict=True)]
    rows.append(["**All**", *map(_together, of_cases)])
    tables["retrained"] = markdown(["Task, recipe", *names], rows)
    return tables


def _together(found: Sequence[tuple[float, float]]) -> str:
    if not found:
        return ""
    failed, effects = zip(*found, strict=True)
    return f"{100 * float(np.mean(failed)):.1f}% ({100 * float(np.median(effects)):.1f})"


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
            for name, recipe in plan_recipes(task, seed).items():
                run(task, name, recipe, arguments.data, arguments.work)
                print(task, name, seed, flush=True)


if __name__ == "__main__":
    main()
