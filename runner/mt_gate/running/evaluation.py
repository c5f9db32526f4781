"""From a suite and a system's answers to verdicts and counts."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeVar

import msgspec

from mt_gate.domain import Group, NotApplicable, Source, Verdict
from mt_gate.judging import rates
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
from mt_gate.results.result import GroupRow, Overall, RelationResult, RelationWords
from mt_gate.running.predicting import Predictor
from mt_gate.suites.format import Suite, SuiteRelation, group_id
from mt_gate.sut.noise import largest
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.sut.wire import WINDOW
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS

T = TypeVar("T")

_DIGITS = 4
"""Of a margin in a row."""

AT_ONCE = WINDOW
"""Inputs of one round: as many as a checkpoint sorts by length together, so that its batches are as
full as if it were asked all at once."""

FIRST = 64
"""Sources asked before noise is measured, which may take longer than an answer: so that a system
which is too slow is told by the limit of an answer."""


def evaluate(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    context: Context = Context(),  # noqa: B008 - immutable
    at_once: int = AT_ONCE,
) -> tuple[Iterator[GroupRow], Noise]:
    """Run the rounds: sources and follow-ups that need no answer, then the others, verdicts.

    Args:
        suite: of which the groups of these relations are asked.
        relations: one after another.
        predictor: answers.
        context: what relations may know of the system.
        at_once: inputs that are asked in one round; of what hangs on answers groups, or sources of
            a bound relation. Rows are the same for any.

    Returns:
        One row a group in suite order, bound relations by source, each judged as it is taken, and
        asked then if it hangs on an answer; and the numerical noise of the system in units of its
        scores, by what moves them.
    """
    sources = sources_asked(suite, relations)
    predictor.learn([source.input for source in sources[:FIRST]])
    noise = noise_of(sources, predictor)
    asking = _Asking(predictor, largest(noise), context, at_once)
    return _rows(suite, relations, _answered(suite, relations, asking), asking), noise


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
    """Yield the rows of a run, or of a part of it, asking as they come.

    Args:
        suite: or a part of it.
        relations: that are asked for.
        predictor: that asks.
        noise: of the system, by what moves its scores; empty where no row is kept.
        context: what relations may know.
    """
    asking = _Asking(predictor, largest(noise), context, AT_ONCE)
    yield from _rows(suite, relations, _answered(suite, relations, asking), asking)


def sources_asked(suite: Suite, relations: Sequence[MetamorphicRelation]) -> list[Source]:
    """Return the sources that a run of these relations asks, in suite order."""
    wanted = {relation.id for relation in relations}
    groups = [group for group in suite.groups if group.relation in wanted]
    used = {name for group in groups for name in (group.source, group.second)}
    return [s for s in suite.sources if s.id in used or wanted.intersection(s.bind)]


def noise_of(sources: Sequence[Source], predictor: Predictor) -> Noise:
    """Return the noise of the system over a run's sources, in units of its scores."""
    return predictor.noise([source.input for source in sources]) if sources else {}


class _Asking(NamedTuple):
    """Who is asked in a run, how far its scores move by themselves, and how much at once."""

    predictor: Predictor
    noise: float
    context: Context
    at_once: int


def _answered(
    suite: Suite, relations: Sequence[MetamorphicRelation], asking: _Asking
) -> list[tuple[Source, Prediction]]:
    """Return the sources with their answers; follow-ups that need none are asked beside them.

    So that a checkpoint has the more inputs of a length in a batch.
    """
    sources = sources_asked(suite, relations)
    inputs = [source.input for source in sources]
    free = {of.id for of in relations if of.when is None and not of.at_run_time}
    follow_ups = [group.follow_up for group in suite.groups if group.relation in free]
    for some in _chunks([*inputs, *follow_ups], asking.at_once):
        asking.predictor.learn(some)
    return list(zip(sources, asking.predictor.predict(inputs), strict=True))


def _rows(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    answered: Sequence[tuple[Source, Prediction]],
    asking: _Asking,
) -> Iterator[GroupRow]:
    """Yield the rows of one relation after another, asking as they are taken."""
    by_relation: dict[str, list[Group]] = defaultdict(list)
    for group in suite.groups:
        by_relation[group.relation].append(group)
    judge = _Judge(
        {source.id: source for source, _ in answered},
        {source.id: prediction for source, prediction in answered},
        asking,
        TASKS[suite.head.task],
    )
    for at_run_time, some in groupby(relations, key=lambda relation: relation.at_run_time):
        if not at_run_time:  # together: one relation alone has few inputs of a length
            built = [(relation, group) for relation in some for group in by_relation[relation.id]]
            for groups in _chunks(built, asking.at_once):
                yield from judge.built(groups)
            continue
        for relation in some:
            binding = [source for source, _ in answered if relation.id in source.bind]
            for sources in _chunks(binding, asking.at_once):
                yield from judge.bound(relation, sources, suite.head.seed)


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[at : at + size] for at in range(0, len(items), size))


class _Judge:
    """Judges groups in the order of their relations, some at once."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        predictions: Mapping[str, Prediction],
        asking: _Asking,
        task: TaskSpec,
    ) -> None:
        self._sources = sources
        self._predictions = predictions
        self._predictor = asking.predictor
        self._noise = asking.noise
        self._context = asking.context
        self._task = task

    def built(self, groups: Sequence[tuple[MetamorphicRelation, Group]]) -> Iterator[GroupRow]:
        """Judge groups that stand in the suite, each by its relation."""
        reasons = [self._unfulfilled(relation, group) for relation, group in groups]
        asked = [g.follow_up for (_, g), reason in zip(groups, reasons, strict=True) if not reason]
        answers = iter(self._predictor.predict(asked))
        for (relation, group), reason in zip(groups, reasons, strict=True):
            second = self._second(group)
            follow_up = FollowUp(group.follow_up, group.alignment, second, group.gold)
            answer = Prediction(None, reason=reason) if reason else next(answers)
            row = self._row(relation, group.id, self._sources[group.source], follow_up, answer)
            yield msgspec.structs.replace(row, stratum=group.stratum) if group.stratum else row

    def _second(self, group: Group) -> AnsweredInput | None:
        """Return the second source of a group that has two, and was answered."""
        output = self._predictions[group.second].output if group.second else None
        return None if output is None else AnsweredInput(self._sources[group.second].input, output)

    def _unfulfilled(self, relation: MetamorphicRelation, group: Group) -> str:
        """Return why a group's follow-up need not be asked, or nothing."""
        before = self._predictions[group.source]
        if relation.when is None:
            return ""
        second = self._second(group)
        if before.output is None:
            return before.reason
        if group.second and second is None:
            return self._predictions[group.second].reason
        source = self._sources[group.source].input
        pending = PendingGroup(source, group.follow_up, before.output, self._context, second)
        return relation.when(pending)

    def bound(
        self, relation: MetamorphicRelation, sources: Sequence[Source], seed: int
    ) -> Iterator[GroupRow]:
        """Build and judge the groups that hang on the source output."""
        if relation.combine is not None:
            found = self._combined(relation.combine, sources)
        else:
            found = [(source, self._follow_ups(relation, source, seed)) for source in sources]
        wanted = [follow_up.input for _, follow_ups in found for follow_up in follow_ups]
        answers = iter(self._predictor.predict(wanted))
        for source, follow_ups in found:
            if not follow_ups:
                yield self._unbound(relation, source)
            for follow_up in follow_ups:
                row_id = group_id(relation.id, source.input, follow_up.input)
                yield self._row(relation, row_id, source, follow_up, next(answers))

    def _follow_ups(
        self, relation: MetamorphicRelation, source: Source, seed: int
    ) -> tuple[FollowUp, ...]:
        output = self._predictions[source.id].output
        if output is None or relation.bind is None:
            return ()
        # Each source draws by itself, so that another suite version draws the same.
        text = f"{seed}\0{relation.id}\0{source.id}".encode()
        rng = Random(int.from_bytes(hashlib.sha256(text).digest()[:8], "big"))
        return relation.bind(source.input, output, rng)

    def _combined(
        self, combine: Combination, sources: Sequence[Source]
    ) -> list[tuple[Source, tuple[FollowUp, ...]]]:
        """Ask for second sources; build the follow-ups of those that are."""
        outputs = [self._predictions[source.id].output for source in sources]
        firsts = [
            None if output is None else FirstSource(source, output, self._context)
            for source, output in zip(sources, outputs, strict=True)
        ]
        wanted = [combine.seconds(first) if first else () for first in firsts]
        answers = iter(self._predictor.predict([second for some in wanted for second in some]))
        found = []
        for source, first, seconds in zip(sources, firsts, wanted, strict=True):
            told = [(second, next(answers).output) for second in seconds]
            asked = tuple(
                AnsweredInput(second, output) for second, output in told if output is not None
            )
            found.append((source, combine.follow_ups(first, asked) if first else ()))
        return found

    def _unbound(self, relation: MetamorphicRelation, source: Source) -> GroupRow:
        prediction = self._predictions[source.id]
        silent = prediction.output is not None and self._task.says_nothing(prediction.output)
        unbuilt = NotApplicable.VACUOUS if silent else NotApplicable.NO_FOLLOW_UP
        return GroupRow(
            id=group_id(relation.id, source.input, {}),
            relation=relation.id,
            source_id=source.id,
            cluster=source.cluster,
            verdict=Verdict.NOT_APPLICABLE,
            reason=prediction.reason or unbuilt,
            source=source.input,
            source_output=prediction.output,
            bound=True,
        )

    def _row(
        self,
        relation: MetamorphicRelation,
        row_id: str,
        source: Source,
        follow_up: FollowUp,
        answer: Prediction,
    ) -> GroupRow:
        before = self._predictions[source.id]
        judgement = self._judgement(relation, source.input, before, follow_up, answer)
        margin = _margin(judgement, before, answer)
        return GroupRow(
            id=row_id,
            relation=relation.id,
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
            bound=relation.at_run_time,
            second=follow_up.second.input if follow_up.second else None,
            second_output=follow_up.second.output if follow_up.second else None,
            # Both scores of the closest pair may move by the noise, towards each other.
            unstable=margin < 2 * self._noise,
            margin=None if judgement.margin is not None else kept_margin(judgement.verdict, margin),
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


def _margin(judgement: Judgement, before: Prediction, after: Prediction) -> float:
    """Return how near the closest call of a group is: a judged difference, or an answer."""
    return min(before.margin, after.margin) if judgement.margin is None else judgement.margin


def kept_margin(verdict: Verdict, margin: float) -> float | None:
    """Return what a row keeps of a margin: its first digits, if the group has a verdict."""
    known = verdict is not Verdict.NOT_APPLICABLE and math.isfinite(margin)
    return float(f"{margin:.{_DIGITS}g}") if known else None


class RunCounts:
    """The counts of each relation of a run, and of each kind of edit, row by row."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self._found: defaultdict[str, _Counts] = defaultdict(_Counts)

    def watched(self, rows: Iterable[GroupRow]) -> Iterator[GroupRow]:
        """Yield the rows, each counted as it passes."""
        for row in rows:
            self._found[row.relation].add(row)
            yield row

    def results(self, relations: Sequence[str]) -> tuple[RelationResult, ...]:
        """Return the counts of every relation, in the order given."""
        return tuple(self._found[relation].result(relation) for relation in relations)


class _Counts:
    """The counts of one relation."""

    def __init__(self) -> None:
        self._verdicts: Counter[Verdict] = Counter()
        self._reasons: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._unstable = 0
        self._strata = rates.StrataCounts()

    def add(self, row: GroupRow) -> None:
        self._verdicts[row.verdict] += 1
        self._unstable += row.unstable
        self._errors.update(error.category.value for error in row.errors)
        self._strata.add(row)
        if row.verdict is Verdict.NOT_APPLICABLE:
            self._reasons[row.reason] += 1

    def result(self, relation: str) -> RelationResult:
        violated = self._verdicts[Verdict.VIOLATED]
        applicable = violated + self._verdicts[Verdict.SATISFIED]
        return RelationResult(
            id=relation,
            groups=self._verdicts.total(),
            applicable=applicable,
            violated=violated,
            violation_rate=violated / applicable if applicable else None,
            not_applicable=dict(sorted(self._reasons.items())),
            unstable=self._unstable,
            errors=dict(sorted(self._errors.items())),
            strata=self._strata.strata(),
        )


def count_all(relations: Sequence[str], rows: Iterable[GroupRow]) -> tuple[RelationResult, ...]:
    """Count every relation, in the order given."""
    counts = RunCounts()
    for _ in counts.watched(rows):
        pass
    return counts.results(relations)


def described(counted: Sequence[RelationResult], suite: Suite) -> tuple[RelationResult, ...]:
    """Return the counts with what the suite says of its relations: what readers found, its own."""
    found = {relation.id: relation for relation in suite.head.relations}
    return tuple(
        msgspec.structs.replace(
            item, precision=found[item.id].precision, words=_words(found[item.id])
        )
        for item in counted
    )


def _words(relation: SuiteRelation) -> RelationWords | None:
    if relation.output is None:
        return None
    names = ("title", "description", "before", "after")
    return RelationWords(**{name: getattr(relation, name) for name in names})


def overall(relations: Sequence[RelationResult]) -> Overall:
    """Add the relations up."""
    applicable = sum(relation.applicable for relation in relations)
    violated = sum(relation.violated for relation in relations)
    errors: Counter[str] = Counter()
    for relation in relations:
        errors.update(relation.errors)
    return Overall(
        applicable=applicable,
        violated=violated,
        violation_rate=violated / applicable if applicable else None,
        errors=dict(sorted(errors.items())),
    )
