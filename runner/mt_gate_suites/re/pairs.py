"""Which pairs of a sentence become sources: those that a corpus marks, and some of its entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from spacy.tokens import Doc

from mt_gate.domain import Entity
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.re.entities import Votes, typed_entities
from mt_gate_suites.re.sample import Sample
from mt_gate_suites.re.sources import MarkedSentence, drawn_by_text
from mt_gate_suites.re.wholeness import is_whole_mark

UNVOTED = Votes({})
_PLACES = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY", "LOCATION"})
_AGENTS = ("PERSON", "ORGANIZATION")
_TOLD = _PLACES | frozenset(
    {"PERSON", "ORGANIZATION", "NATIONALITY", "TITLE", "DATE", "RELIGION", "IDEOLOGY"}
)
"""What relation schemes ask about persons and organisations."""
_AMOUNTS = frozenset({"ORDINAL", "QUANTITY", "PERCENT", "MONEY", "TIME"})


def samples_of(
    sentence: MarkedSentence, doc: Doc, most: int, seed: int, votes: Votes = UNVOTED
) -> Iterator[Sample]:
    """Yield a sentence's samples: each given pair once, then other pairs of its entities.

    Whoever marked them, both are whole names or nouns, and of the type that other sentences say.

    Args:
        sentence: with its given pairs.
        doc: its parse.
        most: how many other pairs at most.
        seed: of the draw among them.
        votes: what other sentences say of names.
    """
    text = sentence.text
    mentions = tuple(
        one for one in typed_entities(doc) if votes.agree(one.label, text[one.start : one.end])
    )
    taken: set[frozenset[tuple[int, int]]] = set()
    known: list[Entity] = list(mentions)
    given = []
    for pair in sentence.pairs:
        head, tail = (_typed(one, text, mentions) for one in (pair.head, pair.tail))
        if not all(
            is_whole_mark(doc, Entity(*one), mentions)
            and votes.agree(one.type, text[one.start : one.end], given=True)
            for one in (head, tail)
        ):
            continue
        known = _with_arguments(known, head, tail)
        given.append((pair, head, tail))
    for pair, head, tail in given:
        key = frozenset((head[:2], tail[:2]))
        if key not in taken:
            taken.add(key)
            # What the corpus types in other rows of the sentence is known here too.
            entities = tuple(_with_arguments(known, head, tail))
            yield Sample(pair.id, text, head, tail, entities, doc, sentence.origin, pair.relation)
    others = [pair for pair in _ranked(known, text) if _key(pair) not in taken]
    numbered = dict(zip(sorted(others), range(1, len(others) + 1), strict=True))
    for other in _drawn(others, text, most, seed):
        name = f"{sentence.id}.{numbered[other]}"
        head, tail = (Argument(*entity) for entity in other)
        yield Sample(name, text, head, tail, tuple(known), doc, sentence.origin)


def has_third(sample: Sample) -> bool:
    """Whether the sentence names a typed entity beside head and tail."""
    arguments = sample.head, sample.tail
    return any(
        not any(one.start < entity.end and entity.start < one.end for one in arguments)
        for entity in sample.entities
    )


def _typed(argument: Argument, text: str, mentions: Sequence[Entity]) -> Argument:
    """Return an argument with the type of the mention that it is, where its corpus has none."""
    if argument.type:
        return argument
    start = argument.start
    for article in ("the ", "The "):
        if text.startswith(article, start) and start + len(article) < argument.end:
            start += len(article)
    same = (m.label for m in mentions if m.end == argument.end and m.start in {start, argument[0]})
    return argument._replace(type=next(same, ""))


def _with_arguments(entities: Sequence[Entity], *arguments: Argument) -> list[Entity]:
    """Return entities with the arguments in place of those that they touch; untyped ones go."""
    kept = [
        entity
        for entity in entities
        if not any(one.start < entity.end and entity.start < one.end for one in arguments)
    ]
    return sorted([*kept, *(Entity(*one) for one in arguments if one.type)])


def _ranked(entities: Sequence[Entity], text: str) -> list[tuple[Entity, Entity]]:
    """Return the pairs that a relation scheme may ask about, (head, tail) in one order only."""
    return [
        (head, tail)
        for one, other in combinations(sorted(entities), 2)
        for head, tail in [_ordered(one, other)]
        if _rank(head, tail) < _UNASKED and not _same_name(head, tail, text)
    ]


def _same_name(one: Entity, other: Entity, text: str) -> bool:
    """Whether two mentions may name one thing: the words of one are among the other's."""
    words = [set(text[entity.start : entity.end].casefold().split()) for entity in (one, other)]
    return words[0] <= words[1] or words[1] <= words[0]


def _ordered(one: Entity, other: Entity) -> tuple[Entity, Entity]:
    """Put a person before an organisation, and either before anything else."""
    order = {kind: at for at, kind in enumerate(_AGENTS)}
    if order.get(other.label, len(order)) < order.get(one.label, len(order)):
        return other, one
    return one, other


_UNASKED = 2
"""The rank of pairs that no scheme asks about: two countries, a person and an amount."""


def _rank(head: Entity, tail: Entity) -> int:
    if head.label in _AGENTS:
        if tail.label in _TOLD:
            return 0
        return _UNASKED if tail.label in _AMOUNTS else 1
    places = head.label in _PLACES and tail.label in _PLACES
    return 1 if places and (head.label != tail.label or head.label == "LOCATION") else _UNASKED


def _drawn(
    pairs: Sequence[tuple[Entity, Entity]], text: str, most: int, seed: int
) -> list[tuple[Entity, Entity]]:
    """Return a seeded draw, those of persons and organisations first."""
    named = {f"{text}\0{[*head, *tail]}": (head, tail) for head, tail in pairs}
    drawn = [named[name] for name in drawn_by_text(named, seed)]
    return sorted(drawn, key=lambda pair: _rank(*pair))[:most]


def _key(pair: tuple[Entity, Entity]) -> frozenset[tuple[int, int]]:
    return frozenset((entity.start, entity.end) for entity in pair)
