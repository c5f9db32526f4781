"""Which groups of a suite an ontology's labels can reach, whatever a system answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from mt_gate.domain import Group, Source
from mt_gate.ontologies.ontology import Label, Ontology
from mt_gate.relations.base import (
    AnsweredInput,
    Context,
    FirstSource,
    Input,
    MetamorphicRelation,
    Output,
    PendingGroup,
)
from mt_gate.suites.format import Suite, relations_in
from mt_gate.tasks.relation_extraction import ARGUMENTS, argument


def reach(suite: Suite, ontology: Ontology) -> Mapping[str, int]:
    """Count the groups of each relation that could apply to a system with these labels.

    A group could apply where some label fits the types of its head and tail and
    something follows from it. Of relations whose follow-ups are built at run
    time, sources that could have one are counted. The suite is one of task ``re``.
    """
    labels, relations = _labels(ontology), relations_in(suite.head)
    sources = {source.id: source for source in suite.sources}
    counts = Counter[str]()
    known: dict[tuple[object, ...], bool] = {}
    for group in suite.groups:
        source = sources[group.source]
        key = _key(group, source)
        if key not in known:
            relation = relations[group.relation]
            when = relation.when
            context = Context(ontology)
            known[key] = any(
                when is None
                or not when(PendingGroup(source.input, group.follow_up, output, context))
                for output in _answers(source.input, ontology, labels)
            )
        counts[group.relation] += known[key]
    for source in suite.sources:
        for name in source.bind:
            counts[name] += _combines(relations[name], source, ontology, labels, known)
    return counts


def _labels(ontology: Ontology) -> Sequence[str]:
    ways = (False, True) if ontology.directed else (False,)
    return [ontology.write(Label(name, way)) for name in ontology.relations for way in ways]


def _key(group: Group, source: Source) -> tuple[object, ...]:
    both = (source.input, group.follow_up)
    spans = [[value["text"], *(value[name][:2] for name in ARGUMENTS)] for value in both]
    return (group.relation, *map(_types, both), spans[0] == spans[1])


def _types(value: Input) -> tuple[str, ...]:
    return tuple(argument(value, name).type for name in ARGUMENTS)


def _combines(
    relation: MetamorphicRelation,
    source: Source,
    ontology: Ontology,
    labels: Sequence[str],
    known: dict[tuple[object, ...], bool],
) -> bool:
    combine = relation.combine
    symmetric = [label for label in labels if ontology.is_symmetric(label)]
    firsts = [
        FirstSource(source, output, Context(ontology))
        for output in _answers(source.input, ontology, symmetric)
    ]
    if combine is None or not firsts:
        return False
    seconds = {_types(second): second for second in combine.seconds(firsts[0])}
    key = (relation.id, _types(source.input), frozenset(seconds))
    if key not in known:
        known[key] = any(
            combine.follow_ups(first, (AnsweredInput(second, answer),))
            for first in firsts
            for second in seconds.values()
            for answer in _answers(second, ontology, labels)
        )
    return known[key]


def _answers(value: Input, ontology: Ontology, labels: Sequence[str]) -> Iterator[Output]:
    head, tail = _types(value)
    for label in labels:
        if ontology.fits(label, head, tail):
            yield {"relation": label, "score": 1.0}
