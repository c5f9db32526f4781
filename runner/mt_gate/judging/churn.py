"""What changed between two runs, whether or not a rate moved: answers, groups, labelled inputs.

Two checkpoints of one accuracy may answer a tenth of all inputs otherwise. References:
    Milani Fard et al. 2016, Launch and Iterate, NeurIPS: churn, the share of answers that differ.
    Xie et al. 2021, Regression Bugs Are In Your Model!, ACL: negative flips, right before and
    wrong now, over all inputs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.mapped_arrays import let_go, one_after_the_other
from mt_gate.base.sorted_ids import Positions, SortedIds, union
from mt_gate.domain import AnswerChange, AnswerMove
from mt_gate.judging.statistics import rate_interval
from mt_gate.judging.units import Changes, Counts, by_code
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

_Alike = tuple[tuple[AnswerMove, ...], Positions]
"""What became of answers, with the cluster of each input of which it did."""

_P99 = 99
_AT_ONCE = 1 << 16
_ALIKE = 4096
"""Pairs of answers that are looked into once where they come again soon: many are alike."""


class BothAnswers(NamedTuple):
    """What baseline and candidate answered to some inputs, as JSON; None where one did not.

    ``inputs`` has eight bytes for each that it is known by, ``places`` where it is among those that
    the baseline answered, -1 where it did not, ``clusters`` what it is counted under.
    """

    inputs: bytes
    places: Positions
    clusters: Sequence[str]
    before: Sequence[bytes | None]
    after: Sequence[bytes | None]


class _Moved(NamedTuple):
    """What became of an answer: the kind of its moves, and by how much its score moved, if any."""

    kind: int
    drift: float = math.nan


_NOT_BOTH = _Moved(-1)
_NOT_COME, _BEFORE_ALONE = -2, -1
"""In the place of a kind, of what the baseline answered: the candidate was not asked, or did not
answer."""


def flips(turned: Counts, wholes: Counts) -> Flips:
    """Return how many turned, with the interval of their rate.

    Args:
        turned: of each cluster.
        wholes: the size of each cluster, positive.
    """
    number, of = int(turned.sum()), int(wholes.sum())
    if not of:
        return Flips(number=0, of=0, clusters=0)
    return Flips(
        number=number,
        of=of,
        clusters=len(wholes),
        rate=number / of,
        ci95=rate_interval(turned, wholes),
    )


def group_flips(moved: Mapping[str, Changes], verdicts: Iterable[RelationVerdicts]) -> Flips:
    """Return how many groups held before and are violated now, of those with both verdicts.

    Groups of relations that build them at run time are left out: each run builds its own, and one
    that was not there before has not turned.

    Args:
        moved: of ``pairing.changes``, by relation.
        verdicts: the candidate's, which know the source of each group.
    """
    of_suite = {found.id: found.source_of for found in verdicts if not found.bound}
    sources = union(source_of.sources for source_of in of_suite.values())
    turned, wholes = (np.zeros(len(sources), dtype=np.int64) for _ in range(2))
    for relation, source_of in one_after_the_other(of_suite.items()):
        changes = moved[relation]
        for counts, groups in ((wholes, changes.ids), (turned, changes.having(Change.NEW))):
            # A study's file may name violated groups of which it tells no source.
            names, at = source_of.by_source(source_of.ids & groups)
            counts[sources.positions(names)] += np.bincount(at, minlength=len(names))
    return _flips_of(turned, wholes)


def answer_churn(
    spec: TaskSpec,
    answers: Iterable[BothAnswers],
    clusters: SortedIds,
    asked: int,
    read: Callable[[bytes], Output],
) -> AnswerChurn:
    """Return what was answered otherwise, over distinct inputs.

    An input of several clusters is counted in the first of them by name; of one that comes with an
    answer and without the answer counts.

    Args:
        spec: of the task; it tells what an answer consists of.
        answers: to each input, once or more often.
        clusters: all that have an input.
        asked: how many inputs the baseline answered.
        read: from the JSON of an answer to the answer.
    """
    moves: dict[tuple[AnswerMove, ...], int] = {}

    @lru_cache(maxsize=_ALIKE)
    def moved(before: bytes, after: bytes) -> _Moved:
        was = read(before)
        now = was if before == after else read(after)
        kind = moves.setdefault(tuple(spec.moves(was, now)), len(moves))
        return _Moved(kind, _moved_by(spec, was, now))

    columns = _Columns(clusters, asked)
    for some in answers:
        columns.add(some, moved)
    let_go()
    outcomes, one_side, drifts = columns.distinct([*moves])
    del columns
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


def _moved_by(spec: TaskSpec, before: Output, after: Output) -> float:
    """Return how far the score moved, nan where the two are not of the same thing."""
    old = spec.score(before)
    new = old if after is before else spec.score(after)
    if old is None or new is None or old.of != new.of:
        return math.nan
    return abs(new.value - old.value)


class _Columns:
    """What became of the answers to the inputs that the baseline answered, in columns by place.

    Of each the first of its clusters, the kind of moves, and the drift, which most tasks have of
    all answers or of none. Of inputs that the candidate alone answered there is what they are
    known by.
    """

    def __init__(self, clusters: SortedIds, asked: int) -> None:
        self._names = clusters
        self._kinds: NDArray[np.signedinteger[Any]] = np.full(asked, _NOT_COME, np.int8)
        self._clusters = np.full(asked, len(clusters), np.int32)
        self._drifts: NDArray[np.float64] | None = None
        self._others: list[NDArray[np.uint64]] = [np.empty(0, np.uint64)]

    def add(self, some: BothAnswers, moved: Callable[[bytes, bytes], _Moved]) -> None:
        found = [
            _NOT_BOTH if before is None or after is None else moved(before, after)
            for before, after in zip(some.before, some.after, strict=True)
        ]
        kinds = np.array([kind for kind, _ in found], np.int32)
        if len(kinds) and kinds.max() > np.iinfo(self._kinds.dtype).max:
            # Most systems' answers move in a few ways, for which a byte does.
            self._kinds = self._kinds.astype(np.int32)
        answered = np.array([after is not None for after in some.after], np.bool_)
        known = some.places >= 0
        inputs = np.frombuffer(some.inputs, ">u8")[answered & ~known]
        self._others.append(inputs.astype(np.uint64))
        at = some.places[known]
        np.minimum.at(self._clusters, at, self._names.found(some.clusters)[known])
        self._kinds[at] = np.maximum(self._kinds[at], _BEFORE_ALONE)
        # Of the answers to one input the first counts.
        new = np.flatnonzero(known & answered)
        new = new[self._kinds[some.places[new]] < 0]
        at, first = np.unique(some.places[new], return_index=True)
        new = new[first]
        self._kinds[at] = kinds[new]
        drifts = np.array([drift for _, drift in found], np.float64)[new]
        if self._drifts is None and not np.isnan(drifts).all():
            self._drifts = np.full(len(self._kinds), np.nan)
        if self._drifts is not None:
            self._drifts[at] = drifts

    def distinct(self, moves: Sequence[tuple[AnswerMove, ...]]) -> _Distinct:
        """Return what is left of them, each input once."""
        found: defaultdict[int, list[Positions]] = defaultdict(list)
        for start in range(0, len(self._kinds), _AT_ONCE):
            kinds, clusters = (of[start : start + _AT_ONCE] for of in (self._kinds, self._clusters))
            there, which = np.unique(kinds, return_inverse=True)
            for kind, at in zip(there.tolist(), by_code(which, len(there)), strict=True):
                if kind >= 0:
                    found[kind].append(clusters[at])
        # What came of an answer that does not count came of none.
        alike = [(moves[kind], np.concatenate(its)) for kind, its in sorted(found.items())]
        drifts = np.empty(0) if self._drifts is None else self._drifts
        others = len(np.unique(np.concatenate(self._others)))
        return _Distinct(
            _Outcomes(len(self._names), alike),
            int((self._kinds == _BEFORE_ALONE).sum()) + others,
            drifts[~np.isnan(drifts)],
        )


class _Distinct(NamedTuple):
    """What became of the answers to distinct inputs; of how many one did not answer; drifts."""

    outcomes: _Outcomes
    one_side: int
    drifts: NDArray[np.float64]


class _Outcomes:
    """What became of the answers to each input: alike ones are counted together, by cluster."""

    def __init__(self, clusters: int, alike: Sequence[_Alike]) -> None:
        self._number = clusters
        self._alike = alike

    def moves(self) -> Counter[AnswerMove]:
        counts: Counter[AnswerMove] = Counter()
        for moves, clusters in self._alike:
            for move in moves:
                counts[move] += len(clusters)
        return counts

    def inputs(self) -> Flips:
        """Return how many inputs are answered otherwise."""
        turned, wholes = self._nothing(), self._nothing()
        for moves, clusters in self._alike:
            np.add.at(wholes, clusters, 1)
            np.add.at(turned, clusters, any(_turned(move) for move in moves))
        return _flips_of(turned, wholes)

    def labels(self) -> Iterator[LabelChurn]:
        """Yield how many answers of each label became others, of the most frequent labels."""
        totals: Counter[str] = Counter()
        having: defaultdict[str, list[_Alike]] = defaultdict(list)
        for moves, clusters in self._alike:
            for label, number in Counter(move.before for move in moves if move.before).items():
                totals[label] += number * len(clusters)
                having[label].append((moves, clusters))
        ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
        for label, _ in ordered[:MOST_LABELS]:
            yield LabelChurn(label=label, flips=self._of_label(label, having[label]))

    def _of_label(self, label: str, having: Iterable[_Alike]) -> Flips:
        turned, wholes = self._nothing(), self._nothing()
        for moves, clusters in having:
            of_it = [move for move in moves if move.before == label]
            np.add.at(wholes, clusters, len(of_it))
            np.add.at(turned, clusters, sum(map(_turned, of_it)))
        return _flips_of(turned, wholes)

    def _nothing(self) -> Counts:
        return np.zeros(self._number, dtype=np.int64)


def _turned(move: AnswerMove) -> bool:
    return move.how is not AnswerChange.KEPT


def _flips_of(turned: Counts, wholes: Counts) -> Flips:
    """Return the flips of the clusters that have any, so that no digit depends on their order."""
    there = np.flatnonzero(wholes)
    order = there[np.lexsort((wholes[there], turned[there]))]
    return flips(turned[order], wholes[order])


def _drift(moved: NDArray[np.float64]) -> Drift | None:
    if not len(moved):
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
        negative=flips(negative, sizes),
        positive=int((wrong_before & ~wrong_now).sum()),
    )


def _alike(run: LabelledAnswers, other: LabelledAnswers) -> bool:
    return (run.sha256, run.inputs, run.clusters) == (other.sha256, other.inputs, other.clusters)
