"""``re/coarser-type``: a city is replaced with its state or country, a state with its country.

Source: Sun et al., Algorithms 2023, MR-R2.
    before   Richard was born in [San Francisco], California.
    after    Richard was born in the [United States].

A preposition that says where must be before the place. The larger place also replaces any places
behind the old one (", California"). A bare city must be far larger than its namesakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from mt_gate.tasks.relation_extraction import ARGUMENTS, Argument
from mt_gate_suites.lexicons.demonyms import country_of_adjective
from mt_gate_suites.lexicons.places import (
    CITY,
    COUNTRY,
    STATE,
    WITH_ARTICLE,
    GazetteerCity,
    country_name,
    country_names,
    country_of,
    country_of_region,
    is_division_abroad,
    kind_of,
    places,
    region_key,
    region_name,
)
from mt_gate_suites.lexicons.reading import word_pattern, word_set
from mt_gate_suites.re.name_pools import Pools
from mt_gate_suites.re.sample import Edit, EditedSample, Sample, name_types, reword

_COMING = frozenset("come hail originate emigrate immigrate be".split())
_PEOPLE = re.compile(r"(?:er|or|ist|ian|man|band|group|team|company|firm|family)s?$")
_ARRIVING = word_set("re/coarser", "arriving")
_FOLLOWS = frozenset({"ADP", "AUX", "VERB", "PRON", "ADV", "SCONJ", "DET"})
_MARKS = frozenset([".", ",", ";", ":", ")", "(", "?", "!", "--", "–", "—", '"', "”"])
_UNCLEAR_STATES = word_set("us_states", "unclear") | {"Victoria", "Northern Territory"}
"""States whose name without the country means another place, or is unusual."""
_DOMINATES, _KNOWN, _ALONE = 10, 150_000, 75_000
"""Least size of a bare city: ratio to namesakes and inhabitants, or inhabitants if unique."""
_LOCAL = word_pattern("re/coarser", "local", re.I)
_STATEWIDE = word_pattern("re/coarser", "statewide", re.I)
_LAW = word_pattern("re/coarser", "law")
_LIMITED = word_pattern("re/coarser", "limiting")
_COUNTRYWIDE = word_pattern("re/coarser", "countrywide")
_NEXT = re.compile(r"\b(?:then|until|till|early years|remain\w*|stay\w*|won|wins?)\b")
"""Signs that somebody may have been in another country before or after."""
_EARLY = re.compile(
    r"(?<![\d,.$£€])1[0-7]\d\d(?!,?\d| [a-z]{4,}s\b)|\b(?:1[0-8]th|\dth|1st|2nd|3rd)[ -]centur"
    r"|\b(?:[Cc]olon(?:y|ies|ial\w*|ists?)|[Ss]ultanate|empire|kingdom|medieval|ancient|antiquity"
    r"|duchy|Confedera(?:te|cy)\w*|Ottoman|Habsburg|Prussian?|Soviet)\b"
)
"""Signs that the country of today did not exist."""


class PlacePhrase(NamedTuple):
    """A preposition, a place with the larger places behind it, and the index of the next token."""

    preposition: Token
    places: tuple[Span, ...]
    end: int


def transform(sample: Sample, _: Pools) -> list[EditedSample]:
    """Return the sample with a state and a country for its head, then for its tail."""
    return [change for name in ARGUMENTS for change in _make_changes(sample, name)]


def _make_changes(sample: Sample, name: str) -> Iterator[EditedSample]:
    argument, other = sample.argument(name), sample.other(name)
    if argument.type not in {CITY, STATE} or other.type in {CITY, STATE, COUNTRY}:
        return
    phrase = _find_phrase(sample, argument)
    if phrase is None or _is_local(sample, phrase, argument.type):
        return
    for kind, target in _find_targets(phrase, argument.type):
        if _is_mentioned(sample, phrase, kind, target) or _repeats(phrase, target):
            continue
        if _holds_of(sample, phrase, kind):
            change = _replace(sample, name, phrase, kind, target)
            if change is not None:
                yield change


def _find_phrase(sample: Sample, argument: Argument) -> PlacePhrase | None:
    """Return the phrase of a city or state; None if it is an attribute or in a list."""
    doc = sample.doc
    span = doc.char_span(argument.start, argument.end)
    if span is None or span.start == 0 or not _says_where(doc[span.start - 1]):
        return None
    parts, kind = [span], argument.type
    while (larger := _find_larger(doc, parts[-1].end, kind)) is not None:
        parts.append(larger)
        kind = kind_of(larger.text)
    end = parts[-1].end
    if not _ends(doc, end) or (end < len(doc) and doc[end].text == "," and _is_list(sample, end)):
        return None
    return PlacePhrase(doc[span.start - 1], tuple(parts), end)


def _says_where(token: Token) -> bool:
    """Whether a preposition says only that something is in a place, or comes from it."""
    previous = token.nbor(-1) if token.i else None
    if previous is None:
        return token.lower_ == "in"
    titled = previous.text[0].isupper() and not previous.ent_type_ and previous.i > 0
    if token.text[0].isupper() or titled:
        return False  # "A Tree Grows in Brooklyn"
    person = previous.pos_ == "NOUN" and _PEOPLE.search(previous.text)
    comes = token.lower_ == "from" and (person or previous.lemma_ in _COMING)
    return token.lower_ == "in" or bool(comes)


def _find_larger(doc: Doc, at: int, kind: str) -> Span | None:
    """Return the longest name of a larger place right behind a place, or behind its comma."""
    begin = at + 1 if at < len(doc) and doc[at].text == "," else at
    for end in range(min(begin + 4, len(doc)), begin, -1):
        words = doc[begin:end]
        if words[-1].is_punct or "," in words.text:
            continue
        larger = kind_of(words.text)
        if larger == COUNTRY or (larger == STATE and kind == CITY):
            return words
    return None


def _ends(doc: Doc, end: int) -> bool:
    """Whether the text after a place surely continues neither the name nor a list."""
    if end == len(doc) or doc[end].text in _MARKS:
        return True
    token = doc[end]
    if token.lower_ in {"and", "but", "or"}:
        return end + 1 < len(doc) and not doc[end + 1].text[0].isupper()
    nested = token.lower_ in {"in", "at", "to", "near"}
    if nested and any(one.ent_type_ in {"GPE", "LOC"} for one in doc[end + 1 : end + 4]):
        return False
    return token.text.islower() and token.pos_ in _FOLLOWS and token.text not in {"am", "upon"}


def _is_list(sample: Sample, comma: int) -> bool:
    """Whether a capitalised name that may be one more place follows a comma."""
    following = sample.doc[comma + 1 : comma + 3]
    if not following or following[0].lower_ in {"and", "or"}:
        return bool(following) and following[-1].text[0].isupper()
    token = following[0]
    person = token.ent_type_ == "PERSON" and sample.doc[0].lower_ == "in"
    return token.pos_ == "PROPN" and not person


def _cut_phrase(sample: Sample, phrase: PlacePhrase) -> str:
    start, end = phrase.places[0].start_char, phrase.places[-1].end_char
    return f"{sample.text[:start]}|{sample.text[end:]}"


def _is_local(sample: Sample, phrase: PlacePhrase, kind: str) -> bool:
    rest = re.sub(r"United States|U\.S\.", "", _cut_phrase(sample, phrase))
    own = re.escape(phrase.places[0].text)
    statewide = kind == STATE and _STATEWIDE.search(rest)
    return bool(statewide or _LOCAL.search(rest) or re.search(rf"(?<!\w){own}(?!\w)", rest))


def _find_targets(phrase: PlacePhrase, kind: str) -> Iterator[tuple[str, str]]:
    """Yield type and name of the larger places that surely contain a city or state."""
    said = {kind_of(span.text): span.text for span in phrase.places[1:]}
    words = phrase.places[0].text
    city = _find_city(words, said) if kind == CITY else None
    if city is not None and (state := region_name(city)) and state not in _UNCLEAR_STATES:
        yield STATE, state
    code = (
        city.country if city else country_of_region(words if kind == STATE else said.get(STATE, ""))
    )
    region = city.region if city else ""
    if country := country_name(code, region):
        yield COUNTRY, country


def _find_city(words: str, said: dict[str, str]) -> GazetteerCity | None:
    """Return the city that a name means; None if it is unknown or ambiguous."""
    cities = places(words)
    if COUNTRY in said:
        cities = tuple(place for place in cities if place.country == country_of(said[COUNTRY]))
    if STATE in said:
        key = region_key(said[STATE])
        cities = tuple(place for place in cities if place[:2] == key)
    if not cities or (not said and is_division_abroad(words, cities[0])):
        return None
    others = [place for place in cities if place[:2] != cities[0][:2]]
    if not others and said:
        return cities[0]
    least = (
        max([_KNOWN, *(place.population * _DOMINATES for place in others)]) if others else _ALONE
    )
    return cities[0] if cities[0].population >= least else None


def _is_mentioned(sample: Sample, phrase: PlacePhrase, kind: str, target: str) -> bool:
    """Whether the larger place, or another place in it, is elsewhere in the sentence."""
    code = country_of(target) if kind == COUNTRY else country_of_region(target)
    rest = _cut_phrase(sample, phrase)
    names = {target, *(country_names(code) if kind == COUNTRY else ())}
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rest) for name in names):
        return True
    spans = [(e.start_char, e.end_char) for e in sample.doc.ents if e.label_ in {"GPE", "LOC"}]
    spans += [(e.start, e.end) for e in sample.entities]
    start, end = phrase.places[0].start_char, phrase.places[-1].end_char
    for name in {sample.text[a:b] for a, b in spans if b <= start or a >= end}:
        cities = places(name)
        if kind == STATE and any(region_name(place) == target for place in cities):
            return True
        if kind == COUNTRY and code in {country_of_region(name), *(one.country for one in cities)}:
            return True
    return False


def _repeats(phrase: PlacePhrase, target: str) -> bool:
    noun = phrase.preposition.head
    return any(
        country_of_adjective(word.text) == target for word in noun.subtree if word.i < noun.i
    )


def _holds_of(sample: Sample, phrase: PlacePhrase, kind: str) -> bool:
    """Whether the statement about a place surely stays true for the state or country around it.

    It may not in these examples:
    arrived in [Boston]                  with a country: from abroad
    the oldest house in [Texas]          not the oldest of the country
    In [Ohio], selling it is illegal     the law of one state
    met in 1774 in [Philadelphia]        before the country existed
    the bank in [Boston]                 one bank, not any of the state
    """
    doc, at = sample.doc, phrase.preposition.i
    if _LAW.search(sample.text):
        return False
    clause = max((token.i for token in doc[:at] if token.text in _MARKS), default=-1) + 1
    verbs = [token for token in doc[clause:at] if token.pos_ == "VERB"]
    noun = doc[verbs[-1].i + 1 if verbs else clause : at]
    if _LIMITED.search(doc[clause:at].text) or (at == 0 and kind == COUNTRY):
        return False
    definite = len(noun) and noun[0].lower_ in {"the", "this", "that", "these"}
    if definite and noun[-1].pos_ == "NOUN" and all(token.pos_ != "ADP" for token in noun):
        return False
    if kind != COUNTRY:
        return True
    if verbs and verbs[-1].lemma_ in _ARRIVING:
        return False
    named = len(noun) and noun[-1].pos_ == "PROPN" and noun[-1].ent_type_ != "PERSON"
    rest = _cut_phrase(sample, phrase)
    return not (named or any(x.search(rest) for x in (_EARLY, _COUNTRYWIDE, _NEXT)))


def _replace(
    sample: Sample, name: str, phrase: PlacePhrase, kind: str, target: str
) -> EditedSample | None:
    first, last = phrase.places[0], phrase.places[-1]
    end = _find_end(sample.doc, phrase)
    if end is None:
        return None
    if sample.text[end - 1] == "." and not sample.text[end:].strip():
        end -= 1  # an abbreviation's full stop that ends the sentence too
    own = sample.argument(name)
    words = f"the {target}" if target in WITH_ARTICLE else target
    edit: Edit = (first.start_char, max(end, last.end_char - 1), words)
    stratum = name_types(own.type, kind)
    return reword(sample, name, edit, target, kind, stratum=stratum)


def _find_end(doc: Doc, phrase: PlacePhrase) -> int | None:
    """Return the end of the replaced text, perhaps after its closing comma; None if unsure."""
    last = phrase.places[-1].end_char
    inner = len(phrase.places) > 1 and phrase.end + 1 < len(doc) and doc[phrase.end].text == ","
    if not inner:
        return last
    after, comma = doc[phrase.end + 1], doc[phrase.end].idx + 1
    if after.pos_ == "ADP" and phrase.preposition.i:
        return comma
    if after.tag_ not in {"VBD", "VBZ", "VBP", "MD"}:
        return last
    # A comma before the verb stays only where it closes a clause: "X, based in Y, is".
    opened = [token.i for token in doc[: phrase.preposition.i] if token.text == ","]
    if not opened:
        return comma
    is_clause = doc[opened[-1] + 1].tag_ in {"VBN", "VBG"}
    return last if is_clause else None
