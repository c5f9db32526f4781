"""What changed between two runs, whether or not a rate moved: answers, groups, labelled inputs.

Two checkpoints of one accuracy may answer a tenth of all inputs otherwise. References:
    Milani Fard et al. 2016, Launch and Iterate, NeurIPS: churn, the share of answers that differ.
    Xie et al. 2021, Regression Bugs Are In Your Model!, ACL: negative flips, right before and
    wrong now, over all inputs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

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

_P99 = 99


class BothAnswers(NamedTuple):
    """What baseline and candidate answered to one input, None where one did not.

    ``cluster`` is what the input is counted under.
    """

    cluster: str
    before: Output | None
    after: Output | None


class _Tally:
    """How many turned of how many, by cluster."""

    def __init__(self) -> None:
        self._found: dict[str, list[int]] = {}

    def add(self, cluster: str, turned: bool) -> None:
        counts = self._found.setdefault(cluster, [0, 0])
        counts[0] += turned
        counts[1] += 1

    @property
    def of(self) -> int:
        return sum(whole for _, whole in self._found.values())

    def flips(self) -> Flips:
        counts = sorted(self._found.values())  # so that no digit depends on the order of the rows
        return flips([turned for turned, _ in counts], [whole for _, whole in counts])


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


def group_flips(moved: Mapping[str, Change], verdicts: Iterable[RelationVerdicts]) -> Flips:
    """Return how many groups held before and are violated now, of those with both verdicts.

    Args:
        moved: of ``pairing.changes``.
        verdicts: the candidate's, which know the source of each group.
    """
    tally = _Tally()
    for found in verdicts:
        for group, source in found.source_of.items():
            if group in moved:
                tally.add(source, moved[group] is Change.NEW)
    return tally.flips()


def answer_churn(spec: TaskSpec, answers: Iterable[BothAnswers]) -> AnswerChurn:
    """Return what was answered otherwise, over distinct inputs.

    Args:
        spec: of the task; it tells what an answer consists of.
        answers: one of each distinct input.
    """
    inputs, one_side = _Tally(), 0
    by_label: defaultdict[str, _Tally] = defaultdict(_Tally)
    moves: Counter[AnswerMove] = Counter()
    drifts: list[float] = []
    for cluster, before, after in answers:
        if before is None or after is None:
            one_side += 1
            continue
        found = [*spec.moves(before, after)]
        inputs.add(cluster, any(move.how is not AnswerChange.KEPT for move in found))
        moves.update(found)
        for move in found:
            if move.before:
                by_label[move.before].add(cluster, move.how is not AnswerChange.KEPT)
        old, new = spec.score(before), spec.score(after)
        if old is not None and new is not None and old.of == new.of:
            drifts.append(abs(new.value - old.value))
    ordered = sorted(moves.items(), key=lambda item: (-item[1], item[0]))
    labels = sorted(by_label.items(), key=lambda item: (-item[1].of, item[0]))
    return AnswerChurn(
        inputs=inputs.flips(),
        one_side=one_side,
        labels=tuple(
            LabelChurn(label=label, flips=tally.flips()) for label, tally in labels[:MOST_LABELS]
        ),
        moves=tuple(
            MovedAnswers(how=move.how, before=move.before, after=move.after, number=number)
            for move, number in ordered[:MOST_MOVES]
        ),
        omitted=sum(number for _, number in ordered[MOST_MOVES:]),
        drift=_drift(drifts),
    )


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

    Before, an input was right where most runs of the baseline answered it right.
    """
    runs = [run for run in baselines if run is not None and candidate and _alike(run, candidate)]
    if candidate is None or not runs or len(runs) < len(baselines):
        return None
    wrong = Counter(number for run in runs for number in run.wrong)
    right_before = np.ones(candidate.inputs, dtype=bool)
    right_before[[number for number, of in wrong.items() if 2 * of >= len(runs)]] = False
    wrong_now = np.zeros(candidate.inputs, dtype=bool)
    wrong_now[[*candidate.wrong]] = True
    sizes = np.array(candidate.clusters or (1,) * candidate.inputs)
    starts = np.cumsum(sizes) - sizes
    negative = np.add.reduceat((right_before & wrong_now).astype(int), starts)
    return LabelledFlips(
        labels=candidate.labels,
        negative=flips(negative.tolist(), sizes.tolist()),
        positive=int((~right_before & ~wrong_now).sum()),
    )


def _alike(run: LabelledAnswers, other: LabelledAnswers) -> bool:
    return (run.sha256, run.inputs, run.clusters) == (other.sha256, other.inputs, other.clusters)
