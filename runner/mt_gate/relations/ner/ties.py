"""How the names of one sentence hang together, by the text between them."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence

from mt_gate.domain import Entity
from mt_gate.relations.ner import place_words as words

_AND = re.compile(r",?\s(?:and|or)\s(?:the\s)?", re.IGNORECASE)
_COMMA = re.compile(r",\s(?:the\s)?", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?:,?\s(?:[a-z-]+\s){0,2}|(?:,|,?(?:\swhich)?\s(?:is|was|are|were))\s(?:an?|the|one)\s[^,;]*\s)"
    r"(?:in|on|at|of|within|inside)\s(?:the\s)?"
    r"|['’]s\s[^,;]*\bcapital\b[^;]*"
)
"""Between a place and the one around it, or the other way round."""
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][^\W_]+")


def roles(text: str, chains: Sequence[Sequence[Entity]]) -> dict[int, str]:
    """Return the roles of names in nested places, by where they begin.

    "Dallas, Texas" and "the Louvre in Paris" are a place within a place:
    neither may take the other's role. "Paris, London and Rome" is a list: all
    of it has the role of one.
    """
    found: dict[int, str] = {}
    for chain in chains:
        found.update(_in_chain(text, chain))
    for left, right in itertools.pairwise(chains):
        if left[-1].label != right[0].label:
            continue
        if _WITHIN.fullmatch(text, left[-1].end, right[0].start):
            _add(found, left, left[-1].start, "inside")
            _add(found, right, right[0].start, "around")
    return found


def _add(found: dict[int, str], chain: Sequence[Entity], start: int, role: str) -> None:
    """Give a role to one name, and to the others of its list."""
    nested = any(found.get(entity.start) for entity in chain)
    for entity in chain:
        if not nested or entity.start == start:
            found[entity.start] = found.get(entity.start, "") + role


def chains_of(text: str, entities: Sequence[Entity]) -> list[list[Entity]]:
    """Split into the longest runs of one label that commas, "and" and "or" join."""
    chains: list[list[Entity]] = []
    for entity in entities:
        last = chains[-1][-1] if chains else None
        if last and last.label == entity.label and _joined(text, last, entity):
            chains[-1].append(entity)
        else:
            chains.append([entity])
    return chains


def _joined(text: str, left: Entity, right: Entity) -> bool:
    return bool(
        _COMMA.fullmatch(text, left.end, right.start) or _AND.fullmatch(text, left.end, right.start)
    )


def _in_chain(text: str, chain: Sequence[Entity]) -> dict[int, str]:
    commas = _commas(text, chain)
    if len(chain) == 1 or is_list(text, chain):
        return {}
    found = {}
    for at, entity in enumerate(chain):
        outer = at > 0 and commas[at - 1]
        inner = at < len(commas) and commas[at]
        found[entity.start] = ("outer" if outer else "") + ("inner" if inner else "")
        if outer and inner:
            found[entity.start] += str(entity.start)
    return found


def is_list(text: str, chain: Sequence[Entity]) -> bool:
    """Tell a list of names from places in places: "Rome, Oslo and Bern" from "Dallas, Texas"."""
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
    """Return where the names begin that share their words with something else.

    Two mentions of one thing cannot take two places (Gerald Ford ... Ford; NBC
    for the National Broadcasting Company; Texas ... the Texas Rangers), nor can
    one name that stands twice: what is said of it here need not fit there.
    """
    names = [(entity.start, text[entity.start : entity.end]) for entity in entities]
    parts = [(start, own, _sounds(name)) for start, name in names if (own := _parts(name))]
    outside = _parts(_outside(text, entities)) - words.UNTELLING
    found = {start for start, own, _ in parts if not outside.isdisjoint(own)}
    for (left, ours, our_sounds), (right, theirs, their_sounds) in itertools.combinations(parts, 2):
        same = our_sounds == their_sounds
        if same or ours <= theirs or theirs <= ours or _initials(ours, theirs):
            found.update((left, right))
    return found


def _sounds(name: str) -> str:
    """Return the letters of a name without accents and blanks: Saigon is Sài Gòn."""
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if letter.isalpha()).casefold()


def _outside(text: str, entities: Sequence[Entity]) -> str:
    ends = [0, *(entity.end for entity in entities)]
    starts = [*(entity.start for entity in entities), len(text)]
    return " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _parts(text: str) -> frozenset[str]:
    return frozenset(_CAPITALISED.findall(text)) - {"The"}


def _initials(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Tell whether one is a single word made of the other's first letters."""
    if len(ours) > len(theirs):
        ours, theirs = theirs, ours
    return len(ours) == 1 < len(theirs) and set(*ours) == {word[0] for word in theirs}


def elliptic(text: str, chains: Sequence[Sequence[Entity]]) -> set[int]:
    """Return where the names begin that share a word in a list: North and South America."""
    return {
        entity.start
        for chain in chains
        if len(chain) > 1 and _shares_a_word(text, chain)
        for entity in chain
    }


def _shares_a_word(text: str, chain: Sequence[Entity]) -> bool:
    """Tell North and South America, Hal and Jim McElroy, Trinidad and Tobago."""
    names = [text[entity.start : entity.end] for entity in chain]
    if text[chain[-2].start : chain[-1].end] in words.ONE_NAME:
        return True
    if any(name.lower() in words.DIRECTIONS for name in names):
        return True
    of_persons = chain[0].label.upper() in words.PERSONS
    of_a_family = of_persons and " " not in names[-2] and " " in names[-1]
    return of_a_family or names[-1].endswith(words.PLURALS)
