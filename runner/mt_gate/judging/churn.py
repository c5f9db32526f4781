"""What changed between two runs, whether or not a rate moved: answers, groups, labelled inputs.

Two checkpoints of one accuracy may answer a tenth of all inputs otherwise. References:
    Milani Fard et al. 2016, Launch and Iterate, NeurIPS: churn, the share of answers that differ.
    Xie et al. 2021, Regression Bugs Are In Your Model!, ACL: negative flips, right before and
    wrong now, over all inputs.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.figures import between, count, counted, distinct_decimals, percent
from mt_gate.domain import AnswerChange, AnswerMove
from mt_gate.judging.statistics import rate_interval
from mt_gate.judging.verdicts import RelationVerdicts
from mt_gate.results.result import (
    MOST_LABELS,
    MOST_MOVES,
    AnswerChurn,
    Change,
    Churn,
    Drift,
    Flips,
    LabelChurn,
    LabelledAnswers,
    LabelledFlips,
    MovedAnswers,
)
from mt_gate.tasks.spec import Output, TaskSpec

Counts = NDArray[np.int64]

_P99 = 99
_ALIKE = 4096
"""Pairs of answers that are looked into once where they come again soon: many are alike."""


class BothAnswers(NamedTuple):
    """What baseline and candidate answered to an input, as JSON; None where one did not.

    ``cluster`` is what the input is counted under.
    """

    cluster: str
    before: bytes | None
    after: bytes | None


class _Became(NamedTuple):
    """What became of an answer: its moves, and by how much its score moved, if known."""

    moves: tuple[AnswerMove, ...]
    drift: float | None


def flips(turned: Sequence[int], wholes: Sequence[int]) -> Flips:
    """Return how many turned, with the interval of their rate.

    Args:
        turned: of each cluster.
        wholes: the size of each cluster, positive.
    """
    number, of = sum(turned), sum(wholes)
    if not of:
        return Flips(number=0, of=0, clusters=0)
    return Flips(
        number=number,
        of=of,
        clusters=len(wholes),
        rate=number / of,
        ci95=rate_interval(turned, wholes),
    )


def group_flips(
    moved: Mapping[str, Mapping[str, Change]], verdicts: Iterable[RelationVerdicts]
) -> Flips:
    """Return how many groups held before and are violated now, of those with both verdicts.

    Groups of relations that build them at run time are left out: each run builds its own, and one
    that was not there before has not turned.

    Args:
        moved: of ``pairing.changes``, by relation.
        verdicts: the candidate's, which know the source of each group.
    """
    wholes: Counter[str] = Counter()
    turned: Counter[str] = Counter()
    for found in verdicts:
        if found.bound:
            continue
        for group, change in moved[found.id].items():
            # A study's file may name violated groups whose source it does not have.
            if source := found.source_of.get(group):
                wholes[source] += 1
                turned[source] += change is Change.NEW
    counts = sorted((turned[source], whole) for source, whole in wholes.items())
    return flips([one for one, _ in counts], [whole for _, whole in counts])


def answer_churn(
    spec: TaskSpec, answers: Iterable[BothAnswers], read: Callable[[bytes], Output]
) -> AnswerChurn:
    """Return what was answered otherwise, over distinct inputs.

    Args:
        spec: of the task; it tells what an answer consists of.
        answers: one of each distinct input.
        read: from the JSON of an answer to the answer.
    """

    @lru_cache(maxsize=_ALIKE)
    def became(before: bytes, after: bytes) -> _Became:
        was = read(before)
        now = was if before == after else read(after)
        return _Became(tuple(spec.moves(was, now)), _moved_by(spec, was, now))

    one_side = 0
    outcomes = _Outcomes()
    drifts = array("d")
    for cluster, before, after in answers:
        if before is None or after is None:
            one_side += 1
            continue
        found = became(before, after)
        outcomes.add(cluster, found.moves)
        if found.drift is not None:
            drifts.append(found.drift)
    ordered = sorted(outcomes.moves().items(), key=lambda item: (-item[1], item[0]))
    return AnswerChurn(
        inputs=outcomes.inputs(),
        one_side=one_side,
        labels=tuple(outcomes.labels()),
        moves=tuple(
            MovedAnswers(how=move.how, before=move.before, after=move.after, number=number)
            for move, number in ordered[:MOST_MOVES]
        ),
        omitted=sum(number for _, number in ordered[MOST_MOVES:]),
        drift=_drift(drifts),
    )


def _moved_by(spec: TaskSpec, before: Output, after: Output) -> float | None:
    """Return how far the score moved; None where the two are not of the same thing."""
    old = spec.score(before)
    new = old if after is before else spec.score(after)
    return abs(new.value - old.value) if old and new and old.of == new.of else None


class _Outcomes:
    """What became of the answers to each input: alike ones are counted together, by cluster."""

    def __init__(self) -> None:
        self._clusters: dict[str, int] = {}
        self._found: defaultdict[tuple[AnswerMove, ...], array[int]]
        self._found = defaultdict(lambda: array("q"))

    def add(self, cluster: str, moves: tuple[AnswerMove, ...]) -> None:
        self._found[moves].append(self._clusters.setdefault(cluster, len(self._clusters)))

    def moves(self) -> Counter[AnswerMove]:
        counts: Counter[AnswerMove] = Counter()
        for moves, clusters in self._found.items():
            for move in moves:
                counts[move] += len(clusters)
        return counts

    def inputs(self) -> Flips:
        """Return how many inputs are answered otherwise."""
        turned, wholes = self._nothing(), self._nothing()
        for moves, clusters in self._found.items():
            np.add.at(wholes, clusters, 1)
            np.add.at(turned, clusters, any(_turned(move) for move in moves))
        return _flips_of(turned, wholes)

    def labels(self) -> Iterator[LabelChurn]:
        """Yield how many answers of each label became others, of the most frequent labels."""
        totals: Counter[str] = Counter()
        having: defaultdict[str, list[tuple[AnswerMove, ...]]] = defaultdict(list)
        for moves, clusters in self._found.items():
            for label, number in Counter(move.before for move in moves if move.before).items():
                totals[label] += number * len(clusters)
                having[label].append(moves)
        ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
        for label, _ in ordered[:MOST_LABELS]:
            yield LabelChurn(label=label, flips=self._of_label(label, having[label]))

    def _of_label(self, label: str, having: Iterable[tuple[AnswerMove, ...]]) -> Flips:
        turned, wholes = self._nothing(), self._nothing()
        for moves in having:
            of_it = [move for move in moves if move.before == label]
            np.add.at(wholes, self._found[moves], len(of_it))
            np.add.at(turned, self._found[moves], sum(map(_turned, of_it)))
        return _flips_of(turned, wholes)

    def _nothing(self) -> Counts:
        return np.zeros(len(self._clusters), dtype=np.int64)


def _turned(move: AnswerMove) -> bool:
    return move.how is not AnswerChange.KEPT


def _flips_of(turned: Counts, wholes: Counts) -> Flips:
    """Return the flips of the clusters that have any, so that no digit depends on their order."""
    there = np.flatnonzero(wholes)
    order = there[np.lexsort((wholes[there], turned[there]))]
    return flips(turned[order].tolist(), wholes[order].tolist())


def _drift(moved: Sequence[float]) -> Drift | None:
    if not moved:
        return None
    ordered = np.sort(np.minimum(moved, 1.0))
    return Drift(
        inputs=len(ordered),
        mean=min(1.0, float(ordered.mean())),
        p99=min(1.0, float(np.percentile(ordered, _P99))),
    )


def labelled_flips(
    candidate: LabelledAnswers | None, baselines: Sequence[LabelledAnswers | None]
) -> LabelledFlips | None:
    """Return which labelled inputs turned; None where not all runs were asked the same.

    Before, an input was right where most runs of the baseline answered it right, and wrong where
    most answered it wrong.
    """
    runs = [run for run in baselines if run is not None and candidate and _alike(run, candidate)]
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


def _alike(run: LabelledAnswers, other: LabelledAnswers) -> bool:
    return (run.sha256, run.inputs, run.clusters) == (other.sha256, other.inputs, other.clusters)


def over_churn(name: str, churn: Churn, limit: float) -> str:
    """Say that more changed than is allowed, beyond chance."""
    if name == "max_churn":
        assert churn.answers is not None, "of a churn that was counted"
        flips = churn.answers.inputs
        return f"{answers_differ(flips)}, {_above(flips, 'max-churn', limit)}"
    flips = churn.labelled.negative if churn.labelled else churn.groups
    turned = labelled_turned(churn.labelled) if churn.labelled else groups_turned(churn.groups)
    return f"{turned}, {_above(flips, 'max-negative-flips', limit)}"


def answers_differ(flips: Flips) -> str:
    """Say how many answers are others."""
    return f"{_describe_turned(flips, 'answer')} differ from the baseline's ({_rate(flips)})"


def groups_turned(flips: Flips) -> str:
    """Say how many groups held before and are violated now."""
    return f"{_describe_turned(flips, 'group')} turned from held to violated ({_rate(flips)})"


def labelled_turned(found: LabelledFlips) -> str:
    """Say how many labelled inputs were right before and are wrong now."""
    turned = _describe_turned(found.negative, "labelled input")
    return f"{turned} turned from right to wrong ({_rate(found.negative)})"


def churn_unchecked() -> str:
    """Say that there are no answers of the baseline to count other answers by."""
    return "max-churn was not checked: the baseline's answers are not known; record it with them"


def negative_flips_unchecked() -> str:
    """Say that the baseline was not asked the labelled inputs of this run."""
    return (
        "max-negative-flips was not checked: the baseline was not asked these labelled inputs; "
        "record one of a run with the same --labels"
    )


def no_group_in_both() -> str:
    """Say that there is no group that could have turned."""
    return (
        "max-negative-flips was not checked: no group of the suite has a verdict in both runs "
        "(groups built at run time do not count)"
    )


def _above(flips: Flips, setting: str, limit: float) -> str:
    """Say that the interval is above a limit, with its end where both would look alike."""
    least = flips.ci95[0] if flips.ci95 else limit
    decimals = distinct_decimals(least, limit)
    end = f" (from {percent(least, decimals)} on)" if decimals > 1 else ""
    return f"surely above {setting} {percent(limit, decimals)}{end}"


def _describe_turned(flips: Flips, noun: str) -> str:
    return f"{count(flips.number)} of {counted(flips.of, noun)}"


def _rate(flips: Flips) -> str:
    return f"{percent(flips.rate)}, 95 % interval {between(flips.ci95)}"
