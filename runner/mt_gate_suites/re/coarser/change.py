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

from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.lexicons.demonyms import country_of_adjective
from mt_gate_suites.lexicons.places import (
    CITY,
    COUNTRY,
    STATE,
    WITH_ARTICLE,
    country_names,
    country_of,
    country_of_region,
    kind_of,
    places,
    region_name,
)
from mt_gate_suites.re.coarser.larger_place import targets
from mt_gate_suites.re.coarser.place_phrase import PlacePhrase, place_phrase
from mt_gate_suites.re.coarser.place_statement import carries_up, is_settled
from mt_gate_suites.re.sample import HEAD, TAIL, EditedSample, Sample, rewritten
from mt_gate_suites.re.stated_kind import is_contradicted
from mt_gate_suites.re.transformation import SampleResources

_LOCAL = re.compile(
    r"\b(?:cit(?:y|ies)|towns?|township|capital|suburbs?|mayor|mayoral|downtown|neighbou?rhoods?"
    r"|boroughs?|districts?|villages?|municipal(?:ity|ities)?|streets?|avenue|road|boulevard"
    r"|metro(?:politan)?|local(?:ly)?|count(?:y|ies)|outskirts|area|alderman|centre|center of"
    r"|highways?|route|interstate|intersection|corner|block|square|zip|nearby|neighbou?ring|surrounding|adjacent|adjoining|miles|kilomet\w+|km"
    r"|(?:north|south|east|west)(?:east|west)? of)\b",
    re.I,
)
_STATEWIDE = re.compile(
    r"\b(?:states?|statewide|governors?|provinces?|provincial|senators?|senate|legislat\w+|regions?"
    r"|regional|republicans?|democrats?|congress\w*|delegates?|representatives?|sen|rep|gov"
    r"|departments?|commission(?:er)?s?|attorney general|premier|primary|primaries"
    r"|elections?|elected|votes?|voters?|wins?|won|ballots?|polls?)\b",
    re.I,
)
_THE_STATE = re.compile(
    r"\b(?:the|this|its|that) (?:\w+ )?(?:state|province|region)\b(?! of)", re.I
)
_THE_CITY = re.compile(
    r"\b(?:the|this|its|that|their) (?:\w+ ){0,2}(?:city|town|township|village|capital|suburb)\b",
    re.I,
)
_NEAR = 120
"""Characters behind a place in which a word such as ``city`` may speak of it."""
_NAMED_STATES = re.compile(r"United States|U\.S\.")


def transform(sample: Sample, _: SampleResources) -> list[EditedSample]:
    """Return the sample with its state, and with its country, for each city; and so on.

    At most two for the head and two for the tail; of a state one. ``stratum``
    says from what to what: ``city-to-state``.
    """
    found: list[EditedSample] = []
    if is_contradicted(sample):
        return found
    for name in (HEAD, TAIL):
        found += [change for change in _of_argument(sample, name) if change is not None]
    return found


def _of_argument(sample: Sample, name: str) -> Iterator[EditedSample | None]:
    argument = sample.argument(name)
    other = sample.tail if name == HEAD else sample.head
    if argument.type not in {CITY, STATE} or other.type in {CITY, STATE, COUNTRY}:
        return
    phrase = place_phrase(sample, argument)
    if phrase is None or _is_local(sample, phrase, argument.type):
        return
    if _may_be_of_the_place(sample, phrase, other):
        return
    for kind, target in targets(sample, phrase):
        if _mentioned(sample, phrase, kind, target) or _repeats(phrase, target):
            continue
        if carries_up(sample, phrase, kind):
            yield _replaced(sample, name, phrase, kind, target)


def _may_be_of_the_place(sample: Sample, phrase: PlacePhrase, other: Argument) -> bool:
    """Whether ``its`` may be the place's: ``came from Klang and became its chief``."""
    return other.type == "PERSON" and bool(re.search(r"\bits\b", sample.text[phrase.end :]))


def _is_local(sample: Sample, phrase: PlacePhrase, kind: str) -> bool:
    """Whether the sentence speaks of the place as a city or state beside naming it."""
    rest = sample.text[: phrase.start] + "|" + sample.text[phrase.end :]
    rest = _NAMED_STATES.sub("", rest)
    if kind == STATE and _STATEWIDE.search(rest):
        return True
    own = sample.text[phrase.parts[phrase.at].start : phrase.parts[phrase.at].end]
    elsewhere = re.search(rf"(?<!\w){re.escape(own)}(?!\w)", rest)
    near = sample.text[phrase.end : phrase.end + _NEAR] if is_settled(phrase.preposition) else rest
    spoken_of = _LOCAL.search(near) or _THE_CITY.search(rest) or _THE_STATE.search(rest)
    return bool(spoken_of or elsewhere)


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
    return noun.i + 1 == phrase.preposition.i and any(
        country_of_adjective(word.text) == target for word in noun.subtree if word.i < noun.i
    )


def _loose_names(sample: Sample, phrase: PlacePhrase) -> Iterator[str]:
    """Names of states outside the phrase that the parser made part of no other name.

    A state behind another name that it takes for one person's counts: ``Groton Massachusetts``.
    """
    doc = sample.doc
    for at, token in enumerate(doc):
        if token.idx < phrase.end and token.idx + len(token) > phrase.start:
            continue
        if not token.text[0].isupper():
            continue
        for name in (token.text, doc[at : at + 2].text):
            is_loose = token.ent_type_ in {"", "GPE", "LOC"} and country_of_region(name)
            behind = token.ent_type_ == "PERSON" and token.ent_iob_ == "I"
            if is_loose or (behind and kind_of(name) == STATE):
                yield name


def _lies_in(name: str, code: str, state: str) -> bool:
    """Whether a name may mean a place in a country, or in a state of it."""
    if state:
        return any(region_name(place) == state for place in places(name))
    return country_of_region(name) == code or any(place.country == code for place in places(name))


def _replaced(
    sample: Sample, name: str, phrase: PlacePhrase, kind: str, target: str
) -> EditedSample | None:
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
