"""Builds follow-ups of ``re/coarser-type``: a city gives way to its state or country.

    before   Richard was born in San Francisco.
    after    Richard was born in the United States.

Source: Sun et al., Algorithms 2023, MR-R2. The larger place takes the room of
the whole phrase, since what a text says of a city (``Boston, Massachusetts``)
goes with it. A bare city is replaced only where no other of its name comes
near it in size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mt_gate.building.re.demonyms import country_of_adjective
from mt_gate.building.re.geography import (
    CITY,
    COUNTRY,
    STATE,
    Place,
    country_name,
    country_names,
    country_of,
    country_of_region,
    folded,
    is_division_abroad,
    kind_of,
    places,
    region_name,
)
from mt_gate.building.re.place_names import WITH_ARTICLE
from mt_gate.building.re.place_phrase import PlacePhrase, place_phrase
from mt_gate.building.re.sample import HEAD, TAIL, Change, Sample, rewritten

_DOMINATES = 10
"""How many times as large a city must be as any other of its name."""
_KNOWN = 150_000
"""People of a city that is known without its state."""
_ALONE = 75_000
"""People of a city that is known without its state where no other has its name."""
_WORDS = frozenset("nice split reading mobile male orange bath bar mission union normal".split())
"""Cities that a parser finds where a word is meant."""
_LOCAL = re.compile(
    r"\b(?:cit(?:y|ies)|towns?|township|capital|suburbs?|mayor|mayoral|downtown|neighbou?rhoods?"
    r"|boroughs?|districts?|villages?|municipal(?:ity|ities)?|streets?|avenue|road|boulevard"
    r"|metro(?:politan)?|local(?:ly)?|count(?:y|ies)|outskirts|area|alderman|centre|center of"
    r"|highways?|route|interstate|intersection|corner|block|square|zip)\b",
    re.I,
)
_STATEWIDE = re.compile(
    r"\b(?:states?|statewide|governors?|provinces?|provincial|senators?|senate|legislat\w+|regions?"
    r"|regional|republicans?|democrats?|congress\w*|delegates?|representatives?|sen|rep|gov"
    r"|attorney general|premier|primary|primaries)\b",
    re.I,
)
_THE_STATE = re.compile(
    r"\b(?:the|this|its|that) (?:\w+ )?(?:state|province|region)\b(?! of)", re.I
)
_NAMED_STATES = re.compile(r"United States|U\.S\.")
_UNCLEAR_STATES = frozenset({"Georgia", "New York", "Washington", "Victoria", "Northern Territory"})
"""States whose name alone says another place, or hardly stands without its country."""


def changes(sample: Sample) -> list[Change]:
    """Return the sample with its state, and with its country, for each city; and so on.

    At most two for the head and two for the tail; of a state one. ``stratum``
    says from what to what: ``city-to-state``.
    """
    found = []
    for name in (HEAD, TAIL):
        found += [change for change in _of_argument(sample, name) if change is not None]
    return found


def _of_argument(sample: Sample, name: str) -> Iterator[Change | None]:
    argument = sample.argument(name)
    other = sample.tail if name == HEAD else sample.head
    if argument.type not in {CITY, STATE} or other.type in {CITY, STATE, COUNTRY}:
        return
    phrase = place_phrase(sample, argument)
    if phrase is None or _is_local(sample, phrase, argument.type):
        return
    for kind, target in _targets(sample, phrase):
        if not _mentioned(sample, phrase, kind, target) and not _repeats(phrase, target):
            yield _replaced(sample, name, phrase, kind, target)


def _is_local(sample: Sample, phrase: PlacePhrase, kind: str) -> bool:
    """Whether the sentence speaks of the place as a city or state beside naming it."""
    rest = sample.text[: phrase.start] + "|" + sample.text[phrase.end :]
    rest = _NAMED_STATES.sub("", rest)
    if kind == STATE and _STATEWIDE.search(rest):
        return True
    own = sample.text[phrase.parts[phrase.at].start : phrase.parts[phrase.at].end]
    elsewhere = re.search(rf"(?<!\w){re.escape(own)}(?!\w)", rest)
    return bool(_LOCAL.search(rest) or _THE_STATE.search(rest) or elsewhere)


def _targets(sample: Sample, phrase: PlacePhrase) -> list[tuple[str, str]]:
    """Return (kind, name) of the larger places that the phrase's argument surely lies in."""
    found = [
        (part.kind, sample.text[part.start : part.end]) for part in phrase.parts[phrase.at + 1 :]
    ]
    said = dict(reversed(found))
    own = phrase.parts[phrase.at]
    words = sample.text[own.start : own.end]
    if own.kind == STATE:
        return _country_target(said, country_of_region(words), "")
    place = _place(words, said)
    if place is None:
        return _country_target(said, country_of_region(said.get(STATE, "")), "")
    return [*_state_target(place), *_country_target(said, place.country, place.region)]


def _state_target(place: Place) -> list[tuple[str, str]]:
    name = region_name(place)
    return [(STATE, name)] if name and name not in _UNCLEAR_STATES else []


def _country_target(said: dict[str, str], code: str, region: str) -> list[tuple[str, str]]:
    if COUNTRY in said:
        named = said[COUNTRY]
        if code and country_of(named) != code:
            return []
        code, region = country_of(named), ""
        if code == "GB" and folded(named) in {"england", "scotland", "wales", "northern ireland"}:
            return [(COUNTRY, named)]
    name = country_name(code, region)
    return [(COUNTRY, name)] if name else []


def _place(words: str, said: dict[str, str]) -> Place | None:
    """Return the one city that is meant; None where it is unknown or more than one may be."""
    found = places(words)
    if COUNTRY in said:
        found = tuple(place for place in found if place.country == country_of(said[COUNTRY]))
    if STATE in said:
        state = folded(said[STATE])
        exact = tuple(place for place in found if folded(region_name(place)) == state)
        short = {place for place in found if place.country == country_of_region(state)}
        found = exact or (tuple(short) if len({place.region for place in short}) == 1 else ())
    if not found:
        return None
    largest = found[0]
    if all(place[:2] == largest[:2] for place in found) and said:
        return largest
    return largest if _dominates(words, largest, found) else None


def _dominates(words: str, largest: Place, found: tuple[Place, ...]) -> bool:
    if is_division_abroad(words, largest):
        return False
    others = [place.population for place in found if place[:2] != largest[:2]]
    least = max(_KNOWN, max(others) * _DOMINATES) if others else _ALONE
    return largest.population >= least and folded(words) not in _WORDS


def _mentioned(sample: Sample, phrase: PlacePhrase, kind: str, target: str) -> bool:
    """Whether the larger place, or another place in it, stands elsewhere in the sentence."""
    code = country_of(target) if kind == COUNTRY else country_of_region(target)
    names = {target, *(country_names(code) if kind == COUNTRY else ())}
    rest = sample.text[: phrase.start] + "|" + sample.text[phrase.end :]
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rest) for name in names):
        return True
    if any(_lies_in(words, code, "") for words in _loose_names(sample, phrase) if kind == COUNTRY):
        return True
    spans = [(e.start_char, e.end_char) for e in sample.doc.ents if e.label_ in {"GPE", "LOC"}]
    spans += [(e.start, e.end) for e in sample.entities if e.label in {CITY, STATE, COUNTRY}]
    return any(
        _lies_in(sample.text[start:end], code, target if kind == STATE else "")
        for start, end in spans
        if end <= phrase.start or start >= phrase.end
    )


def _repeats(phrase: PlacePhrase, target: str) -> bool:
    """Whether it would read ``an American band from the United States``."""
    noun = phrase.preposition.head
    return phrase.preposition.lower_ == "from" and any(
        country_of_adjective(word.text) == target for word in noun.subtree if word.i < noun.i
    )


def _loose_names(sample: Sample, phrase: PlacePhrase) -> Iterator[str]:
    """Names of states outside the phrase that the parser made part of no other name."""
    doc = sample.doc
    for at, token in enumerate(doc):
        if token.idx < phrase.end and token.idx + len(token) > phrase.start:
            continue
        if token.text[0].isupper() and token.ent_type_ in {"", "GPE", "LOC"}:
            yield from (
                name
                for name in (doc[at : at + 1].text, doc[at : at + 2].text)
                if kind_of(name) == STATE
            )


def _lies_in(name: str, code: str, state: str) -> bool:
    """Whether a name may mean a place in a country, or in a state of it."""
    if state:
        return any(region_name(place) == state for place in places(name))
    return country_of_region(name) == code or any(place.country == code for place in places(name))


def _replaced(
    sample: Sample, name: str, phrase: PlacePhrase, kind: str, target: str
) -> Change | None:
    own = phrase.parts[phrase.at]
    text = sample.text
    more = [(phrase.start, own.start, "the " if target in WITH_ARTICLE else "")]
    if more[0] == (own.start, own.start, ""):
        more.pop()
    tail = _tail(sample, phrase)
    if tail is None:
        return None
    if text[tail - 1] == "." and not text[tail:].strip():
        tail -= 1  # an abbreviation's full stop that ends the sentence too
    if phrase.preposition.lower_ == "at":
        at = phrase.preposition.idx
        more.insert(0, (at, at + 2, "in"))
    if tail > own.end:
        more.append((own.end, tail, ""))
    stratum = f"{own.kind}-to-{kind}".lower().replace("state_or_province", "state")
    return rewritten(sample, name, target, kind, more=more, stratum=stratum)


def _tail(sample: Sample, phrase: PlacePhrase) -> int | None:
    """Return where what goes ends: with its closing comma, or without; None where unsure."""
    if phrase.comma is None:
        return phrase.end
    follows = next((t for t in sample.doc if t.idx > phrase.comma), None)
    if follows is None:
        return phrase.end
    if follows.pos_ == "ADP" and sample.doc.text[: phrase.start].strip() != "In":
        return phrase.comma + 1
    if follows.tag_ in {"VBD", "VBZ", "VBP", "MD"}:
        return _tail_before_verb(sample, phrase, phrase.comma)
    return phrase.end


def _tail_before_verb(sample: Sample, phrase: PlacePhrase, comma: int) -> int | None:
    """A comma before the verb stays only where it closes a clause: ``X, based in Y, is``."""
    before = [t for t in sample.doc if t.idx < phrase.start]
    opened = next((t.i for t in reversed(before) if t.text == ","), None)
    if opened is None:
        return comma + 1
    first = sample.doc[opened + 1]
    return phrase.end if first.tag_ in {"VBN", "VBG"} and len(before) - opened < 6 else None
