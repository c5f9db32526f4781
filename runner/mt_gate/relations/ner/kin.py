"""Which names with the same label can be swapped so that the text stays plausible.

A label says too little: a channel and the series that it shows, a town and the state around it are
of one label each. What tells more at run time is a list (names that "and" joins are of one kind),
what a place is known to be, and the noun that an organisation's name ends in.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.domain import Entity
from mt_gate.relations.ner import places
from mt_gate.relations.ner import places as words
from mt_gate.relations.ner.places import REACH

_AND = re.compile(r",?\s(?:and|or)\s(?:the\s)?", re.IGNORECASE)
_COMMA = re.compile(r",\s(?:the\s)?", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?:,?\s(?:[a-z-]+\s){0,2}|(?:,|,?(?:\swhich)?\s(?:is|was|are|were))\s(?:an?|the|one)\s[^,;]*\s)"
    r"(?:in|on|at|of|within|inside)\s(?:the\s)?"
    r"|['’]s\s[^,;]*\bcapital\b[^;]*"
)
"""Text between a place and the place around it, in either order."""
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][^\W_]+")


def roles(text: str, chains: Sequence[Sequence[Entity]]) -> dict[int, str]:
    """Return the roles of names in nested places, by the start of the name.

    "Dallas, Texas" and "the Louvre in Paris" are a place within a place: neither may take the
    other's role. "Paris, London and Rome" is a list: all of it has the role of one.
    """
    by_start: dict[int, str] = {}
    for chain in chains:
        by_start.update(_in_chain(text, chain))
    for left, right in itertools.pairwise(chains):
        if left[-1].label != right[0].label:
            continue
        if _WITHIN.fullmatch(text, left[-1].end, right[0].start):
            _add(by_start, left, left[-1].start, "inside")
            _add(by_start, right, right[0].start, "around")
    return by_start


def _add(by_start: dict[int, str], chain: Sequence[Entity], start: int, role: str) -> None:
    nested = any(by_start.get(entity.start) for entity in chain)
    for entity in chain:
        if not nested or entity.start == start:
            by_start[entity.start] = by_start.get(entity.start, "") + role


def chains_of(text: str, entities: Sequence[Entity]) -> list[list[Entity]]:
    """Split names into the longest runs of one label that commas, "and" and "or" join."""
    chains: list[list[Entity]] = []
    for entity in entities:
        last = chains[-1][-1] if chains else None
        if (
            last
            and last.label == entity.label
            and any(of.fullmatch(text, last.end, entity.start) for of in (_COMMA, _AND))
        ):
            chains[-1].append(entity)
        else:
            chains.append([entity])
    return chains


def _in_chain(text: str, chain: Sequence[Entity]) -> dict[int, str]:
    commas = _commas(text, chain)
    if len(chain) == 1 or is_list(text, chain):
        return {}
    by_start = {}
    for at, entity in enumerate(chain):
        outer = at > 0 and commas[at - 1]
        inner = at < len(commas) and commas[at]
        by_start[entity.start] = ("outer" if outer else "") + ("inner" if inner else "")
        if outer and inner:
            by_start[entity.start] += str(entity.start)
    return by_start


def is_list(text: str, chain: Sequence[Entity]) -> bool:
    """Whether names are a list ("Rome, Oslo and Bern"), and not nested places ("Dallas, Texas")."""
    commas = _commas(text, chain)
    if len(chain) < 2 or not any(commas):
        return len(chain) > 1
    states = [text[entity.start : entity.end] in words.REGIONS for entity in chain]
    after_towns = any(state and not left for left, state in itertools.pairwise(states))
    return not commas[-1] and all(commas[:-1]) and not (len(chain) == 3 and after_towns)


def _commas(text: str, chain: Sequence[Entity]) -> list[bool]:
    return [
        bool(_COMMA.fullmatch(text, left.end, right.start))
        for left, right in itertools.pairwise(chain)
    ]


def sharing_words(text: str, entities: Sequence[Entity]) -> set[int]:
    """Return the starts of names that share a word with another name, or with other text.

    They are not swapped, because both mentions would have to change together: Gerald Ford ...
    Ford; NBC for the National Broadcasting Company; Texas ... the Texas Rangers. The same is true
    of a name that occurs twice.
    """
    names = [(entity.start, text[entity.start : entity.end]) for entity in entities]
    parts = []
    for start, name in names:
        if own := _parts(name):
            letters = unicodedata.normalize("NFKD", name)
            sounds = "".join(letter for letter in letters if letter.isalpha()).casefold()
            parts.append((start, own, sounds))
    ends = [0, *(entity.end for entity in entities)]
    starts = [*(entity.start for entity in entities), len(text)]
    around = " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    outside = _parts(around) - words.UNTELLING
    by_start = {start for start, own, _ in parts if not outside.isdisjoint(own)}
    for (left, ours, our_sounds), (right, theirs, their_sounds) in itertools.combinations(parts, 2):
        few, many = sorted((ours, theirs), key=len)
        initials = len(few) == 1 < len(many) and set(*few) == {word[0] for word in many}
        if our_sounds == their_sounds or few <= many or initials:
            by_start.update((left, right))
    return by_start


def _parts(text: str) -> frozenset[str]:
    return frozenset(_CAPITALISED.findall(text)) - {"The"}


def elliptic(text: str, chains: Sequence[Sequence[Entity]]) -> set[int]:
    """Return the starts of names that share a word in a list: North and South America."""
    return {
        entity.start
        for chain in chains
        if len(chain) > 1 and _shares_a_word(text, chain)
        for entity in chain
    }


def _shares_a_word(text: str, chain: Sequence[Entity]) -> bool:
    """Whether names share a word or are one: Hal and Jim McElroy, Trinidad and Tobago."""
    names = [text[entity.start : entity.end] for entity in chain]
    if text[chain[-2].start : chain[-1].end] in words.ONE_NAME:
        return True
    if any(name.lower() in words.DIRECTIONS for name in names):
        return True
    of_persons = chain[0].label.upper() in words.PERSONS
    of_a_family = of_persons and " " not in names[-2] and " " in names[-1]
    return of_a_family or names[-1].endswith(words.PLURALS)


Kin = tuple[str, ...]
"""What two names must have in common to be swapped."""

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
"""Text before names that are tagged as persons, but are often things: the famous [DeLorean]."""
_TITLE = re.compile(r"\b(?:[Ii]n|[Oo]n|[Aa]t|from)\s$")
"""Text before names that are tagged as persons, but are often series, places or ships."""
_MIXED_CASE = re.compile(r"(?<!\bMc)(?<!\bMac)(?<!\bDe)(?<!\bDi)(?<!\bLa)(?<!\bLe)(?<=[a-z])[A-Z]")
_PLAYED_BY = re.compile(r",?\s(?:as\s|is\s|was\s)?(?:played|portrayed|voiced|performed)\sby\b")
_DESCRIBED = re.compile(r"\b(?:an?|the|his|her|their|its|one)\s[^,.;:]{1,35},\s$", re.IGNORECASE)
"""Text before a name in apposition: a beautiful soprano, [Christine]."""
_NAMED = re.compile(
    r"\b(?:\w*named?|\w*names?|called|dubbed|titled|known as|alias|aka)\s(?:the\s)?$"
)
_IS_A_NAME = re.compile(r"\s(?:is|was)\s(?:an?|the)\s(?:[\w-]+\s)?(?:\w*name|pseudonym|alias)\b")
_OF_ONE_SEX = re.compile(
    rf"(?:,|['’]s?)\s(?:[\w-]+\s){{0,4}}(?:{words.SEX.pattern})\b", re.IGNORECASE
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


class _Standing(NamedTuple):
    """A name and the text around it; ``chain`` is the number of its list, or empty."""

    name: str
    before: str
    own_before: str
    after: str
    tail: str
    chain: str
    many: bool

    @property
    def introduced(self) -> bool:
        return bool(self.chain and _INTRODUCED.search(self.before))


class _Settled(NamedTuple):
    """Facts about the whole text that limit swaps.

    ``countries`` are codes of countries that it names, ``peoples`` of those whose adjectives it
    has. ``harmed``: somebody comes to harm. ``sexed``: it states somebody's sex. ``closed``: it has
    facts that are true of its places only.
    """

    countries: frozenset[str]
    peoples: frozenset[str]
    harmed: bool
    sexed: bool
    closed: bool


def kin_of(text: str, chains: Sequence[Sequence[Entity]]) -> dict[int, Kin]:
    """Return what each name must have in common with one that replaces it, by the name's start.

    Names that are not in the result must not be replaced.
    """
    plain = re.findall(r"\b[a-z]+\b", text)
    harmed = not words.HARM.isdisjoint(plain)
    settled = _Settled(
        places.named_countries(text),
        places.named_peoples(text),
        harmed,
        any(words.SEX.fullmatch(word) or word in _BEARING for word in plain),
        harmed or _SHIFTING.search(text) is not None,
    )
    by_start: dict[int, Kin] = {}
    for number, chain in enumerate(chains):
        listed = len(chain) > 1
        if listed and not is_list(text, chain):
            continue
        before = text[max(0, chain[0].start - REACH) : chain[0].start]
        for entity in chain:
            standing = _Standing(
                text[entity.start : entity.end],
                before,
                text[max(0, entity.start - REACH) : entity.start],
                text[entity.end : entity.end + REACH],
                text[chain[-1].end : chain[-1].end + REACH],
                str(number) if listed else "",
                len(chain) > 2,
            )
            kin = _kin(standing, entity.label.upper(), settled)
            if kin is not None:
                by_start[entity.start] = kin
    return by_start


def _kin(standing: _Standing, label: str, settled: _Settled) -> Kin | None:
    if _NAMED.search(standing.before) or _IS_A_NAME.match(standing.after):
        return None
    if label in words.PERSONS:
        kin = _person(standing, settled)
    elif label in words.LOCATIONS:
        kin = _place(standing, settled)
    else:
        kin = _organisation(standing)
    if kin is None or not places.after_a_nationality(standing.before):
        return kin
    # The British writer [Kelly]; Iraqi cities such as [Mosul] and [Tuz].
    return (*kin, standing.chain) if standing.chain else None


def _person(standing: _Standing, settled: _Settled) -> Kin | None:
    """Let full names replace full names, and single words single words; None: do not replace.

    Actors and their roles stay. So do all persons in texts on crime or death, who may be real.
    """
    before, after, name = standing.before, standing.after, standing.name
    if settled.harmed or any(pattern.search(before) for pattern in _NO_PERSON):
        return None
    if _OF_ONE_SEX.match(after) or _PLAYED_BY.match(after) or _MIXED_CASE.search(name):
        return None
    if standing.chain and _THE_ONES.match(standing.tail):
        return None
    if settled.sexed and not standing.chain:
        return None
    parts = [part for part in name.split() if part.lower() not in words.PARTICLES]
    length = "full name" if len(parts) > 1 else "one word"
    return (length, standing.chain if standing.introduced or settled.sexed else "")


def _place(standing: _Standing, settled: _Settled) -> Kin | None:
    """Let places replace places of the same rank, in some lists only within the list."""
    if standing.own_before.removesuffix(" ").rpartition(" ")[2].lower() in words.BEFORE_PLACES:
        return None
    rank = places.rank_of(standing.name, settled.countries)
    if rank == "nationality":
        return None
    if standing.chain and (standing.many or standing.introduced or not rank or settled.closed):
        return (rank, standing.chain)
    if places.country_of(standing.name) in settled.peoples:
        return None
    if (
        not rank
        or settled.closed
        or _DESCRIBED_FURTHER.match(standing.after)
        or _before_noun(standing)
    ):
        return None
    return (rank, "where" if _WHERE.search(standing.before) else "")


def _organisation(standing: _Standing) -> Kin | None:
    """Let names replace names in their list; outside of lists, a studio only a studio."""
    if standing.chain:
        return (standing.chain,)
    kind = words.ORGANISATIONS.get(standing.name.rpartition(" ")[2])
    if kind is None or _DESCRIBED_FURTHER.match(standing.after) or _before_noun(standing):
        return None
    return (kind,)


def _before_noun(standing: _Standing) -> bool:
    following = _NEXT.match(standing.after)
    if following is None:
        return False
    word = following.group(1)
    return not (word in words.FUNCTION or word in words.PAST or word.endswith(("ed", "ly")))
