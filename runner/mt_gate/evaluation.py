"""From a suite and a system's answers to verdicts and counts."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from mt_gate.domain import Group, Source, Verdict
from mt_gate.predicting import Predictor
from mt_gate.relations.base import Case, FollowUp, Judgement, MetamorphicRelation
from mt_gate.result import GroupRow, Overall, RelationResult
from mt_gate.suites.format import Suite, group_id
from mt_gate.sut.protocol import Prediction

NOTHING_BOUND = "no-follow-up"


def evaluate(
    suite: Suite, relations: Sequence[MetamorphicRelation], predictor: Predictor
) -> tuple[list[GroupRow], float]:
    """Run the rounds: sources, binding, follow-ups, verdicts.

    Returns:
        One row a group in suite order, bound relations by source, and the
        numerical noise of the system in units of its scores.
    """
    wanted = {relation.id for relation in relations}
    groups = [group for group in suite.groups if group.relation in wanted]
    used = {group.source for group in groups}
    sources = [s for s in suite.sources if s.id in used or wanted.intersection(s.bind)]
    predictions = dict(
        zip((s.id for s in sources), predictor.predict([s.input for s in sources]), strict=True)
    )
    noise = predictor.noise([source.input for source in sources]) if sources else 0.0
    by_relation: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        by_relation[group.relation].append(group)
    judge = _Judge({source.id: source for source in sources}, predictions, predictor, noise)
    rows: list[GroupRow] = []
    for relation in relations:
        if relation.bind is None:
            rows += judge.built(relation, by_relation[relation.id])
        else:
            binding = [source for source in sources if relation.id in source.bind]
            rows += judge.bound(relation, binding, suite.head.seed)
    return rows, noise


class _Judge:
    """Judges the groups of one relation after another."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        predictions: Mapping[str, Prediction],
        predictor: Predictor,
        noise: float,
    ) -> None:
        self._sources = sources
        self._predictions = predictions
        self._predictor = predictor
        self._noise = noise

    def built(self, relation: MetamorphicRelation, groups: Sequence[Group]) -> Iterator[GroupRow]:
        """Judge the groups that stand in the suite."""
        answers = self._predictor.predict([group.follow_up for group in groups])
        for group, answer in zip(groups, answers, strict=True):
            follow_up = FollowUp(group.follow_up, group.alignment)
            yield self._row(relation, group.id, self._sources[group.source], follow_up, answer)

    def bound(
        self, relation: MetamorphicRelation, sources: Sequence[Source], seed: int
    ) -> Iterator[GroupRow]:
        """Build and judge the groups that hang on the source output."""
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

    def _unbound(self, relation: MetamorphicRelation, source: Source) -> GroupRow:
        prediction = self._predictions[source.id]
        return GroupRow(
            id=group_id(relation.id, source.input, {}),
            relation=relation.id,
            source_id=source.id,
            verdict=Verdict.NOT_APPLICABLE,
            reason=prediction.reason or NOTHING_BOUND,
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
        judgement = _judgement(relation, source.input, before, follow_up, answer)
        return GroupRow(
            id=row_id,
            relation=relation.id,
            source_id=source.id,
            verdict=judgement.verdict,
            source=source.input,
            follow_up=follow_up.input,
            alignment=follow_up.alignment,
            source_output=before.output,
            follow_up_output=answer.output,
            unmatched=judgement.unmatched,
            errors=judgement.errors,
            reason=judgement.reason,
            bound=relation.bind is not None,
            # Both scores of the closest pair may move by the noise, towards each other.
            unstable=min(before.margin, answer.margin) < 2 * self._noise,
        )


def _judgement(
    relation: MetamorphicRelation,
    source: Mapping[str, Any],
    before: Prediction,
    follow_up: FollowUp,
    after: Prediction,
) -> Judgement:
    if before.output is None or after.output is None:
        return Judgement(Verdict.NOT_APPLICABLE, before.reason or after.reason)
    case = Case(source, follow_up.input, before.output, after.output, follow_up.alignment)
    return relation.holds(case)


def count(relation_id: str, rows: Iterable[GroupRow]) -> RelationResult:
    """Count the rows of one relation."""
    verdicts: Counter[Verdict] = Counter()
    reasons: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    unstable = 0
    for row in rows:
        verdicts[row.verdict] += 1
        unstable += row.unstable
        errors.update(error.category.value for error in row.errors)
        if row.verdict is Verdict.NOT_APPLICABLE:
            reasons[row.reason] += 1
    violated = verdicts[Verdict.VIOLATED]
    applicable = violated + verdicts[Verdict.SATISFIED]
    return RelationResult(
        id=relation_id,
        groups=verdicts.total(),
        applicable=applicable,
        violated=violated,
        violation_rate=violated / applicable if applicable else None,
        not_applicable=dict(sorted(reasons.items())),
        unstable=unstable,
        errors=dict(sorted(errors.items())),
    )


def count_all(relations: Sequence[str], rows: Sequence[GroupRow]) -> tuple[RelationResult, ...]:
    """Count every relation, in the order given."""
    by_relation: dict[str, list[GroupRow]] = defaultdict(list)
    for row in rows:
        by_relation[row.relation].append(row)
    return tuple(count(relation, by_relation[relation]) for relation in relations)


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
