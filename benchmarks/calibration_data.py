"""What benchmarks/calibration.py draws from: the demos' real outcomes, and made-up ones.

Outcomes are an array of shape (sources, runs, relations): violations, as in
``judging.permutation``; where a relation is bound at run time, the rate of the source.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mt_gate import gate
from mt_gate.demo import CHECKPOINTS
from mt_gate.judging.clustered import ClusteredTest, Pairing, clustered_tests, pair, pool
from mt_gate.judging.measuring import Measured, measure_all
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results.result import GroupRow, RunSettings
from mt_gate.results.store import GROUPS
from mt_gate.settings.record import SETTINGS as ALL
from mt_gate.settings.record import STORED, Settings

TASKS = ("ner", "boolq", "re")
SETTINGS = RunSettings(**{name: ALL[name].default for name in STORED}, complete=True, noise=0.0)
"""The defaults of a run."""
BEFORE, NOW = "baseline", "candidate"

Floats = NDArray[np.float64]
Rows = Sequence[GroupRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A suite as the demos answered it: per task real, or made up.

    ``outcomes`` are of two runs. ``weights`` (sources, relations) are the pairs of each source,
    ``groups`` how many groups they stand for; ``new`` and ``fixed`` how many of them changed.
    """

    task: str
    relations: Sequence[str]
    outcomes: Floats
    weights: Floats
    groups: Floats
    new: Floats
    fixed: Floats
    names: NDArray[np.str_]

    def pairings(self, runs: Floats) -> list[Pairing]:
        """Return runs over this suite as the gate pairs them, the first run the candidate."""
        found = []
        for i in range(len(self.relations)):
            at = self.weights[:, i] > 0
            found.append(
                Pairing(
                    sources=tuple(self.names[at].tolist()),
                    violations=runs[at, :, i],
                    weights=self.weights[at, i],
                )
            )
        return found


def tested(suite: Suite, runs: Floats) -> list[ClusteredTest]:
    """Test runs, the candidate first; the pool's test comes last."""
    pairings = suite.pairings(runs)
    return clustered_tests(pairings, pool(pairings), SETTINGS)


def measured(suite: Suite, runs: Floats) -> list[Measured]:
    """Measure runs: tests, intervals, smallest losses; the pool comes last."""
    nothing = {name: RelationVerdicts(id=name) for name in suite.relations}
    before = {name: (one,) for name, one in nothing.items()}
    pairings = dict(zip(suite.relations, suite.pairings(runs), strict=True))
    each, pooled = measure_all(nothing, before, pairings, SETTINGS)
    return [*each.values(), pooled]


def exchanged(suite: Suite, rng: np.random.Generator) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the two runs, exchanged for half of the sources, and for which."""
    swapped = rng.random(len(suite.outcomes)) < 0.5
    return np.where(swapped[:, None, None], suite.outcomes[:, ::-1], suite.outcomes), swapped


def exchanged_rows(
    rows: Mapping[str, Rows], rng: np.random.Generator
) -> tuple[list[GroupRow], list[GroupRow]]:
    """Return the rows of two runs, exchanged for half of the clusters, all relations together."""
    now, before = rows[NOW], rows[BEFORE]
    clusters = sorted({row.cluster_key for run in rows.values() for row in run})
    swapped = {c for c, swap in zip(clusters, rng.random(len(clusters)) < 0.5, strict=True) if swap}
    kept = [[row for row in run if row.cluster_key not in swapped] for run in (now, before)]
    moved = [[row for row in run if row.cluster_key in swapped] for run in (now, before)]
    return kept[0] + moved[1], kept[1] + moved[0]


def drawn(suite: Suite, runs: int, rng: np.random.Generator) -> Floats:
    """Return runs of one recipe: of each source, each run has one of its two outcomes at random."""
    at = rng.integers(0, 2, (len(suite.outcomes), runs))
    return suite.outcomes[np.arange(len(at))[:, None], at]


def opened(suite: Suite) -> Suite:
    """Return the suite with as many sources again for which two runs may differ.

    Runs of ``drawn`` have the same outcome half the time; so that two of them differ as often as
    the demos' do, sources without a difference get the outcomes of one that has.
    """
    differs = (suite.outcomes[:, 0] != suite.outcomes[:, 1]).any(axis=1)
    outcomes = suite.outcomes.copy()
    free = list(np.flatnonzero(~differs).tolist())
    shapes = defaultdict(list)
    for i in free:
        shapes[suite.weights[i].tobytes()].append(i)
    left = []
    for i in np.flatnonzero(differs).tolist():
        alike = shapes[suite.weights[i].tobytes()]
        if alike:
            outcomes[alike.pop()] = suite.outcomes[i]
        else:
            left.append(i)
    free = [i for alike in shapes.values() for i in alike]
    for i in left:  # a larger source takes them as well
        moved = (suite.outcomes[i, 0] != suite.outcomes[i, 1]).nonzero()[0]
        needed = suite.outcomes[i][:, moved].max(axis=0)
        fits = [j for j in free if (suite.weights[j, moved] >= np.maximum(needed, 1)).all()]
        if fits:
            outcomes[fits[0]][:, moved] = suite.outcomes[i][:, moved]
            free.remove(fits[0])
    return replace(suite, outcomes=outcomes)


def shifted(suite: Suite, run: Floats, points: float | Floats, rng: np.random.Generator) -> Floats:
    """Return one run (sources, relations) with its violation rates moved at random.

    Groups turn one by one, each with the same chance: satisfied ones where the rate rises,
    violated ones where it falls.

    Args:
        suite: of the run.
        run: violations.
        points: the true rise: of all relations pooled, or of each; at most what there is room for.
        rng: of the draws.
    """
    counts = np.where(suite.weights > 0, run / np.maximum(suite.weights, 1) * suite.groups, 0)
    turned = np.zeros_like(counts)
    pooled = np.ndim(points) == 0
    for relation in [slice(None)] if pooled else range(counts.shape[1]):
        rise = float(points) if pooled else float(np.asarray(points)[relation])
        violated, groups = counts[:, relation], suite.groups[:, relation]
        may = np.rint(groups - violated if rise > 0 else violated).astype(np.int64)
        if rise and may.sum():
            chance = min(1.0, abs(rise) * groups.sum() / may.sum())
            turned[:, relation] = np.sign(rise) * rng.binomial(may, chance)
    return np.asarray(run + turned * suite.weights / np.maximum(suite.groups, 1), dtype=np.float64)


def with_rise(
    suite: Suite, runs: Floats, points: float | Floats, rng: np.random.Generator
) -> Floats:
    """Return runs with a true rise of the candidate."""
    risen = runs.copy()
    risen[:, 0] = shifted(suite, runs[:, 0], points, rng)
    return risen


def alone(suite: Suite, relation: int, points: float) -> Floats:
    """Return the rise of a single relation, for ``shifted``."""
    rises = np.zeros(len(suite.relations))
    rises[relation] = points
    return rises


def made_up(
    clusters: int, size: str, flips: str, relations: int, rng: np.random.Generator
) -> Suite:
    """Return two runs that are equally good, a tenth of the groups worse in each.

    Args:
        clusters: sources.
        size: groups of a source in each relation, as in ``flipped``.
        flips: as in ``flipped``; or ``asymmetric``: the candidate violates groups at random, the
            baseline all of a source or none.
        relations: how many.
        rng: of the draws.
    """
    if flips == "asymmetric":
        weights = _sizes(clusters, size, relations, rng)
        new = rng.binomial(weights.astype(np.int64), 0.15).astype(np.float64)
        fixed = np.where(rng.random((clusters, 1)) < 0.15, weights, 0.0)
        both = np.minimum(new, fixed)
        return _made(np.stack([new, fixed], axis=1), weights, new - both, fixed - both)
    weights, new, fixed = flipped(clusters, size, flips, (0.1, 0.1), relations, rng)
    shared = rng.binomial((weights - new - fixed).astype(np.int64), 0.1)
    return _made(np.stack([new + shared, fixed + shared], axis=1), weights, new, fixed)


def flipped(
    clusters: int,
    size: str,
    flips: str,
    chances: tuple[float, float],
    relations: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:
    """Return the groups of each source and relation, and how many are worse, how many better.

    Args:
        clusters: sources.
        size: groups of a source in each relation: a number, or ``heavy`` for log-normal ones.
        flips: ``single`` groups, ``whole`` sources with all their relations, or ``mixed``: half
            of the sources so, half so.
        chances: of a group to be worse, and to be better.
        relations: how many.
        rng: of the draws.
    """
    worse, better = chances
    weights = _sizes(clusters, size, relations, rng)
    up = rng.binomial(weights.astype(np.int64), worse)
    down = rng.binomial(weights.astype(np.int64) - up, better / (1 - worse))
    whole = rng.random((clusters, 1)) < {"single": 0.0, "whole": 1.0, "mixed": 0.5}[flips]
    side = rng.random((clusters, 1))
    new = np.where(whole, np.where(side < worse, weights, 0.0), up)
    fixed = np.where(whole, np.where(side > 1 - better, weights, 0.0), down)
    return weights, new, fixed


def _sizes(clusters: int, size: str, relations: int, rng: np.random.Generator) -> Floats:
    heavy = np.maximum(1.0, np.rint(rng.lognormal(1, 1, clusters)))
    sizes = heavy if size == "heavy" else np.full(clusters, float(size))
    return np.repeat(sizes[:, None], relations, axis=1)


def _made(outcomes: Floats, weights: Floats, new: Floats, fixed: Floats) -> Suite:
    return Suite(
        task="made up",
        relations=[f"relation-{i:02d}" for i in range(weights.shape[1])],
        outcomes=outcomes,
        weights=weights,
        groups=weights,
        new=new,
        fixed=fixed,
        names=np.array([f"source-{i:05d}" for i in range(len(weights))]),
    )


def rows_of(runs: Path, task: str) -> dict[str, list[GroupRow]]:
    """Return the rows of both demo checkpoints over a whole suite; what is missing is run."""
    found = {}
    for which in (BEFORE, NOW):
        out = runs / f"{task}-{which}"
        if not (out / GROUPS).exists():
            checkpoint = str(CHECKPOINTS / f"{task}-{which}")
            settings = Settings(
                checkpoint=checkpoint, task=task, suite=f"{task}-default", out=out, device="cpu"
            )
            gate.run(settings, lambda _: None, lambda _done, _total: None)
        with gzip.open(out / GROUPS) as lines:
            found[which] = [msgspec.json.decode(line, type=GroupRow) for line in lines]
    return found


def suite_of(task: str, rows: Mapping[str, Rows]) -> Suite:
    """Return a task's suite with the outcomes of both runs."""
    now, before = (verdicts_from_rows(rows[which]) for which in (NOW, BEFORE))
    pairings = {relation: pair(now[relation], [before[relation]]) for relation in now}
    names = sorted(pool(list(pairings.values())).sources)
    index = {source: i for i, source in enumerate(names)}
    shape = len(names), len(pairings)
    outcomes, weights = np.zeros((shape[0], 2, shape[1])), np.zeros(shape)
    groups, new, fixed = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for i, (relation, pairing) in enumerate(pairings.items()):
        verdicts = now[relation]
        at = [index[source] for source in pairing.sources]
        outcomes[at, :, i] = pairing.violations
        weights[at, i] = groups[at, i] = pairing.weights
        if verdicts.bound:  # of these only sources are paired
            groups[at, i] = [verdicts.sources[source].applicable for source in pairing.sources]
            new[:, i] = np.maximum(0, outcomes[:, 0, i] - outcomes[:, 1, i])
            fixed[:, i] = np.maximum(0, outcomes[:, 1, i] - outcomes[:, 0, i])
            continue
        for counts, ids in ((new, pairing.new), (fixed, pairing.fixed)):
            np.add.at(counts[:, i], [index[verdicts.source_of[group]] for group in ids], 1)
    return Suite(
        task=task,
        relations=list(pairings),
        outcomes=outcomes,
        weights=weights,
        groups=groups,
        new=new,
        fixed=fixed,
        names=np.array(names),
    )


def settings_with(**changed: Any) -> RunSettings:
    """Return the default settings with some of them changed."""
    return msgspec.structs.replace(SETTINGS, **changed)
