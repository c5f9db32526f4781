"""From a suite and a system's answers to rows with verdicts."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from random import Random
from typing import Any, NamedTuple

from mt_gate.domain import Group, NotApplicable, Source, Verdict
from mt_gate.relations.base import (
    AnsweredInput,
    Combination,
    Context,
    ExecutedGroup,
    FirstSource,
    FollowUp,
    Judgement,
    MetamorphicRelation,
    PendingGroup,
)
from mt_gate.relations.known_answer import is_known_answer
from mt_gate.results.result import GroupRow
from mt_gate.running.predicting import Predictor, chunks
from mt_gate.suites.format import Suite, group_id
from mt_gate.sut.noise import largest
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.sut.wire import WINDOW
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS

_DIGITS = 4
"""Of a margin in a row."""

AT_ONCE = WINDOW
"""Inputs of one round: as many as a checkpoint sorts by length together, so that its batches are as
full as if it were asked all at once."""

_SOURCES_AT_HAND = 1 << 11
"""That are there as objects with their answers: those of groups that stand near each other."""
_JUDGED_TOGETHER = 1 << 11
"""Groups that hang on no answer."""

_NOISE_POOL = 256
"""Inputs that a system may choose from to see how far its scores may move."""

FIRST = 16
"""Sources asked before noise is measured, which may take longer than an answer: so that a system
which is too slow is told by the limit of an answer."""


def evaluate(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    context: Context = Context(),  # noqa: B008 - immutable
    at_once: int = AT_ONCE,
) -> tuple[Iterator[GroupRow], Noise]:
    """Run the rounds: sources and follow-ups that need no answer, then the others, verdicts."""
    sources = sources_predicted(suite, relations)
    predictor.learn([source.input for source in islice(sources, FIRST)])
    noise = noise_of(sources, predictor)
    asking = _Asking(predictor, largest(noise), context, at_once)
    _answer(sources, suite, relations, asking)
    return _rows(suite, relations, sources, asking), noise


def ask(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    context: Context = Context(),  # noqa: B008 - immutable
) -> None:
    """Ask all that ``evaluate`` asks, noise aside; the predictor knows the answers."""
    # What hangs on answers is built and asked where it is judged; the rows are let go one by one.
    for _ in rows_of(suite, relations, predictor, {}, context):
        pass


def rows_of(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    noise: Noise,
    context: Context = Context(),  # noqa: B008 - immutable
) -> Iterator[GroupRow]:
    """Yield the rows of a run, or of a part of it, asking as they come."""
    asking = _Asking(predictor, largest(noise), context, AT_ONCE)
    sources = sources_predicted(suite, relations)
    _answer(sources, suite, relations, asking)
    yield from _rows(suite, relations, sources, asking)


def sources_predicted(suite: Suite, relations: Sequence[MetamorphicRelation]) -> tuple[Source, ...]:
    """Return the sources that a run of these relations asks, in suite order."""
    wanted = {relation.id for relation in relations}
    used = {
        name
        for group in suite.groups
        if group.relation in wanted
        for name in (group.source, group.second)
    }
    return tuple(one for one in suite.sources if one.id in used or wanted.intersection(one.bind))


def noise_of(sources: Sequence[Source], predictor: Predictor) -> Noise:
    """Return the noise of the system over a run's sources, in units of its scores."""
    if not sources:
        return {}
    pool = islice(sources, 0, None, math.ceil(len(sources) / _NOISE_POOL))
    return predictor.noise([source.input for source in pool])


class _Asking(NamedTuple):
    """Who is asked in a run, how far its scores move by themselves, and how much at once."""

    predictor: Predictor
    noise: float
    context: Context
    at_once: int


def _is_predicted_first(relation: MetamorphicRelation) -> bool:
    return relation.when is None and not relation.at_run_time


def _answer(
    sources: Sequence[Source],
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    asking: _Asking,
) -> None:
    """Have the sources answered, and beside them the follow-ups that need no answer.

    So that a checkpoint has the more inputs of a length in a batch.
    """
    inputs = (source.input for source in sources)
    free = {of.id for of in relations if _is_predicted_first(of)}
    follow_ups = (group.follow_up for group in suite.groups if group.relation in free)
    for some in chunks(chain(inputs, follow_ups), asking.at_once):
        asking.predictor.learn(some)
    asking.predictor.count(len(sources))


def _rows(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    answered: Sequence[Source],
    asking: _Asking,
) -> Iterator[GroupRow]:
    judge = _Judge({source.id: source for source in answered}, asking, TASKS[suite.head.task])
    # All relations together: one alone has few inputs of a length.
    for seconds in chunks(_seconds(suite, relations, judge), asking.at_once):
        asking.predictor.learn(seconds)
    for due in _rounds(_due(suite, relations, judge, asking.at_once), asking.at_once):
        yield from judge.rows(due)


class _Known(NamedTuple):
    """A source and its answer."""

    source: Source
    answer: Prediction


class _Due(NamedTuple):
    """A group that is to be judged."""

    id: str
    relation: MetamorphicRelation
    source: _Known
    follow_up: FollowUp | None
    reason: str = ""
    stratum: str = ""


def _seconds(
    suite: Suite, relations: Sequence[MetamorphicRelation], judge: _Judge
) -> Iterator[Mapping[str, Any]]:
    for relation in relations:
        if relation.combine is not None:
            binding = (source for source in suite.sources if relation.id in source.bind)
            for _, _, seconds in judge.seconds(relation.combine, binding):
                yield from seconds


def _due(
    suite: Suite, relations: Sequence[MetamorphicRelation], judge: _Judge, at_once: int
) -> Iterator[_Due]:
    by_relation: defaultdict[str, list[Group]] = defaultdict(list)
    for group in suite.groups:
        by_relation[group.relation].append(group)
    for relation in relations:
        if not relation.at_run_time:
            yield from judge.built(relation, by_relation[relation.id])
            continue
        binding = (source for source in suite.sources if relation.id in source.bind)
        for sources in chunks(binding, at_once):
            yield from judge.bound(relation, sources, suite.head.seed)


def _rounds(due: Iterable[_Due], at_once: int) -> Iterator[list[_Due]]:
    """Yield groups in lists: as many as are asked together, of those that were asked before few.

    As objects, ``AT_ONCE`` of them take more than all that a run holds otherwise.
    """
    some: list[_Due] = []
    are_asked = True
    for of in due:
        some.append(of)
        are_asked = are_asked and _is_predicted_first(of.relation)
        if len(some) >= (min(at_once, _JUDGED_TOGETHER) if are_asked else at_once):
            yield some
            some, are_asked = [], True
    if some:
        yield some


class _Judge:
    """Builds what hangs on answers, asks it, and judges groups."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        asking: _Asking,
        task: TaskSpec,
    ) -> None:
        self._sources = sources
        # As objects all of them would take more than the suite.
        self._known = lru_cache(_SOURCES_AT_HAND)(self._read)
        self._predictor = asking.predictor
        self._noise = asking.noise
        self._context = asking.context
        self._task = task

    def _read(self, name: str) -> _Known:
        source = self._sources[name]
        return _Known(source, self._predictor.answer(source.input))

    def _prediction(self, name: str) -> Prediction:
        return self._known(name).answer

    def rows(self, due: Sequence[_Due]) -> Iterator[GroupRow]:
        """Judge groups, whose follow-ups are asked together."""
        asked = [of.follow_up.input for of in due if of.follow_up and not of.reason]
        answers = iter(self._predictor.predict(asked))
        for of in due:
            if of.follow_up is None:
                yield self._unbound(of)
            else:
                silent = Prediction(None, reason=of.reason)
                yield self._row(of, of.follow_up, silent if of.reason else next(answers))

    def built(self, relation: MetamorphicRelation, groups: Iterable[Group]) -> Iterator[_Due]:
        """Yield groups that stand in the suite."""
        for group in groups:
            yield self._due(relation, group)

    def _due(self, relation: MetamorphicRelation, group: Group) -> _Due:
        follow_up = FollowUp(group.follow_up, group.alignment, self._second(group), group.gold)
        reason = self._unfulfilled(relation, group)
        return _Due(group.id, relation, self._known(group.source), follow_up, reason, group.stratum)

    def _second(self, group: Group) -> AnsweredInput | None:
        if not group.second:
            return None
        known = self._known(group.second)
        return _answered_input(known.source.input, known.answer)

    def _unfulfilled(self, relation: MetamorphicRelation, group: Group) -> str:
        if relation.when is None:
            return ""
        before = self._prediction(group.source)
        second = self._second(group)
        if before.output is None:
            return before.reason
        if group.second and second is None:
            return self._prediction(group.second).reason
        source = self._known(group.source).source.input
        pending = PendingGroup(source, group.follow_up, before.output, self._context, second)
        return relation.when(pending)

    def bound(
        self, relation: MetamorphicRelation, sources: Sequence[Source], seed: int
    ) -> Iterator[_Due]:
        """Build and yield the groups that hang on the sources' outputs."""
        if relation.combine is not None:
            found = self._combined(relation.combine, sources)
        else:
            found = ((source, self._follow_ups(relation, source, seed)) for source in sources)
        for source, follow_ups in found:
            known = self._known(source.id)
            if not follow_ups:
                yield _Due(group_id(relation.id, source.input, {}), relation, known, None)
            for follow_up in follow_ups:
                row_id = group_id(relation.id, source.input, follow_up.input)
                yield _Due(row_id, relation, known, follow_up)

    def _follow_ups(
        self, relation: MetamorphicRelation, source: Source, seed: int
    ) -> tuple[FollowUp, ...]:
        output = self._prediction(source.id).output
        if output is None or relation.bind is None:
            return ()
        # Each source draws by itself, so that another suite version draws the same.
        text = f"{seed}\0{relation.id}\0{source.id}".encode()
        rng = Random(int.from_bytes(hashlib.sha256(text).digest()[:8], "big"))
        return relation.bind(source.input, output, rng)

    def _combined(
        self, combine: Combination, sources: Sequence[Source]
    ) -> Iterator[tuple[Source, tuple[FollowUp, ...]]]:
        wanted = list(self.seconds(combine, sources))
        answers = iter(self._predictor.predict([item for _, _, some in wanted for item in some]))
        for source, first, seconds in wanted:
            told = [_answered_input(second, next(answers)) for second in seconds]
            asked = tuple(second for second in told if second is not None)
            yield source, combine.follow_ups(first, asked) if first else ()

    def seconds(
        self, combine: Combination, sources: Iterable[Source]
    ) -> Iterator[tuple[Source, FirstSource | None, tuple[Mapping[str, Any], ...]]]:
        """Yield sources with what may be second sources to each, none where it has no answer."""
        for source in sources:
            output = self._prediction(source.id).output
            first = None if output is None else FirstSource(source, output, self._context)
            yield source, first, combine.seconds(first) if first else ()

    def _unbound(self, due: _Due) -> GroupRow:
        source, prediction = due.source
        silent = prediction.output is not None and self._task.says_nothing(prediction.output)
        unbuilt = NotApplicable.VACUOUS if silent else NotApplicable.NO_FOLLOW_UP
        return GroupRow(
            id=due.id,
            relation=due.relation.id,
            source_id=source.id,
            cluster=source.cluster,
            verdict=Verdict.NOT_APPLICABLE,
            reason=prediction.reason or unbuilt,
            source=source.input,
            source_output=prediction.output,
            bound=True,
        )

    def _row(self, due: _Due, follow_up: FollowUp, answer: Prediction) -> GroupRow:
        source, before = due.source
        judgement = self._judgement(due.relation, source.input, before, follow_up, answer)
        margin = _margin(judgement, before, follow_up.second, answer)
        return GroupRow(
            id=due.id,
            relation=due.relation.id,
            source_id=source.id,
            cluster=source.cluster,
            verdict=judgement.verdict,
            source=source.input,
            follow_up=follow_up.input,
            alignment=follow_up.alignment,
            source_output=before.output,
            follow_up_output=answer.output,
            unmatched=judgement.unmatched,
            errors=judgement.errors,
            reason=judgement.reason,
            bound=due.relation.at_run_time,
            second=follow_up.second.input if follow_up.second else None,
            second_output=follow_up.second.output if follow_up.second else None,
            stratum=due.stratum,
            slices=tuple(f"{name}: {value}" for name, value in sorted(source.slices.items()))
            if is_known_answer(due.relation.id)
            else (),
            # Both scores of the closest pair may move by the noise, towards each other.
            unstable=margin < 2 * self._noise,
            margin=None
            if judgement.margin is not None
            else stored_margin(judgement.verdict, margin),
        )

    def _judgement(
        self,
        relation: MetamorphicRelation,
        source: Mapping[str, Any],
        before: Prediction,
        follow_up: FollowUp,
        after: Prediction,
    ) -> Judgement:
        if before.output is None or after.output is None:
            return Judgement(Verdict.NOT_APPLICABLE, before.reason or after.reason)
        case = ExecutedGroup(
            source,
            follow_up.input,
            before.output,
            after.output,
            follow_up.alignment,
            follow_up.second,
            self._context,
            follow_up.gold,
        )
        return relation.holds(case)


def _answered_input(asked: Mapping[str, Any], answer: Prediction) -> AnsweredInput | None:
    return None if answer.output is None else AnsweredInput(asked, answer.output, answer.margin)


def _margin(
    judgement: Judgement, before: Prediction, second: AnsweredInput | None, after: Prediction
) -> float:
    if judgement.margin is not None:
        return judgement.margin
    return min(before.margin, after.margin, second.margin if second else math.inf)


def stored_margin(verdict: Verdict, margin: float) -> float | None:
    """Return what a row keeps of a margin: its first digits, if the group has a verdict."""
    known = verdict is not Verdict.NOT_APPLICABLE and math.isfinite(margin)
    return float(f"{margin:.{_DIGITS}g}") if known else None
