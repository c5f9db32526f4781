"""The evaluation protocols of distantly supervised relation extraction, on one set of predictions.

Manual evaluation paper (Gao et al. 2021), sections 4.1 and 5.2. Held-out: bags by the automatic
labels. Bag-level manual: a bag has a relation where one of its sentences has, by people's labels,
and none where no sentence has one. Sentence-level manual: each sentence by itself. Section 3, how
good the automatic labels are: of entity pairs, the share whose labels agree; of facts, how many
automatic ones are right (precision), and how many there are that were seen (recall).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mt_gate.evaluating import curves
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
from mt_gate.evaluating.relation_labels import UNMAPPED, LabelledPair, LabelMapping
from mt_gate.evaluating.scores import Bags, Merging, SystemScores, bag_scores, bags_of, merging
from mt_gate.judging import statistics
from mt_gate.results.result import Interval
from mt_gate.tasks.relation_extraction import HEAD, TAIL, TEXT, argument

Labels = Sequence[frozenset[str]]
MOST_FALSE = 50
"""False facts that are listed."""
_PRECISION_AT = (100, 200, 300)
_DIGITS = 6


class _Part(NamedTuple):
    """The sentences that have one kind of label, with their automatic labels if all have them."""

    pairs: list[LabelledPair]
    said: SystemScores
    labels: Labels
    auto: Labels | None
    bags: Bags


class _Level(NamedTuple):
    """What is ranked: units with scores, their facts and their automatic labels."""

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

    A sentence without a kind of label is omitted from the protocols of that kind.
    """
    merge = merging(said.labels, mapping.of_system)
    ways: tuple[Aggregator, ...] = ("AVG", "ONE")
    if attention and said.basis == "logits":
        ways = (*ways, "ATT")
    held_out = _part(pairs, said, mapping, manual=False)
    by_hand = _part(pairs, said, mapping, manual=True)
    levels: list[_Level] = []
    if held_out:
        levels += [_bags("held-out", way, held_out, merge) for way in ways]
    if by_hand:
        levels += [_bags("bag-manual", way, by_hand, merge) for way in ways]
        levels.append(_sentences(by_hand, merge))
    judged = [_judged(level, merge, said.basis) for level in levels]
    false: list[FalseFact] = []
    false_total = 0
    if by_hand:
        one = judged[len(judged) - len(ways) - 1 + ways.index("ONE")]
        false_total, false = len(one.false), [*_false_facts(one, by_hand, merge)]
    return RelationProtocols(
        basis=said.basis,
        sentences=len(pairs),
        bags=len(bags_of(pairs).starts),
        curves=tuple(item.curve for item in judged),
        quality=tuple(_qualities(pairs, mapping)),
        false_total=false_total,
        false_facts=tuple(false),
    )


def _part(
    pairs: Sequence[LabelledPair], said: SystemScores, mapping: LabelMapping, *, manual: bool
) -> _Part | None:
    """Return the sentences with one kind of label; None where there are none."""
    rows, labels, auto = [], [], []
    for at, item in enumerate(pairs):
        own = item.manual if manual else item.auto
        if own is not None:
            rows.append(at)
            labels.append(mapping.file_relations(own))
            if manual and item.auto is not None:
                auto.append(mapping.file_relations(item.auto))
    if not rows:
        return None
    with_both = [pairs[at] for at in rows]
    both = auto if len(auto) == len(rows) else None
    return _Part(with_both, said.only(rows), labels, both, bags_of(with_both))


def _bags(protocol: Protocol, way: Aggregator, part: _Part, merge: Merging) -> _Level:
    scores, known = bag_scores(way, part.said, part.bags, merge)
    facts = part.bags.union(part.labels)
    auto = part.bags.union(part.auto) if part.auto else None
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
    relations = [
        RelationCounts(relation=name, facts=facts, predicted=predicted, right=right)
        for name, (facts, predicted, right) in sorted(
            zip(names, curves.counts(ranking, last), strict=True)
        )
        if facts or predicted
    ]
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
        relations=tuple(relations),
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


def _false_facts(judged: _Judged, part: _Part, merge: Merging) -> Iterator[FalseFact]:
    """Yield the likeliest false facts, each with the sentence that speaks for it most."""
    probabilities = merge.merged(part.said.probabilities)
    auto = part.bags.union(part.auto) if part.auto else None
    for pair in judged.false[:MOST_FALSE]:
        unit, relation = int(judged.ranking.unit[pair]), int(judged.ranking.relation[pair])
        rows = part.bags.order[part.bags.starts[unit] : part.bags.ends[unit]]
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


def _figure(value: float | None, ci95: Interval | None) -> BoundedFigure:
    if value is None:
        return BoundedFigure(value=None, ci95=None)
    bounds = (_rounded(ci95[0]), _rounded(ci95[1])) if ci95 else None
    return BoundedFigure(value=_rounded(value), ci95=bounds)


def _rounded(value: float) -> float:
    return round(value, _DIGITS)


def _qualities(pairs: Sequence[LabelledPair], mapping: LabelMapping) -> Iterator[Quality]:
    """Yield how good the automatic labels are as in the file and, if that differs, as scored."""
    with_both = [item for item in pairs if item.auto is not None and item.manual is not None]
    if not with_both:
        return
    bags = bags_of(with_both)
    auto = [item.auto or frozenset() for item in with_both]
    manual = [item.manual or frozenset() for item in with_both]
    yield label_quality(bags.union(auto), bags.union(manual), mapped=False)
    sides = [[mapping.file_relations(own) for own in side] for side in (auto, manual)]
    if mapping is not UNMAPPED and sides != [auto, manual]:
        yield label_quality(*map(bags.union, sides), mapped=True)


def label_quality(auto: Labels, manual: Labels, *, mapped: bool) -> Quality:
    """Return the quality of automatic labels, bag by bag."""
    both = [*zip(auto, manual, strict=True)]
    agreeing = sum(one == other for one, other in both)
    names = sorted(frozenset().union(*auto, *manual))
    return Quality(
        mapped=mapped,
        bags=len(both),
        agreeing=agreeing,
        pair_accuracy=BoundedFigure(
            value=agreeing / len(both) if both else None,
            ci95=statistics.wilson(agreeing, len(both)) if both else None,
        ),
        precision=_ratio([(len(one & other), len(one)) for one, other in both]),
        recall=_ratio([(len(one & other), len(other)) for one, other in both]),
        all=_counts("", auto, manual),
        relations=tuple(
            _counts(name, [own & {name} for own in auto], [own & {name} for own in manual])
            for name in names
        ),
    )


def _counts(name: str, auto: Labels, manual: Labels) -> RelationCounts:
    return RelationCounts(
        relation=name,
        facts=sum(map(len, manual)),
        predicted=sum(map(len, auto)),
        right=sum(len(one & other) for one, other in zip(auto, manual, strict=True)),
    )


def _ratio(pairs: Sequence[tuple[int, int]]) -> BoundedFigure:
    """Return a ratio of sums over bags, with its bootstrap interval."""
    some = [pair for pair in pairs if pair[1]]
    if not some:
        return BoundedFigure(value=None, ci95=None)
    parts, wholes = zip(*some, strict=True)
    interval = statistics.rate_interval(parts, wholes)
    return BoundedFigure(value=sum(parts) / sum(wholes), ci95=interval)
