"""Names of one type that change places keep their type.

Source: Yu et al., ESEC/FSE 2023 (TIN), random entity shuffle. Which words are names of one type is
the system's own prediction, so follow-ups are built while it runs. There is no parser then: what
the letters around a name cannot show to be safe stays where it is.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from random import Random

from mt_gate.domain import Block, Entity
from mt_gate.relations.base import FollowUp, Input, MetamorphicRelation, Output
from mt_gate.relations.ner import places
from mt_gate.relations.ner.kin import chains_of, elliptic, kin_of, roles, sharing_words
from mt_gate.relations.stated import SpansMapped, judge
from mt_gate.tasks import ner

MOST = 2
"""Follow-ups of a source: more of them say little that is new."""
TRIES = 64
"""Draws after which fewer will do: by chance one order comes again and again."""

_OF_ONE_SEX = re.compile(r"\b(?:s?he|him|his|hers?|himself|herself)\b", re.IGNORECASE)
_INNER_THE = re.compile(r"the\s+", re.IGNORECASE)
_UNNAMED = frozenset(
    # Numbers, dates and addresses
    "DATE TIME DATETIME CARDINAL ORDINAL QUANTITY PERCENT MONEY ADDRESS PHONENUMBER EMAIL URL IP "
    # Adjectives before nouns, roles, skills
    "NORP LANGUAGE LAW PERSONTYPE SKILL "
    # Things of many kinds: a battle and a festival, a car and a song
    "MISC OTHER EVENT PRODUCT COMMERCIAL_ITEM TITLE WORK_OF_ART".split()
)
"""Labels, in capitals, whose names are not of one kind: they do not fit each other's places.

Those of OntoNotes (spaCy, Flair), CoNLL, Amazon Comprehend and Azure AI Language.
"""


def shuffle(source: Input, output: Output, rng: Random) -> tuple[FollowUp, ...]:
    """Return the follow-ups; empty where no two names can change places.

    Names move within one label and one kind of place: with or without "the", plural or not, city or
    country of a pair like "Dallas, Texas". A name that is there twice stays, since one of the two
    would say something else of it, and so do persons where a pronoun says of which sex one of them
    is.
    """
    text: str = source["text"]
    entities = []
    for entity in ner.entities(output):
        article = _INNER_THE.match(text, entity.start, entity.end)
        entities.append(entity._replace(start=article.end()) if article else entity)
    labels = Counter(entity.label for entity in entities)
    shared = {label for label in labels if labels[label] > 1 and label.upper() not in _UNNAMED}
    if _OF_ONE_SEX.search(text):
        shared = {label for label in shared if label.upper() not in places.PERSONS}
    cut = (of for of in entities if of.label.upper() in places.LOCATIONS)
    if not shared or any(places.lacks_article(text, of.start, of.end) for of in cut):
        return ()
    chains = chains_of(text, entities)
    follow_ups: dict[str, FollowUp] = {}
    for mentions in _classes(text, entities, chains, shared):
        orders = _orders([text[name.start : name.end] for name in mentions], rng)
        for order in itertools.islice(orders, MOST):
            follow_up = _permuted(text, mentions, order)
            follow_ups[follow_up.input["text"]] = follow_up
    follow_ups.pop(text, None)
    return tuple(rng.sample([*follow_ups.values()], min(MOST, len(follow_ups))))


def _classes(
    text: str,
    entities: Sequence[Entity],
    chains: Sequence[Sequence[Entity]],
    shared: Container[str],
) -> list[list[Entity]]:
    fixed = sharing_words(text, entities) | elliptic(text, chains)
    nested = roles(text, chains)
    kin = kin_of(text, chains)
    starts = frozenset(entity.start for entity in entities)
    ends = frozenset(entity.end for entity in entities)
    by_place: dict[tuple[str, ...], list[Entity]] = {}
    for entity in entities:
        if entity.start in fixed or entity.start not in kin or entity.label not in shared:
            continue
        kind = places.kind_of(places.read_place(text, entity.start, entity.end, starts, ends))
        if kind is not None:
            role = nested.get(entity.start, "")
            place = (entity.label, kind, role, *kin[entity.start])
            by_place.setdefault(place, []).append(entity)
    return [mentions for mentions in by_place.values() if len(mentions) > 1]


def _orders(names: Sequence[str], rng: Random) -> Iterator[tuple[int, ...]]:
    """Yield orders, name ``order[i]`` in place i, that differ from the source and each other."""
    identity = tuple(range(len(names)))
    seen = {tuple(names)}
    for _ in range(TRIES):
        order = tuple(rng.sample(identity, len(names)))
        moved = tuple(names[at] for at in order)
        if moved not in seen:
            seen.add(moved)
            yield order


def _permuted(text: str, mentions: Sequence[Entity], order: Sequence[int]) -> FollowUp:
    taken = [mentions[at] for at in order]
    ends = [0, *(place.end for place in mentions)]
    starts = [*(place.start for place in mentions), len(text)]
    spans = [(ends[0], starts[0])]
    for name, end, start in zip(taken, ends[1:], starts[1:], strict=True):
        spans += ((name.start, name.end), (end, start))
    blocks = []
    at = 0
    for start, end in spans:
        if end > start:
            blocks.append(Block(start, at, end - start))
            at += end - start
    moved = "".join([text[start:end] for start, end in spans])
    return FollowUp({"text": moved}, tuple(sorted(blocks)))


RELATION = MetamorphicRelation(
    id="ner/entity-shuffle",
    title="Entity swap (same label)",
    description=(
        "Swaps entities with the same predicted label. All entities must keep their labels."
    ),
    paper="Yu et al., ESEC/FSE 2023 (TIN), random entity shuffle",
    before="Anna met Boris in Oslo.",
    after="Boris met Anna in Oslo.",
    holds=judge(SpansMapped(), ner.TASK),
    bind=shuffle,
)
