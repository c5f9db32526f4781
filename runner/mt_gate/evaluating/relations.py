"""The evaluation of relation extraction: its labels, and the protocols of distant supervision.

Manual evaluation paper (Gao et al. 2021), sections 4.1 and 5.2. Held-out: bags with the automatic
labels. Bag-level manual: a bag has the relations that annotators gave to any of its sentences.
Sentence-level manual: each sentence separately. Section 3 measures the automatic labels. Pair
accuracy is the share of entity pairs whose labels agree. Precision is the share of automatic facts
that are right, recall the share of true facts that the automatic labels have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mt_gate.evaluating import curves
from mt_gate.evaluating.labelled import Labelled, LabelledFile, TaskEvaluation
from mt_gate.evaluating.records import (
    Aggregator,
    BoundedFigure,
    Curve,
    FalseFact,
    Protocol,
    Quality,
    RelationCounts,
    RelationProtocols,
    packed,
)
from mt_gate.evaluating.relation_labels import (
    UNMAPPED,
    LabelFormat,
    LabelledPair,
    LabelMapping,
    labelled_pairs,
    name_labels,
    read_mapping,
)
from mt_gate.evaluating.scores import (
    Bags,
    Merging,
    SystemScores,
    bag_scores,
    bags_of,
    merging,
    system_scores,
)
from mt_gate.judging import statistics
from mt_gate.results.result import Interval
from mt_gate.running.labels import check_common
from mt_gate.running.predicting import Predictor
from mt_gate.sut.protocol import Prediction, System
from mt_gate.tasks.relation_extraction import (
    HEAD,
    NO_RELATION,
    TAIL,
    TEXT,
    argument,
    is_no_relation,
)

Labels = Sequence[frozenset[str]]
MOST_FALSE = 50
"""Maximum number of false facts that are listed."""
_PRECISION_AT = (100, 200, 300)
_DIGITS = 6


class RelationPart:
    """The labelled sentences of a file, and a way to score a system on them."""

    def __init__(self, path: Path, mapping: LabelMapping, reading: LabelFormat) -> None:
        """Read the file."""
        self.path = path
        self.mapping = mapping
        self.pairs, self._left_out = labelled_pairs(path, reading)
        kinds = (labels for item in self.pairs for labels in (item.auto, item.manual) if labels)
        self.names = frozenset[str]().union(*kinds)
        self.relations = mapping.file_relations(self.names)

    @cached_property
    def labelled(self) -> LabelledFile:
        """The sentences as samples: those labelled by hand, or all if there are none."""
        by_hand = [item for item in self.pairs if item.manual is not None]
        without = len(self.pairs) - len(by_hand) if by_hand else 0
        left_out = {**self._left_out, **({"without a manual label": without} if without else {})}
        samples = [
            _labelled(item, self.mapping.file_relations(item.gold()))
            for item in by_hand or self.pairs
        ]
        return LabelledFile(samples, left_out)

    def predicted(self, system: System, predictor: Predictor) -> RelationAnswers:
        """Score all sentences with a system."""
        labels = tuple(getattr(system, "labels", ()))
        self._check(labels)
        card = getattr(system, "card", None)
        attention = bool(getattr(card, "selective_attention", False))
        said = system_scores(predictor.predict([item.input for item in self.pairs]), labels)
        self._check(said.labels)
        return RelationAnswers(self, labels, said, attention)

    def _check(self, labels: Sequence[str]) -> None:
        """Raise if file and system have no label in common: all facts would be missed."""
        ours, theirs = self.relations, self.mapping.system_relations(labels)
        todo = "Map the labels of one side to the other's with --mapping."
        check_common(self.path, ours, theirs, todo)


class RelationAnswers(NamedTuple):
    """A system's scores for the sentences of a file; ``labels`` are empty if unknown."""

    part: RelationPart
    labels: Sequence[str]
    said: SystemScores
    attention: bool

    def put(self, output: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a prediction with its label mapped as for scoring.

        With a table, it is the relation (or no relation) whose labels have the highest sum of
        probabilities.
        """
        mapping = self.part.mapping
        if not mapping.system:
            return {"relation": mapping.map_system_label(output["relation"])}
        said = system_scores([Prediction(output)], self.labels)
        sums: dict[str, float] = {}
        for label, share in zip(said.labels, said.probabilities[0].tolist(), strict=True):
            relation = mapping.map_system_label(label)
            sums[relation] = sums.get(relation, 0.0) + share
        return {"relation": max(sums, key=sums.__getitem__)}

    def protocols(self) -> RelationProtocols:
        """Return the figures of all protocols that the labels allow."""
        part = self.part
        return protocols(part.pairs, self.said, part.mapping, attention=self.attention)

    def notes(self) -> Iterator[str]:
        """Yield notes on labels that only the file, the system or the table has."""
        mapping, ours = self.part.mapping, self.part.relations
        theirs = mapping.system_relations(self.said.labels)
        has = "does not have" if self.labels else "never predicted"
        if ours - theirs:
            yield (
                f"Labels in the file that the system {has}, so that all their facts are missed: "
                f"{name_labels(ours - theirs)}"
            )
        if theirs - ours:
            yield f"Labels of the system that are not in the file: {name_labels(theirs - ours)}"
        known = {*self.part.names, *self.said.labels}
        unused = [label for label in {**mapping.file, **mapping.system} if label not in known]
        if unused:
            unknown = name_labels(unused)
            yield f"Labels of {mapping.name} that neither the file nor the system has: {unknown}"
        if self.said.basis == "answers":
            yield (
                "The system does not return scores for all labels. mt-gate scores bags with the "
                "probability of each sentence's prediction, so curves end at the last predicted "
                "relation."
            )


def _labelled(item: LabelledPair, relations: Iterable[str]) -> Labelled:
    names = sorted(relations) or [NO_RELATION]
    return Labelled(item.id, item.input, {"relations": names}, item.bag)


def _items(output: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    names = output.get("relations") or (output["relation"],)
    return ((name, None) for name in names if not is_no_relation(name))


RE = TaskEvaluation(
    lambda path: (_labelled(item, item.gold()) for item in labelled_pairs(path)[0]),
    _items,
    pooled=True,
    named=True,
    part=lambda labels, mapping, reading: RelationPart(
        labels, read_mapping(mapping) if mapping else UNMAPPED, reading
    ),
)


class _Part(NamedTuple):
    """The sentences with one kind of label, and their automatic labels if all have them."""

    pairs: list[LabelledPair]
    said: SystemScores
    labels: Labels
    auto: Labels | None
    bags: Bags


class _Judged(NamedTuple):
    """A curve with its ranking; ``false`` are the wrong pairs down to its threshold."""

    curve: Curve
    ranking: curves.Ranking
    names: tuple[str, ...]
    false: curves.Integers


def protocols(
    pairs: Sequence[LabelledPair], said: SystemScores, mapping: LabelMapping, *, attention: bool
) -> RelationProtocols:
    """Evaluate a system's scores with every protocol that the labels allow.

    A sentence without a kind of label is omitted from the protocols of that kind.
    """
    merge = merging(said.labels, mapping.map_system_label)
    ways: tuple[Aggregator, ...] = ("AVG", "ONE")
    if attention and said.basis == "logits":
        ways = (*ways, "ATT")
    read: list[Curve] = []
    false_total = 0
    false_facts: tuple[FalseFact, ...] = ()
    if held_out := _part(pairs, said, mapping, manual=False):
        read += [_judged("held-out", way, held_out, merge).curve for way in ways]
    if by_hand := _part(pairs, said, mapping, manual=True):
        by_way = {way: _judged("bag-manual", way, by_hand, merge) for way in ways}
        read += [reading.curve for reading in by_way.values()]
        read.append(_judged("sentence-manual", "", by_hand, merge).curve)
        false_total = len(by_way["ONE"].false)
        false_facts = tuple(_false_facts(by_way["ONE"], by_hand, merge))
    return RelationProtocols(
        basis=said.basis,
        sentences=len(pairs),
        bags=len(bags_of(pairs).starts),
        curves=tuple(read),
        quality=tuple(_qualities(pairs, mapping)),
        false_total=false_total,
        false_facts=false_facts,
    )


def _part(
    pairs: Sequence[LabelledPair], said: SystemScores, mapping: LabelMapping, *, manual: bool
) -> _Part | None:
    """Return the sentences with one kind of label; None if there are none."""
    kinds = [item.manual if manual else item.auto for item in pairs]
    rows = [row for row, labels in enumerate(kinds) if labels is not None]
    if not rows:
        return None
    some = [pairs[row] for row in rows]
    auto = [item.auto for item in some if manual and item.auto is not None]
    return _Part(
        some,
        said.only(rows),
        [mapping.file_relations(labels) for labels in kinds if labels is not None],
        [*map(mapping.file_relations, auto)] if len(auto) == len(some) else None,
        bags_of(some),
    )


def _judged(protocol: Protocol, way: Aggregator, part: _Part, merge: Merging) -> _Judged:
    """Rank bags with the aggregator ``way``, or sentences if it is empty, and read the curve."""
    facts, auto, cluster = part.labels, part.auto, part.bags.of
    if way:
        scores, known = bag_scores(way, part.said, part.bags, merge)
        facts = part.bags.union(facts)
        auto = part.bags.union(auto) if auto else None
        cluster = np.arange(len(facts))
    else:
        scores, known = merge.merged(part.said.probabilities), part.said.answered
    if part.said.basis == "answers":  # relations without a score would all be tied
        known = known[:, None] & (scores > 0)
    ranking, names = curves.rank(scores, merge.relations, facts, cluster, known)
    reading = curves.read(ranking)
    resamples = curves.resample(ranking)
    bounds = curves.intervals(resamples) if reading else curves.Intervals()
    last = int(ranking.ends[reading.best]) if reading else -1
    false = np.nonzero(~ranking.right[: last + 1])[0]
    in_auto = None
    if auto is not None:
        units = zip(ranking.unit[false], ranking.relation[false], strict=True)
        in_auto = sum(names[relation] in auto[unit] for unit, relation in units)
    precisions = curves.precision_at(ranking, _PRECISION_AT)
    curve = Curve(
        protocol=protocol,
        aggregator=way,
        units=len(facts),
        facts=len(ranking.fact_relation),
        out_of_reach=int((ranking.fact_relation >= len(merge.relations)).sum()),
        auc=_figure(reading and reading.auc, bounds.auc),
        average_precision=_rounded(reading.average_precision) if reading else None,
        micro_f1=_figure(reading and reading.micro_f1, bounds.micro_f1),
        macro_f1=_figure(reading and reading.macro_f1, bounds.macro_f1),
        threshold=_rounded(float(ranking.scores[last])) if reading else None,
        relations=tuple(
            RelationCounts(relation=name, facts=own, predicted=predicted, right=right)
            for name, (own, predicted, right) in sorted(
                zip(names, curves.counts(ranking, last), strict=True)
            )
            if own or predicted
        ),
        in_auto=in_auto,
        precision_at={number: _rounded(share) for number, share in precisions.items()},
        points=tuple(
            (_rounded(recall), _rounded(precision))
            for recall, precision in (curves.thinned(reading) if reading else ())
        ),
        resamples=packed(resamples.values),
        first_resample=resamples.first,
    )
    return _Judged(curve, ranking, names, false)


def _false_facts(judged: _Judged, part: _Part, merge: Merging) -> Iterator[FalseFact]:
    """Yield the best-scored false facts, each with the sentence of highest probability."""
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
    """Yield the quality of the automatic labels as in the file and, if different, as scored."""
    with_both = [item for item in pairs if item.auto is not None and item.manual is not None]
    if not with_both:
        return
    bags = bags_of(with_both)
    auto = [item.auto or frozenset() for item in with_both]
    manual = [item.manual or frozenset() for item in with_both]
    yield label_quality(bags.union(auto), bags.union(manual), mapped=False)
    sides = [[mapping.file_relations(own) for own in side] for side in (auto, manual)]
    if sides != [auto, manual] and mapping is not UNMAPPED:
        yield label_quality(*map(bags.union, sides), mapped=True)


def label_quality(auto: Labels, manual: Labels, *, mapped: bool) -> Quality:
    """Return the quality of automatic labels, bag by bag."""
    both = [*zip(auto, manual, strict=True)]
    agreeing = sum(one == other for one, other in both)

    def ratio(pairs: Iterable[tuple[int, int]]) -> BoundedFigure:
        """Return a ratio of sums over bags, with its score interval by bag."""
        some = [pair for pair in pairs if pair[1]]
        if not some:
            return BoundedFigure(value=None, ci95=None)
        parts, wholes = zip(*some, strict=True)
        interval = statistics.rate_interval(parts, wholes)
        return BoundedFigure(value=sum(parts) / sum(wholes), ci95=interval)

    def counts(name: str) -> RelationCounts:
        sides = [(one & {name}, other & {name}) if name else (one, other) for one, other in both]
        return RelationCounts(
            relation=name,
            facts=sum(len(other) for _, other in sides),
            predicted=sum(len(one) for one, _ in sides),
            right=sum(len(one & other) for one, other in sides),
        )

    return Quality(
        mapped=mapped,
        bags=len(both),
        agreeing=agreeing,
        pair_accuracy=BoundedFigure(
            value=agreeing / len(both), ci95=statistics.wilson(agreeing, len(both))
        ),
        precision=ratio((len(one & other), len(one)) for one, other in both),
        recall=ratio((len(one & other), len(other)) for one, other in both),
        all=counts(""),
        relations=tuple(map(counts, sorted(frozenset().union(*auto, *manual)))),
    )
