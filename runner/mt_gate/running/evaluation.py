"""Evaluate a suite: turn a system's predictions into rows with verdicts."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from mt_gate.domain import Group, NotApplicable, Source, Verdict
from mt_gate.relations.base import (
    AnsweredInput,
    Context,
    ExecutedGroup,
    FirstSource,
    FollowUp,
    Judgement,
    MetamorphicRelation,
    PendingGroup,
    is_known_answer,
)
from mt_gate.results.result import GroupRow
from mt_gate.running.predicting import Predictor, chunks
from mt_gate.suites.format import Suite, group_id
from mt_gate.sut.protocol import Noise, Prediction, largest_noise
from mt_gate.sut.wire import WINDOW
from mt_gate.tasks.table import TASKS

_DIGITS = 4
"""Significant digits of a margin stored in a row."""
AT_ONCE = WINDOW
"""Inputs per call: as many as a checkpoint sorts by length together, for full batches."""
_SOURCES_AT_HAND = 1 << 11
"""Maximum predictions of sources in memory as objects; the predictor stores all as text."""
FIRST = 16
"""Sources that are predicted before noise is measured. A measurement takes longer than a
prediction, so a system that is too slow first fails the time limit of a prediction."""


def evaluate(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    context: Context = Context(),  # noqa: B008 - immutable
) -> tuple[Iterator[GroupRow], Noise]:
    """Return rows in suite order, one per case, and the noise; iterating the rows predicts them.

    Noise is in units of the system's scores, one value per way to change the computation.
    """
    sources = sources_predicted(suite, relations)
    predictor.learn([source.input for source in sources[:FIRST]])
    noise = predictor.noise([source.input for source in sources])
    return rows_of(suite, relations, predictor, noise, context), noise


def ask(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    context: Context = Context(),  # noqa: B008 - immutable
) -> None:
    """Predict all that ``evaluate`` needs, without noise; the predictor stores the predictions."""
    for _ in rows_of(suite, relations, predictor, {}, context):
        pass


def rows_of(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    noise: Noise,
    context: Context = Context(),  # noqa: B008 - immutable
) -> Iterator[GroupRow]:
    """Yield the rows of a suite or a part of it; cases made at run time are in order of sources.

    Sources, and edited texts that depend on no prediction, are predicted first, together.
    """
    sources = sources_predicted(suite, relations)
    free = {
        relation.id for relation in relations if relation.when is None and not relation.at_run_time
    }
    predictor.learn(
        [
            *(source.input for source in sources),
            *(group.follow_up for group in suite.groups if group.relation in free),
        ]
    )
    predictor.requested += len(sources)
    judge = _Judge(suite, sources, predictor, largest_noise(noise), context)
    # Predict for all relations together, because one relation has few inputs of each length.
    second_inputs = (
        value
        for relation in relations
        for source in (suite.sources if relation.combine else ())
        if relation.id in source.bind
        for value in judge.combination(relation, source)[1]
    )
    for seconds in chunks(second_inputs, AT_ONCE):
        predictor.learn(seconds)
    for cases in chunks(judge.cases(relations), AT_ONCE):
        yield from judge.rows(cases)


def sources_predicted(suite: Suite, relations: Sequence[MetamorphicRelation]) -> tuple[Source, ...]:
    """Return the sources that a run of these relations predicts, in suite order."""
    wanted = {relation.id for relation in relations}
    used = {
        name
        for group in suite.groups
        if group.relation in wanted
        for name in (group.source, group.second)
    }
    return tuple(
        source for source in suite.sources if source.id in used or wanted.intersection(source.bind)
    )


class _Case(NamedTuple):
    """A case to judge; without ``follow_up`` no edited text exists. ``reason``: why to skip it."""

    id: str
    relation: MetamorphicRelation
    source: Source
    follow_up: FollowUp | None = None
    reason: str = ""
    stratum: str = ""


class _Judge:
    """Builds the edited texts that depend on predictions, and judges cases."""

    def __init__(
        self,
        suite: Suite,
        sources: Sequence[Source],
        predictor: Predictor,
        noise: float,
        context: Context,
    ) -> None:
        self._suite = suite
        self._sources = {source.id: source for source in sources}
        self._predictor = predictor
        self._noise = noise
        self._context = context
        self._before = lru_cache(_SOURCES_AT_HAND)(
            lambda name: predictor.answer(self._sources[name].input)
        )

    def cases(self, relations: Sequence[MetamorphicRelation]) -> Iterator[_Case]:
        """Yield the cases, relation by relation."""
        by_relation: defaultdict[str, list[Group]] = defaultdict(list)
        for group in self._suite.groups:
            by_relation[group.relation].append(group)
        for relation in relations:
            if relation.at_run_time:
                yield from self._bound(relation)
                continue
            for group in by_relation[relation.id]:
                source, before = self._sources[group.source], self._before(group.source)
                second, reason = None, ""
                if group.second:
                    of_second = self._before(group.second)
                    second = _answered(self._sources[group.second].input, of_second)
                if relation.when is None:
                    pass
                elif before.output is None:
                    reason = before.reason
                elif group.second and second is None:
                    reason = of_second.reason
                else:
                    reason = relation.when(
                        PendingGroup(
                            source.input, group.follow_up, before.output, self._context, second
                        )
                    )
                follow_up = FollowUp(
                    group.follow_up, group.alignment, second, group.gold, group.entities
                )
                yield _Case(group.id, relation, source, follow_up, reason, group.stratum)

    def rows(self, cases: Sequence[_Case]) -> Iterator[GroupRow]:
        """Judge cases; predict their edited texts together."""
        wanted = [case.follow_up.input for case in cases if case.follow_up and not case.reason]
        after = iter(self._predictor.predict(wanted))
        for case in cases:
            if case.follow_up is None:
                before = self._before(case.source.id)
                task = TASKS[self._suite.head.task]
                vacuous = before.output is not None and task.says_nothing(before.output)
                unbuilt = NotApplicable.VACUOUS if vacuous else NotApplicable.NO_FOLLOW_UP
                yield (
                    GroupRow(
                        id=case.id,
                        relation=case.relation.id,
                        source_id=case.source.id,
                        cluster=case.source.cluster,
                        verdict=Verdict.NOT_APPLICABLE,
                        reason=before.reason or unbuilt,
                        source=case.source.input,
                        source_output=before.output,
                        bound=True,
                    )
                )
            else:
                skipped = Prediction(None, reason=case.reason)
                yield self._row(case, case.follow_up, skipped if case.reason else next(after))

    def _bound(self, relation: MetamorphicRelation) -> Iterator[_Case]:
        binding = (source for source in self._suite.sources if relation.id in source.bind)
        for sources in chunks(binding, AT_ONCE):
            built: list[tuple[FollowUp, ...]] = []
            if relation.combine is None:
                for source in sources:
                    output = self._before(source.id).output
                    if output is None or relation.bind is None:
                        built.append(())
                        continue
                    # A separate seed per source, so that all suite versions sample the same edits.
                    text = f"{self._suite.head.seed}\0{relation.id}\0{source.id}".encode()
                    rng = Random(int.from_bytes(hashlib.sha256(text).digest()[:8], "big"))
                    built.append(relation.bind(source.input, output, rng))
            else:
                wanted = [self.combination(relation, source) for source in sources]
                after = iter(
                    self._predictor.predict([value for _, some in wanted for value in some])
                )
                for first, seconds in wanted:
                    answered = [_answered(second, next(after)) for second in seconds]
                    known = tuple(second for second in answered if second is not None)
                    built.append(relation.combine.follow_ups(first, known) if first else ())
            for source, follow_ups in zip(sources, built, strict=True):
                if not follow_ups:
                    yield _Case(group_id(relation.id, source.input, {}), relation, source)
                for follow_up in follow_ups:
                    row_id = group_id(relation.id, source.input, follow_up.input)
                    yield _Case(row_id, relation, source, follow_up)

    def combination(
        self, relation: MetamorphicRelation, source: Source
    ) -> tuple[FirstSource | None, Sequence[Mapping[str, Any]]]:
        """Return the first source of cases, and the inputs that may be their second source."""
        output = self._before(source.id).output
        if output is None or relation.combine is None:
            return None, ()
        first = FirstSource(source, output, self._context)
        return first, relation.combine.seconds(first)

    def _row(self, of: _Case, follow_up: FollowUp, after: Prediction) -> GroupRow:
        source, before, second = of.source, self._before(of.source.id), follow_up.second
        if before.output is None or after.output is None:
            judged = Judgement(Verdict.NOT_APPLICABLE, before.reason or after.reason)
        else:
            judged = of.relation.holds(
                ExecutedGroup(
                    source.input,
                    follow_up.input,
                    before.output,
                    after.output,
                    follow_up.alignment,
                    second,
                    self._context,
                    follow_up.gold,
                    (source.entities, follow_up.entities),
                )
            )
        # The smallest gap that the verdict depends on: of a judged score, or of a prediction.
        margin = judged.margin
        if margin is None:
            margin = min(before.margin, after.margin, second.margin if second else math.inf)
        # Noise may move both scores of the closest pair towards each other, so double it. A system
        # without scores has no noise, but may report that a prediction is unstable.
        unstable = margin < 2 * self._noise or (judged.margin is None and not margin)
        # Store the margin, unless it is infinite or belongs to a judged difference of scores.
        is_stored = judged.margin is None and math.isfinite(margin)
        is_stored &= judged.verdict is not Verdict.NOT_APPLICABLE
        slices = dict(source.slices) if is_known_answer(of.relation.id) else {}
        if slices and follow_up.entities:  # a known answer of task ner is one entity
            slices["kind"] = follow_up.entities[0].label
        return GroupRow(
            id=of.id,
            relation=of.relation.id,
            source_id=source.id,
            cluster=source.cluster,
            verdict=judged.verdict,
            source=source.input,
            follow_up=follow_up.input,
            alignment=follow_up.alignment,
            source_output=before.output,
            follow_up_output=after.output,
            unmatched=judged.unmatched,
            errors=judged.errors,
            reason=judged.reason,
            bound=of.relation.at_run_time,
            second=second.input if second else None,
            second_output=second.output if second else None,
            stratum=of.stratum,
            slices=tuple(f"{name}: {value}" for name, value in sorted(slices.items())),
            unstable=unstable,
            margin=float(f"{margin:.{_DIGITS}g}") if is_stored else None,
        )


def _answered(value: Mapping[str, Any], prediction: Prediction) -> AnsweredInput | None:
    if prediction.output is None:
        return None
    return AnsweredInput(value, prediction.output, prediction.margin)
