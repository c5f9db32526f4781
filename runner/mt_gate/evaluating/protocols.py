"""The evaluation protocols of distantly supervised relation extraction, on one set of predictions.

Manual evaluation paper (Gao et al. 2021), sections 4.1 and 5.2. Held-out:
bags by the automatic labels. Bag-level manual: a bag has a relation where one
of its sentences has, by people's labels, and none where no sentence has one.
Sentence-level manual: each sentence by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mt_gate.evaluating import curves
from mt_gate.evaluating.aggregators import Bags, bag_scores, bags_of
from mt_gate.evaluating.label_quality import label_quality
from mt_gate.evaluating.mapping import UNMAPPED, LabelMapping
from mt_gate.evaluating.records import (
    Aggregator,
    Basis,
    BoundedFigure,
    Curve,
    FalseFact,
    Protocol,
    Quality,
    RelationCounts,
    RelationProtocols,
)
from mt_gate.evaluating.relation_labels import LabelledPair
from mt_gate.evaluating.system_scores import Merging, SystemScores, merging
from mt_gate.results.result import Interval
from mt_gate.tasks.relation_extraction import HEAD, NO_RELATION, TAIL, TEXT, argument

Labels = Sequence[frozenset[str]]

MOST_FALSE = 50
"""False facts that are listed."""
_PRECISION_AT = (100, 200, 300)
_DIGITS = 6


class _Part(NamedTuple):
    """The sentences that have one kind of label; ``auto`` are the automatic ones beside it."""

    pairs: list[LabelledPair]
    said: SystemScores
    labels: list[frozenset[str]]
    auto: list[frozenset[str]] | None
    bags: Bags


class _Level(NamedTuple):
    """What is ranked: units with scores, their facts, and their automatic labels beside them."""

    protocol: Protocol
    aggregator: Aggregator
    scores: curves.Floats
    known: curves.Bools
    facts: Labels
    auto: Labels | None
    cluster: curves.Integers


class _Judged(NamedTuple):
    """A curve with what it was read off; ``false`` are the wrong pairs down to its threshold."""

    curve: Curve
    ranking: curves.Ranking
    names: tuple[str, ...]
    false: curves.Integers


def protocols(
    pairs: Sequence[LabelledPair], said: SystemScores, mapping: LabelMapping, *, attention: bool
) -> RelationProtocols:
    """Evaluate a system's scores by every protocol that the labels allow.

    A sentence without a kind of label is left out of the protocols of that kind.

    Args:
        pairs: labelled sentences.
        said: the system's scores of them, in their order.
        mapping: what becomes of the labels of either side.
        attention: whether the checkpoint has selective attention.
    """
    merge = merging(said.labels, mapping.of_system)
    ways: tuple[Aggregator, ...] = ("AVG", "ONE")
    if attention and said.basis == "logits":
        ways = (*ways, "ATT")
    held_out = _part(pairs, said, mapping, manual=False)
    by_hand = _part(pairs, said, mapping, manual=True)
    judged: list[_Judged] = []
    if held_out:
        judged += [
            _judged(_bags("held-out", way, held_out, merge), merge, said.basis) for way in ways
        ]
    false: tuple[FalseFact, ...] = ()
    false_total = 0
    if by_hand:
        own = [_judged(_bags("bag-manual", way, by_hand, merge), merge, said.basis) for way in ways]
        one = own[ways.index("ONE")]
        false_total, false = len(one.false), tuple(_false_facts(one, by_hand, merge))
        judged += [*own, _judged(_sentences(by_hand, merge), merge, said.basis)]
    return RelationProtocols(
        basis=said.basis,
        sentences=len(pairs),
        bags=len(bags_of(pairs).starts),
        curves=tuple(item.curve for item in judged),
        quality=tuple(_quality(pairs, mapping)),
        false_total=false_total,
        false_facts=false,
    )


def relations_of(labels: Iterable[str], mapping: LabelMapping) -> frozenset[str]:
    """Return what becomes of labels of the file; empty where there is no relation."""
    return frozenset(map(mapping.of_file, labels)) - {NO_RELATION}


def relations_of_system(labels: Iterable[str], mapping: LabelMapping) -> frozenset[str]:
    """Return what becomes of a system's labels, without that for no relation."""
    return frozenset(map(mapping.of_system, labels)) - {NO_RELATION}


def _part(
    pairs: Sequence[LabelledPair], said: SystemScores, mapping: LabelMapping, *, manual: bool
) -> _Part | None:
    """Return the sentences with one kind of label; None where there are none."""
    kinds = [item.manual if manual else item.auto for item in pairs]
    rows = [at for at, labels in enumerate(kinds) if labels is not None]
    if not rows:
        return None
    beside = [pairs[at].auto for at in rows] if manual else [None]
    auto = [relations_of(labels, mapping) for labels in beside if labels is not None]
    return _Part(
        pairs=[pairs[at] for at in rows],
        said=said.only(rows),
        labels=[relations_of(labels, mapping) for labels in kinds if labels is not None],
        auto=auto if len(auto) == len(rows) else None,
        bags=bags_of(pairs[at] for at in rows),
    )


def _bags(protocol: Protocol, way: Aggregator, part: _Part, merge: Merging) -> _Level:
    scores, known = bag_scores(way, part.said, part.bags, merge)
    facts = part.bags.union(part.labels)
    auto = part.bags.union(part.auto) if part.auto and protocol != "held-out" else None
    return _Level(protocol, way, scores, known, facts, auto, np.arange(len(facts)))


def _sentences(part: _Part, merge: Merging) -> _Level:
    scores = merge.merged(part.said.probabilities)
    answered = part.said.answered
    return _Level("sentence-manual", "", scores, answered, part.labels, part.auto, part.bags.of)


def _judged(level: _Level, merge: Merging, basis: Basis) -> _Judged:
    known = level.known
    if basis == "answers":  # what a system does not say is not ranked, or all of it would be tied
        known = known[:, None] & (level.scores > 0)
    ranking, names = curves.rank(level.scores, merge.relations, level.facts, level.cluster, known)
    reading = curves.read(ranking)
    bounds = curves.intervals(ranking) if reading else curves.Intervals()
    last = int(ranking.ends[reading.best]) if reading else -1
    false = np.nonzero(~ranking.right[: last + 1])[0]
    in_auto = None
    if level.auto is not None:
        pairs = zip(ranking.unit[false], ranking.relation[false], strict=True)
        in_auto = sum(names[relation] in level.auto[unit] for unit, relation in pairs)
    curve = Curve(
        protocol=level.protocol,
        aggregator=level.aggregator,
        units=len(level.facts),
        facts=len(ranking.fact_relation),
        out_of_reach=int((ranking.fact_relation >= len(merge.relations)).sum()),
        auc=_figure(reading and reading.auc, bounds.auc),
        average_precision=_rounded(reading.average_precision) if reading else None,
        micro_f1=_figure(reading and reading.micro_f1, bounds.micro_f1),
        macro_f1=_figure(reading and reading.macro_f1, bounds.macro_f1),
        threshold=_rounded(float(ranking.scores[last])) if reading else None,
        relations=tuple(_counts(ranking, names, last)),
        in_auto=in_auto,
        precision_at={
            number: _rounded(share)
            for number, share in curves.precision_at(ranking, _PRECISION_AT).items()
        },
        points=tuple(
            (_rounded(recall), _rounded(precision))
            for recall, precision in (curves.thinned(reading) if reading else ())
        ),
    )
    return _Judged(curve, ranking, names, false)


def _counts(ranking: curves.Ranking, names: Sequence[str], last: int) -> Iterator[RelationCounts]:
    """Yield the counts of the relations that have a fact or are predicted, by name."""
    found = zip(names, curves.counts(ranking, last), strict=True)
    for name, (facts, predicted, right) in sorted(found):
        if facts or predicted:
            yield RelationCounts(relation=name, facts=facts, predicted=predicted, right=right)


def _false_facts(judged: _Judged, part: _Part, merge: Merging) -> Iterator[FalseFact]:
    """Yield the likeliest false facts, each with the sentence that speaks for it most."""
    probabilities = merge.merged(part.said.probabilities)
    ends = np.append(part.bags.starts[1:], len(part.bags.order))
    auto = part.bags.union(part.auto) if part.auto else None
    for pair in judged.false[:MOST_FALSE]:
        unit, relation = int(judged.ranking.unit[pair]), int(judged.ranking.relation[pair])
        rows = part.bags.order[part.bags.starts[unit] : ends[unit]]
        value = part.pairs[int(rows[probabilities[rows, relation].argmax()])].input
        head, tail = argument(value, HEAD), argument(value, TAIL)
        yield FalseFact(
            relation=judged.names[relation],
            score=_rounded(float(judged.ranking.scores[pair])),
            in_auto=auto is not None and judged.names[relation] in auto[unit],
            sentences=len(rows),
            text=value[TEXT],
            head=(head.start, head.end),
            tail=(tail.start, tail.end),
        )


def _quality(pairs: Sequence[LabelledPair], mapping: LabelMapping) -> Iterator[Quality]:
    """Yield how good the automatic labels are, as they stand and, if that differs, as scored."""
    kept = [item for item in pairs if item.auto is not None and item.manual is not None]
    if not kept:
        return
    bags = bags_of(kept)
    sides = [
        [item.auto or frozenset() for item in kept],
        [item.manual or frozenset() for item in kept],
    ]
    yield label_quality(*map(bags.union, sides), mapped=False)
    put = [[relations_of(labels, mapping) for labels in side] for side in sides]
    if mapping is not UNMAPPED and put != sides:
        yield label_quality(*map(bags.union, put), mapped=True)


def _figure(value: float | None, ci95: Interval | None) -> BoundedFigure:
    if value is None:
        return BoundedFigure(value=None, ci95=None)
    bounds = (_rounded(ci95[0]), _rounded(ci95[1])) if ci95 else None
    return BoundedFigure(value=_rounded(value), ci95=bounds)


def _rounded(value: float) -> float:
    return round(value, _DIGITS)
