"""The words that say where: a preposition and a run of places, each in the next.

    Anna was born [in] [Boston], [Massachusetts], [United States].
    A firm based [in] [Evansville] [Indiana].

What a reader cannot tell from the words alone (an attribute, a list, a place
that moves or rules) is no such phrase.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from spacy.tokens import Doc, Token

from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.lexicons.places import (
    CITY,
    COUNTRY,
    STATE,
    folded,
    kind_of,
    places,
    region_name,
)
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coarser.place_in_title import is_in_title
from mt_gate_suites.re.sample import Sample

_COMING = frozenset("come hail originate emigrate immigrate be".split())
_GOING = word_set("re/coarser", "going")
_DONE_AT = word_set("re/coarser", "done-at")
_BELONGING = frozenset({"native", "resident"})
_PEOPLE = re.compile(
    r"(?:man|woman|boy|girl|band|team|group|company|firm|trio|duo|quartet|quintet|family|player|people"
    r"|lawyer|attorney|musician|singer|rapper|artist|actor|actress|writer|author|poet|student"
    r"|businessman|doctor|\w+(?:er|or|ist|ian))s?$"
)
_NOT_PEOPLE = word_set("re/coarser", "not-people")
_FOLLOWS = frozenset({"ADP", "AUX", "VERB", "PRON", "ADV", "SCONJ", "DET"})
_PLACE_KINDS = frozenset({"CITY", "STATE_OR_PROVINCE", "COUNTRY", "LOCATION"})
_NAME_GOES_ON = word_set("re/coarser", "name-goes-on")
_MAX_PARTS = 4


class PlacePart(NamedTuple):
    """A place of the phrase: half-open character span and kind, which may be nothing."""

    start: int
    end: int
    kind: str


class PlacePhrase(NamedTuple):
    """A run of places.

    Args:
        parts: from the smallest place to the largest.
        at: which of them is the argument.
        comma: where one stands that closes the run.
        preposition: before the run; its token.
    """

    parts: tuple[PlacePart, ...]
    at: int
    comma: int | None
    preposition: Token

    @property
    def start(self) -> int:
        """Where the first place begins."""
        return self.parts[0].start

    @property
    def end(self) -> int:
        """Where the last place ends."""
        return self.parts[-1].end


def place_phrase(sample: Sample, argument: Argument) -> PlacePhrase | None:
    """Return the phrase that an argument, a city or state, stands in; None where unsure."""
    doc = sample.doc
    span = doc.char_span(argument.start, argument.end)
    if span is None:
        return None
    before = _before(sample, span.start)
    after, end = _after(doc, span.start, span.end, argument.type)
    first = before[0] if before else span.start
    if first == 0 or not _governs(doc[first - 1]):
        return None
    if _in_a_name(doc, doc[first].idx, argument.end) or is_in_title(doc, doc[first - 1], end):
        return None
    if doc[first - 1].lower_ == "at" and not (before or after):
        return None
    parts = [PlacePart(argument.start, argument.end, argument.type), *after]
    if before:
        city = doc[before[0] : before[1]]
        if argument.type == CITY and kind_of(city.text) == CITY:
            return None  # a list: "in Adelaide, Canberra"
        parts.insert(0, PlacePart(city.start_char, city.end_char, CITY))
    comma = _closing_comma(doc, parts, end)
    if not _ends(doc, end) or (end < len(doc) and doc[end].text == "," and _is_list(sample, end)):
        return None
    return PlacePhrase(tuple(parts), 1 if before else 0, comma, doc[first - 1])


def _in_a_name(doc: Doc, start: int, end: int) -> bool:
    """Whether the parser takes the place for part of a title or of an organisation's name."""
    names = {"ORG", "WORK_OF_ART", "FAC", "EVENT", "PRODUCT", "LAW"}
    return any(e.label_ in names and e.start_char < start and end <= e.end_char for e in doc.ents)


def _before(sample: Sample, start: int) -> tuple[int, int] | None:
    """Token span of a city that stands right before a state, with or without a comma."""
    doc = sample.doc
    end = start - 1 if start and doc[start - 1].text == "," else start
    for entity in doc.ents:
        if entity.end == end and entity.label_ in {"GPE", "LOC"} and _is_town(entity.text):
            return entity.start, entity.end
    # A parser reads "Evansville Indiana" as one name.
    for length in (3, 2, 1):
        words = doc[max(end - length, 0) : end]
        if end - length > 0 and words.text and kind_of(words.text) == CITY:
            if doc[end - length - 1].pos_ == "PROPN":
                return None
            return end - length, end
    return None


def _is_town(name: str) -> bool:
    return kind_of(name) in {CITY, ""} and bool(
        re.fullmatch(r"[^\W\d]+(?:[ .'’-]+[^\W\d]+)*", name)
    )


def _after(doc: Doc, start: int, at: int, kind: str) -> tuple[list[PlacePart], int]:
    """The larger places that follow, and the token that comes after them."""
    city = doc[start:at].text
    parts: list[PlacePart] = []
    while len(parts) < _MAX_PARTS:
        begin = at + 1 if at < len(doc) and doc[at].text == "," else at
        found = _larger(doc, begin, kind, city)
        between = _county_end(doc, begin) if found is None and kind == CITY else None
        if between is not None:
            parts.append(
                PlacePart(doc[begin].idx, doc[between - 1].idx + len(doc[between - 1]), "")
            )
            begin = between + 1
            found = _larger(doc, begin, kind, city)
        if found is None:
            break
        at, kind = found
        parts.append(PlacePart(doc[begin].idx, doc[at - 1].idx + len(doc[at - 1]), kind))
    return parts, at


def _county_end(doc: Doc, begin: int) -> int | None:
    """The end of a place of unknown kind before a larger one: ``Hampshire`` in ``, England``."""
    for entity in doc.ents:
        if entity.start == begin and entity.label_ in {"GPE", "LOC"} and not kind_of(entity.text):
            follows = doc[entity.end : entity.end + 1].text == ","
            known = follows and _larger(doc, entity.end + 1, CITY, "") is not None
            return entity.end if known and _is_town(entity.text) else None
    return None


def _larger(doc: Doc, begin: int, kind: str, city: str) -> tuple[int, str] | None:
    """The end and kind of the longest name at a token of a place larger than ``kind``."""
    for end in range(min(begin + 5, len(doc)), begin, -1):
        words = doc[begin:end]
        if words[0].lower_ in {"the", "of"} or not words[0].text[0].isupper():
            return None
        if words[-1].is_punct or "," in words.text:
            continue
        found = kind_of(words.text)
        if not found and kind == CITY and _is_its_region(city, words.text):
            found = STATE
        if found == COUNTRY or (found == STATE and kind == CITY):
            return end, found
    return None


def _is_its_region(city: str, region: str) -> bool:
    """``New York`` after ``Buffalo`` is the state."""
    return any(folded(region_name(place)) == folded(region) for place in places(city))


def _governs(token: Token) -> bool:
    """Whether a preposition before a place says only that something is there or comes from it."""
    word = token.lower_
    previous = token.nbor(-1) if token.i else None
    if word == "in":
        return previous is None or not _is_unique(token)
    if previous is None:
        return False
    if word == "from":
        noun = previous.lower_
        people = bool(_PEOPLE.match(noun)) and previous.pos_ == "NOUN" and noun not in _NOT_PEOPLE
        return people or previous.lemma_ in _COMING
    if word == "to":
        return previous.lemma_ in _GOING
    if word == "at":
        return previous.lemma_ in _DONE_AT and previous.pos_ == "VERB"
    if word == "of" and previous.lower_ == "out":
        return previous.i > 0 and previous.nbor(-1).lower_ == "based"
    return word == "of" and previous.lower_ in _BELONGING


def _is_unique(token: Token) -> bool:
    """Whether what is in the place is said to be its only or its largest."""
    return token.head.pos_ in {"NOUN", "PROPN"} and any(
        child.tag_ == "JJS" or child.lower_ in {"only", "first", "most"}
        for child in token.head.children
    )


def _ends(doc: Doc, end: int) -> bool:
    """Whether what follows is surely no part of the name or of a list."""
    if end == len(doc):
        return True
    token = doc[end]
    if token.text in {".", ",", ";", ":", ")", "(", "?", "!", "--", "–", "—", '"', "”"}:
        return True
    if token.lower_ in {"and", "but", "or"}:
        return end + 1 < len(doc) and not doc[end + 1].text[0].isupper()
    if token.lower_ == "near" or token.lower_ in _NAME_GOES_ON:
        return False
    if token.lower_ in {"in", "at", "to"} and any(
        t.ent_type_ in {"GPE", "LOC"} for t in doc[end + 1 : end + 4]
    ):
        return False
    return token.text.islower() and token.pos_ in _FOLLOWS


def _is_list(sample: Sample, comma: int) -> bool:
    """Whether a capitalised name that may be one more place follows a comma."""
    doc = sample.doc
    if comma + 1 == len(doc):
        return False
    token = doc[comma + 1]
    if token.lower_ in {"and", "or"}:
        return comma + 2 < len(doc) and doc[comma + 2].text[0].isupper()
    if token.ent_type_ in {"GPE", "LOC", "FAC", "ORG"}:
        return True
    if token.pos_ == "PROPN" and not (token.ent_type_ == "PERSON" and doc[0].lower_ == "in"):
        return True
    at = token.idx
    return any(e.start <= at < e.end and e.label in _PLACE_KINDS for e in sample.entities)


def _closing_comma(doc: Doc, parts: list[PlacePart], end: int) -> int | None:
    """Where the comma stands that closes what an earlier comma of the run opened."""
    inner = doc.text[parts[0].start : parts[-1].end]
    return doc[end].idx if "," in inner and end < len(doc) and doc[end].text == "," else None
