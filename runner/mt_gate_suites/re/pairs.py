"""Choose a sentence's pairs that become sources: the corpus's, and pairs of other entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from spacy.tokens import Doc

from mt_gate.domain import Entity
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.re.entities import Votes, find_entities
from mt_gate_suites.re.sample import Sample
from mt_gate_suites.re.sources import MarkedSentence, draw_by_text
from mt_gate_suites.re.wholeness import is_whole_mark

Pair = tuple[Entity, Entity]

_PLACES = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY", "LOCATION"})
_AGENTS = ("PERSON", "ORGANIZATION")
_RELATED = _PLACES | frozenset({*_AGENTS, "NATIONALITY", "TITLE", "DATE", "RELIGION", "IDEOLOGY"})
"""Types of things to which schemes have relations of persons and organisations."""
_AMOUNTS = frozenset({"ORDINAL", "QUANTITY", "PERCENT", "MONEY", "TIME"})
_UNRELATED = 2
"""Rank of pairs for which no scheme has a relation: two countries, a person and an amount."""


def make_samples(
    sentence: MarkedSentence, doc: Doc, most: int, seed: int, votes: Votes
) -> Iterator[Sample]:
    """Yield a sentence's samples: each marked pair once, then other pairs of its entities.

    In all pairs, arguments must be whole names or nouns, and other sentences must agree on types.

    Args:
        sentence: the sentence with its marked pairs.
        doc: its parse.
        most: maximum other pairs.
        seed: seed of the sample of other pairs.
        votes: classes of names in all sentences.
    """
    text = sentence.text

    def is_sound(one: Argument) -> bool:
        agreed = votes.agree(one.type, text[one.start : one.end], from_corpus=True)
        return agreed and is_whole_mark(doc, Entity(*one), mentions)

    parsed = [
        one for one in find_entities(doc) if votes.agree(one.label, text[one.start : one.end])
    ]
    mentions = _add_arguments(parsed, *sentence.entities)
    known, marked = mentions, []
    for pair in sentence.pairs:
        head, tail = _add_type(pair.head, text, mentions), _add_type(pair.tail, text, mentions)
        if is_sound(head) and is_sound(tail):
            known = _add_arguments(known, head, tail)
            marked.append((pair, head, tail))
    taken: set[frozenset[tuple[int, ...]]] = set()
    for pair, head, tail in marked:
        key = frozenset((head[:2], tail[:2]))
        if key not in taken:
            taken.add(key)
            # Types of entities in other rows of the sentence are also known here.
            entities = tuple(_add_arguments(known, head, tail))
            yield Sample(pair.id, text, head, tail, entities, doc, sentence.origin, pair.relation)
    others = sorted(
        pair
        for pair in map(_order, combinations(sorted(known), 2))
        if _rank(pair) < _UNRELATED
        and not _is_one_name(pair, text)
        and frozenset(one[:2] for one in pair) not in taken
    )
    # Persons and organisations come first.
    named = {f"{text}\0{[*pair[0], *pair[1]]}": pair for pair in others}
    drawn = sorted((named[name] for name in draw_by_text(named, seed)), key=_rank)
    for other in drawn[:most]:
        head, tail = Argument(*other[0]), Argument(*other[1])
        name = f"{sentence.id}.{others.index(other) + 1}"
        yield Sample(name, text, head, tail, tuple(known), doc, sentence.origin)


def has_third(sample: Sample) -> bool:
    """Whether the sentence names a typed entity in addition to head and tail."""
    return any(
        not any(_overlap(entity, one) for one in (sample.head, sample.tail))
        for entity in sample.entities
    )


def _overlap(one: Entity | Argument, other: Entity | Argument) -> bool:
    return one.start < other.end and other.start < one.end


def _add_type(argument: Argument, text: str, mentions: Sequence[Entity]) -> Argument:
    start = argument.start
    if text[start : start + 4].lower() == "the " and start + 4 < argument.end:
        start += 4
    same = (m.label for m in mentions if m.end == argument.end and m.start in {start, argument[0]})
    return argument if argument.type else argument._replace(type=next(same, ""))


def _add_arguments(entities: Sequence[Entity], *arguments: Argument) -> list[Entity]:
    others = (entity for entity in entities if not any(_overlap(entity, one) for one in arguments))
    return sorted([*others, *(Entity(*one) for one in arguments if one.type)])


def _is_one_name(pair: Pair, text: str) -> bool:
    one, other = (set(text[entity.start : entity.end].casefold().split()) for entity in pair)
    return one <= other or other <= one


def _order(pair: Pair) -> Pair:
    places = [(*_AGENTS, one.label).index(one.label) for one in pair]
    return pair if places[0] <= places[1] else pair[::-1]


def _rank(pair: Pair) -> int:
    head, tail = (one.label for one in pair)
    if head in _AGENTS:
        return 0 if tail in _RELATED else _UNRELATED if tail in _AMOUNTS else 1
    places = head in _PLACES and tail in _PLACES
    return 1 if places and (head != tail or head == "LOCATION") else _UNRELATED
