"""What changed between two runs, whether or not a rate moved: answers, groups, labelled inputs.

Two checkpoints of one accuracy may predict otherwise for a tenth of all inputs. References:
    Milani Fard et al. 2016, Launch and Iterate, NeurIPS: churn, the share of answers that differ.
    Xie et al. 2021, Regression Bugs Are In Your Model!, ACL: negative flips, right before and
    wrong now, over all inputs.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mt_gate.base.figures import count, counted, percent
from mt_gate.domain import AnswerChange, AnswerMove
from mt_gate.judging.statistics import rate_interval
from mt_gate.judging.verdicts import RelationVerdicts
from mt_gate.results.result import (
    MOST_LABELS,
    MOST_MOVES,
    AnswerChurn,
    Change,
    Drift,
    Flips,
    LabelChurn,
    LabelledAnswers,
    LabelledFlips,
    MovedAnswers,
)
from mt_gate.tasks.spec import Output, TaskSpec

_ALIKE = 4096
"""Pairs of answers that are looked into once where they come again soon: many are alike."""


class BothAnswers(NamedTuple):
    """What baseline and candidate predict for an input, as JSON; None where one does not.

    ``cluster`` is what the input is counted under.
    """

    cluster: str
    before: bytes | None
    after: bytes | None


def flips(turned: Sequence[int], wholes: Sequence[int]) -> Flips:
    """Return how many turned, by cluster, with the interval of their rate.

    ``wholes`` are the sizes of the clusters; one of 0 is none.
    """
    # In an order of their own, so that no digit depends on that of the clusters.
    counts = sorted((number, whole) for number, whole in zip(turned, wholes, strict=True) if whole)
    if not counts:
        return Flips(number=0, of=0, clusters=0)
    numbers, sizes = zip(*counts, strict=True)
    return Flips(
        number=sum(numbers),
        of=sum(sizes),
        clusters=len(sizes),
        rate=sum(numbers) / sum(sizes),
        ci95=rate_interval(numbers, sizes),
    )


def group_flips(
    moved: Mapping[str, Mapping[str, Change]], verdicts: Iterable[RelationVerdicts]
) -> Flips:
    """Return how many groups with both verdicts are newly violated.

    ``moved`` is of ``pairing.changes``, by relation. Groups of relations that build them at run
    time are left out: each run builds its own, and one that was not there before has not turned.
    """
    wholes: Counter[str] = Counter()
    turned: Counter[str] = Counter()
    for relation in verdicts:
        if relation.bound:
            continue
        for group, change in moved[relation.id].items():
            # A study's file may name violated groups whose source it does not have.
            if source := relation.source_of.get(group):
                wholes[source] += 1
                turned[source] += change is Change.NEW
    return flips([turned[source] for source in wholes], [*wholes.values()])


def answer_churn(
    spec: TaskSpec, answers: Iterable[BothAnswers], read: Callable[[bytes], Output]
) -> AnswerChurn:
    """Return what is predicted otherwise, over distinct inputs; ``read`` parses an answer."""

    @lru_cache(maxsize=_ALIKE)
    def compared(before: bytes, after: bytes) -> tuple[tuple[AnswerMove, ...], float | None]:
        was = read(before)
        now = was if before == after else read(after)
        old, new = spec.score(was), spec.score(now)
        drift = abs(new.value - old.value) if old and new and old.of == new.of else None
        return tuple(spec.moves(was, now)), drift

    one_side = 0
    clusters: dict[str, int] = {}
    by_moves: defaultdict[tuple[AnswerMove, ...], list[int]] = defaultdict(list)
    drifts = array("d")
    for cluster, before, after in answers:
        if before is None or after is None:
            one_side += 1
            continue
        moves, drift = compared(before, after)
        by_moves[moves].append(clusters.setdefault(cluster, len(clusters)))
        if drift is not None:
            drifts.append(drift)

    def count_by_cluster(numbers: Mapping[tuple[AnswerMove, ...], tuple[int, int]]) -> Flips:
        turned, wholes = (np.zeros(len(clusters), dtype=np.int64) for _ in range(2))
        for moves, (lost, of) in numbers.items():
            np.add.at(turned, by_moves[moves], lost)
            np.add.at(wholes, by_moves[moves], of)
        return flips(turned.tolist(), wholes.tolist())

    times: Counter[AnswerMove] = Counter()
    totals: Counter[str] = Counter()
    # For each label and kind of change: how often the label was lost, and its total.
    of_label: defaultdict[str, dict[tuple[AnswerMove, ...], tuple[int, int]]] = defaultdict(dict)
    for moves, where in by_moves.items():
        for move in moves:
            times[move] += len(where)
            if move.before:
                totals[move.before] += len(where)
                lost, of = of_label[move.before].get(moves, (0, 0))
                of_label[move.before][moves] = (lost + _is_turned(move), of + 1)
    frequent = sorted(totals, key=lambda label: (-totals[label], label))[:MOST_LABELS]
    ordered = sorted(times.items(), key=lambda item: (-item[1], item[0]))
    return AnswerChurn(
        inputs=count_by_cluster({moves: (any(map(_is_turned, moves)), 1) for moves in by_moves}),
        one_side=one_side,
        labels=tuple(
            LabelChurn(label=label, flips=count_by_cluster(of_label[label])) for label in frequent
        ),
        moves=tuple(
            MovedAnswers(how=move.how, before=move.before, after=move.after, number=number)
            for move, number in ordered[:MOST_MOVES]
        ),
        omitted=sum(number for _, number in ordered[MOST_MOVES:]),
        drift=_drift(drifts),
    )


def _is_turned(move: AnswerMove) -> bool:
    return move.how is not AnswerChange.KEPT


def _drift(moved: Sequence[float]) -> Drift | None:
    if not moved:
        return None
    ordered = np.sort(np.minimum(moved, 1.0))
    return Drift(
        inputs=len(ordered),
        mean=min(1.0, float(ordered.mean())),
        p99=min(1.0, float(np.percentile(ordered, 99))),
    )


def labelled_flips(
    candidate: LabelledAnswers | None, baselines: Sequence[LabelledAnswers | None]
) -> LabelledFlips | None:
    """Return which labelled inputs turned; None where not all runs have the same.

    Before, an input was right where most runs of the baseline were right, and wrong where most
    were wrong.
    """
    runs = [
        run
        for run in baselines
        if run is not None
        and candidate
        and (run.sha256, run.inputs, run.clusters)
        == (candidate.sha256, candidate.inputs, candidate.clusters)
    ]
    if candidate is None or not runs or len(runs) < len(baselines):
        return None
    wrong = Counter(number for run in runs for number in run.wrong)
    times_wrong = np.zeros(candidate.inputs, dtype=np.int64)
    times_wrong[[*wrong]] = [*wrong.values()]
    right_before, wrong_before = 2 * times_wrong < len(runs), 2 * times_wrong > len(runs)
    wrong_now = np.zeros(candidate.inputs, dtype=bool)
    wrong_now[[*candidate.wrong]] = True
    sizes = np.array(candidate.clusters or (1,) * candidate.inputs)
    starts = np.cumsum(sizes) - sizes
    negative = np.add.reduceat((right_before & wrong_now).astype(int), starts)
    return LabelledFlips(
        labels=candidate.labels,
        negative=flips(negative.tolist(), sizes.tolist()),
        positive=int((wrong_before & ~wrong_now).sum()),
    )


def answers_differ(flips: Flips) -> str:
    """Return how many predictions changed."""
    share = f"{count(flips.number)} of {count(flips.of)}"
    return f"{percent(flips.rate)} of predictions changed ({share})"


def groups_turned(flips: Flips) -> str:
    """Return how many cases were satisfied before and are violated now."""
    return _describe(flips, "case", "newly violated")


def labelled_turned(turned: LabelledFlips) -> str:
    """Return how many labelled inputs were right before and are wrong now."""
    return _describe(turned.negative, "labelled input", "newly wrong")


def _describe(flips: Flips, noun: str, became: str) -> str:
    share = f"{percent(flips.rate)} of {count(flips.of)}"
    return f"{counted(flips.number, noun)} {became} ({share})"
