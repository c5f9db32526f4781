"""Swap names with the same label, which must keep their labels.

Source: Yu et al., ESEC/FSE 2023 (TIN), random entity shuffle. The names are the system's
predictions, so follow-ups are built during the run, without a parser. A name stays in its place
unless the characters around it show that a swap is safe.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from mt_gate.domain import Block, Entity
from mt_gate.lexicons import nations
from mt_gate.relations.base import FollowUp, Input, MetamorphicRelation, Output
from mt_gate.relations.ner import places
from mt_gate.relations.stated import SpansMapped, judge
from mt_gate.tasks import ner

FEW = 4
"""Up to this many names that can be swapped, every order of them is a follow-up."""
MOST = 8
"""Maximum follow-ups of a source with more names."""
TRIES = 64
"""Maximum random orders to draw, because the same order may repeat."""

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
"""Labels, in capitals, whose names differ too much to be swapped.

They are from OntoNotes (spaCy, Flair), CoNLL, Amazon Comprehend and Azure AI Language.
"""


def shuffle(source: Input, output: Output, rng: Random) -> tuple[FollowUp, ...]:
    """Return the follow-ups; empty if no two names can be swapped.

    Names are swapped within one label and one kind of position: with or without "the", plural or
    not, inner or outer part of a pair like "Dallas, Texas". A name that occurs twice stays, because
    both mentions would have to change. Persons stay if a pronoun shows somebody's sex.
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
    cut = (entity for entity in entities if entity.label.upper() in places.LOCATIONS)
    if not shared or any(places.lacks_article(text, entity.start, entity.end) for entity in cut):
        return ()
    classes = _classes(text, entities, _chains_of(text, entities), shared)
    mentions = sorted(itertools.chain.from_iterable(classes))
    follow_ups: dict[str, FollowUp] = {}
    for order in _orders(classes, rng):
        taken = dict(zip(itertools.chain.from_iterable(classes), order, strict=True))
        follow_up = _permuted(text, mentions, [taken[mention] for mention in mentions])
        follow_ups[follow_up.input["text"]] = follow_up
        if len(mentions) > FEW and len(follow_ups.keys() - {text}) == MOST:
            break
    follow_ups.pop(text, None)
    return tuple(follow_ups.values())


def _orders(classes: Sequence[Sequence[Entity]], rng: Random) -> Iterator[list[Entity]]:
    """Yield the names in the order of their new places: all classes at once, as in the paper."""
    if sum(map(len, classes)) <= FEW:
        for orders in itertools.product(*map(itertools.permutations, classes)):
            yield [mention for order in orders for mention in order]
    else:
        for _ in range(TRIES):
            yield [name for names in classes for name in rng.sample(names, len(names))]


def _classes(
    text: str,
    entities: Sequence[Entity],
    chains: Sequence[Sequence[Entity]],
    shared: Container[str],
) -> list[list[Entity]]:
    fixed = _sharing_words(text, entities)
    fixed |= {name.start for chain in chains if _shares_a_word(text, chain) for name in chain}
    nested = _roles(text, chains)
    kin = _kin_of(text, chains)
    starts = frozenset(entity.start for entity in entities)
    ends = frozenset(entity.end for entity in entities)
    by_place: dict[tuple[str, ...], list[Entity]] = {}
    for entity in entities:
        if entity.start in fixed or entity.start not in kin or entity.label not in shared:
            continue
        kind = places.kind_of(text, entity.start, entity.end, starts, ends)
        if kind is not None:
            role = nested.get(entity.start, "")
            place = (entity.label, kind, role, *kin[entity.start])
            by_place.setdefault(place, []).append(entity)
    return [mentions for mentions in by_place.values() if len(mentions) > 1]


def _permuted(text: str, mentions: Sequence[Entity], taken: Sequence[Entity]) -> FollowUp:
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


_AND = re.compile(r",?\s(?:and|or)\s(?:the\s)?", re.IGNORECASE)
_COMMA = re.compile(r",\s(?:the\s)?", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?:,?\s(?:[a-z-]+\s){0,2}|(?:,|,?(?:\swhich)?\s(?:is|was|are|were))\s(?:an?|the|one)\s[^,;]*\s)"
    r"(?:in|on|at|of|within|inside)\s(?:the\s)?"
    r"|['’]s\s[^,;]*\bcapital\b[^;]*"
)
"""Text between a place and the place around it, in either order."""
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][^\W_]+")


def _roles(text: str, chains: Sequence[Sequence[Entity]]) -> dict[int, str]:
    """Return the roles of names in nested places, by the start of the name.

    "Dallas, Texas" and "the Louvre in Paris" are places within places: inner and outer names must
    not be swapped. The names of a list, such as "Paris, London and Rome", have no roles.
    """
    by_start: dict[int, str] = {}
    for chain in chains:
        if len(chain) == 1 or _is_list(text, chain):
            continue
        commas = [False, *_commas(text, chain), False]
        for entity, outer, inner in zip(chain, commas, commas[1:], strict=False):
            by_start[entity.start] = "outer" * outer + "inner" * inner
            if outer and inner:
                by_start[entity.start] += str(entity.start)
    for left, right in itertools.pairwise(chains):
        if left[-1].label == right[0].label and _WITHIN.fullmatch(
            text, left[-1].end, right[0].start
        ):
            for chain, start, role in (
                (left, left[-1].start, "inside"),
                (right, right[0].start, "around"),
            ):
                nested = any(by_start.get(entity.start) for entity in chain)
                for entity in chain:
                    if not nested or entity.start == start:
                        by_start[entity.start] = by_start.get(entity.start, "") + role
    return by_start


def _chains_of(text: str, entities: Sequence[Entity]) -> list[list[Entity]]:
    """Group names into the longest runs with one label, joined by commas, "and" or "or"."""
    chains: list[list[Entity]] = []
    for entity in entities:
        last = chains[-1][-1] if chains else None
        if (
            last
            and last.label == entity.label
            and any(pattern.fullmatch(text, last.end, entity.start) for pattern in (_COMMA, _AND))
        ):
            chains[-1].append(entity)
        else:
            chains.append([entity])
    return chains


def _is_list(text: str, chain: Sequence[Entity]) -> bool:
    """Whether names are a list ("Rome, Oslo and Bern"), and not nested places ("Dallas, Texas")."""
    commas = _commas(text, chain)
    if len(chain) < 2 or not any(commas):
        return len(chain) > 1
    states = [text[entity.start : entity.end] in places.REGIONS for entity in chain]
    after_towns = any(state and not left for left, state in itertools.pairwise(states))
    return not commas[-1] and all(commas[:-1]) and not (len(chain) == 3 and after_towns)


def _commas(text: str, chain: Sequence[Entity]) -> list[bool]:
    return [
        bool(_COMMA.fullmatch(text, left.end, right.start))
        for left, right in itertools.pairwise(chain)
    ]


def _sharing_words(text: str, entities: Sequence[Entity]) -> set[int]:
    """Return the starts of names that share a word with another name, or with other text.

    They are not swapped, because both mentions would have to change together: Gerald Ford ...
    Ford; NBC for the National Broadcasting Company; Texas ... the Texas Rangers. The same is true
    of a name that occurs twice.
    """
    parts = []
    for entity in entities:
        name = text[entity.start : entity.end]
        if own := {*_CAPITALISED.findall(name)} - {"The"}:
            letters = unicodedata.normalize("NFKD", name)
            sounds = "".join(letter for letter in letters if letter.isalpha()).casefold()
            parts.append((entity.start, own, sounds))
    ends = [0, *(entity.end for entity in entities)]
    starts = [*(entity.start for entity in entities), len(text)]
    around = " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    outside = {*_CAPITALISED.findall(around)} - {"The"} - places.UNTELLING
    by_start = {start for start, own, _ in parts if not outside.isdisjoint(own)}
    for (left, ours, our_sounds), (right, theirs, their_sounds) in itertools.combinations(parts, 2):
        few, many = sorted((ours, theirs), key=len)
        initials = len(few) == 1 < len(many) and set(*few) == {word[0] for word in many}
        if our_sounds == their_sounds or few <= many or initials:
            by_start.update((left, right))
    return by_start


def _shares_a_word(text: str, chain: Sequence[Entity]) -> bool:
    """Whether listed names share a word or are one: Hal and Jim McElroy, Trinidad and Tobago."""
    if len(chain) < 2:
        return False
    names = [text[entity.start : entity.end] for entity in chain]
    if text[chain[-2].start : chain[-1].end] in places.ONE_NAME:
        return True
    if any(name.lower() in places.DIRECTIONS for name in names):
        return True
    of_persons = chain[0].label.upper() in places.PERSONS
    of_a_family = of_persons and " " not in names[-2] and " " in names[-1]
    return of_a_family or names[-1].endswith(places.PLURALS)


Kin = tuple[str, ...]
"""Properties that two names must share to be swapped."""

_INTRODUCED = re.compile(
    r"(?:\b(?:such as|like|includ(?:e[sd]?|ing)|namely|especially|particularly|in particular|of"
    r"|for (?:example|instance)|e\.g\.|i\.e\.|other than|except(?: for)?),?|[:(–—])\s?(?:the\s)?$"
)
"""Text before a list of examples: Canadian cities such as Toronto and Montreal."""
_PART_PLAYED = re.compile(
    r"\b(?:as|(?:roles?|parts?) of|characters?(?: of)?|play(?:s|ed|ing)|portray(?:s|ed|ing))\s"
    r"(?:[a-z-]+\s){0,3}$"
)
_THE_OTHER = re.compile(r"\bthe\s[a-z-]+\s$")
"""Text before names that are labelled as persons, but are often things: the famous [DeLorean]."""
_TITLE = re.compile(r"\b(?:[Ii]n|[Oo]n|[Aa]t|from)\s$")
"""Text before names that are labelled as persons, but are often series, places or ships."""
_MIXED_CASE = re.compile(r"(?<!\bMc)(?<!\bMac)(?<!\bDe)(?<!\bDi)(?<!\bLa)(?<!\bLe)(?<=[a-z])[A-Z]")
_PLAYED_BY = re.compile(r",?\s(?:as\s|is\s|was\s)?(?:played|portrayed|voiced|performed)\sby\b")
_DESCRIBED = re.compile(r"\b(?:an?|the|his|her|their|its|one)\s[^,.;:]{1,35},\s$", re.IGNORECASE)
"""Text before a name in apposition: a beautiful soprano, [Christine]."""
_NAMED = re.compile(
    r"\b(?:\w*named?|\w*names?|called|dubbed|titled|known as|alias|aka)\s(?:the\s)?$"
)
_IS_A_NAME = re.compile(r"\s(?:is|was)\s(?:an?|the)\s(?:[\w-]+\s)?(?:\w*name|pseudonym|alias)\b")
_SEX_AFTER = re.compile(
    rf"(?:,|['’]s?)\s(?:[\w-]+\s){{0,4}}(?:{places.SEX.pattern})\b", re.IGNORECASE
)
_THE_ONES = re.compile(r",\s(?:the|an?)\s")
"""Text after a list that describes all its names: Tom and Jerry, the famous cartoon."""
_DESCRIBED_FURTHER = re.compile(
    r",\s(?:where|which|who|whose|whom|an?|the|its?|then|now|also|formerly|one|home|capital)\b"
)
_NO_PERSON = (_TITLE, _PART_PLAYED, _DESCRIBED, _THE_OTHER)
_SHIFTING = re.compile(
    r"\b(?:re-?named|formerly|known as|called|named (?:after|for)|capitals?|annex\w*|merged"
    r"|border\w*|part of|coasts?|provinces?|independen\w+|colon(?:y|ies|ial|i[sz]ed)"
    r"|(?:north|south|east|west)(?:east|west)?(?:ern|wards?)?)\b"
)
"""Words for facts that are true of one place only, such as its borders and earlier names."""
_WHERE = re.compile(
    r"\b(?:in|at|from|to|near|into|across|through|throughout|outside|around|via)\s(?:the\s)?$",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\s([a-z][\w-]*)")
_BEARING = frozenset({"birth", "pregnant", "pregnancy"})


class _NameInText(NamedTuple):
    """A name, the text around it, and properties of the whole text that limit swaps.

    ``chain`` is the number of its list, or empty. ``introduced``: it is in a list of examples.
    ``countries`` are codes of countries that the text names, ``peoples`` are codes of countries
    whose adjectives it uses. ``harmed``: the text is on crime or death. ``sexed``: it shows
    somebody's sex. ``closed``: it has facts that are true of its places only.
    """

    name: str
    before_list: str
    before: str
    after: str
    after_list: str
    chain: str
    introduced: bool
    many: bool
    countries: frozenset[str]
    peoples: frozenset[str]
    harmed: bool
    sexed: bool
    closed: bool

    @property
    def is_described(self) -> bool:
        """Whether a description follows the name, or the name describes the next noun."""
        following = _NEXT.match(self.after)
        word = following.group(1) if following else ""
        verb = word in places.FUNCTION or word in places.PAST or word.endswith(("ed", "ly"))
        return _DESCRIBED_FURTHER.match(self.after) is not None or bool(word and not verb)


def _kin_of(text: str, chains: Sequence[Sequence[Entity]]) -> dict[int, Kin]:
    """Return by start of each name the properties that its replacement must share.

    Names that are not in the result must not be replaced.
    """
    plain = re.findall(r"\b[a-z]+\b", text)
    harmed = not places.HARM.isdisjoint(plain)
    countries, peoples = places.named_nations(text)
    whole_text: dict[str, Any] = {
        "countries": countries,
        "peoples": peoples,
        "harmed": harmed,
        "sexed": any(places.SEX.fullmatch(word) or word in _BEARING for word in plain),
        "closed": harmed or _SHIFTING.search(text) is not None,
    }
    by_start: dict[int, Kin] = {}
    for number, chain in enumerate(chains):
        listed = len(chain) > 1
        if listed and not _is_list(text, chain):
            continue
        before_list = text[max(0, chain[0].start - places.REACH) : chain[0].start]
        for entity in chain:
            name = _NameInText(
                name=text[entity.start : entity.end],
                before_list=before_list,
                before=text[max(0, entity.start - places.REACH) : entity.start],
                after=text[entity.end : entity.end + places.REACH],
                after_list=text[chain[-1].end : chain[-1].end + places.REACH],
                chain=str(number) if listed else "",
                introduced=listed and _INTRODUCED.search(before_list) is not None,
                many=len(chain) > 2,
                **whole_text,
            )
            kin = _kin(name, entity.label.upper())
            if kin is not None:
                by_start[entity.start] = kin
    return by_start


def _kin(name: _NameInText, label: str) -> Kin | None:
    if _NAMED.search(name.before_list) or _IS_A_NAME.match(name.after):
        return None
    if label in places.PERSONS:
        kin = _person(name)
    elif label in places.LOCATIONS:
        kin = _place(name)
    elif name.chain:  # swap organisations and others only within their list
        kin = (name.chain,)
    else:  # outside lists, only a studio may replace a studio
        kind = places.ORGANISATIONS.get(name.name.rpartition(" ")[2])
        kin = None if kind is None or name.is_described else (kind,)
    words = name.before_list.split()
    while words and words[-1].islower():
        words.pop()
    if kin is None or not words or words[-1] not in nations.NATIONALITIES:
        return kin
    # The British writer [Kelly]; Iraqi cities such as [Mosul] and [Tuz].
    return (*kin, name.chain) if name.chain else None


def _person(name: _NameInText) -> Kin | None:
    """Let full names replace full names, and single words single words; None: do not replace.

    Actors and their roles stay. So do all persons in texts on crime or death, who may be real.
    """
    if (
        name.harmed
        or any(pattern.search(name.before_list) for pattern in _NO_PERSON)
        or any(pattern.match(name.after) for pattern in (_SEX_AFTER, _PLAYED_BY))
        or _MIXED_CASE.search(name.name)
        or (_THE_ONES.match(name.after_list) if name.chain else name.sexed)
    ):
        return None
    parts = [part for part in name.name.split() if part.lower() not in places.PARTICLES]
    length = "full name" if len(parts) > 1 else "one word"
    return (length, name.chain if name.introduced or name.sexed else "")


def _place(name: _NameInText) -> Kin | None:
    """Let places replace places of the same rank, in some lists only within the list."""
    rank = places.rank_of(name.name, name.countries)
    previous = name.before.removesuffix(" ").rpartition(" ")[2].lower()
    if rank == "nationality" or previous in places.BEFORE_PLACES:
        return None
    if name.chain and (name.many or name.introduced or not rank or name.closed):
        return (rank, name.chain)
    adjective_too = places.COUNTRIES.get(name.name) in name.peoples
    if not rank or name.closed or adjective_too or name.is_described:
        return None
    return (rank, "where" if _WHERE.search(name.before_list) else "")


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
