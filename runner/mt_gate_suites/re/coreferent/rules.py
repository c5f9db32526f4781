"""Coreference by grammar and agreement, over spaCy's parse. Where in doubt, nothing."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc, Span

from mt_gate_suites.re.coreferent import persons as people_pronouns
from mt_gate_suites.re.coreferent.chains import (
    ACRONYM,
    NAME,
    PRONOUN,
    RELATIVE,
    CoreferentMention,
    ranked,
)
from mt_gate_suites.re.coreferent.names import acronyms, full_name, is_loose, is_word
from mt_gate_suites.re.coreferent.people import Person, is_plausible, persons
from mt_gate_suites.re.coreferent.person_nouns import is_person_noun
from mt_gate_suites.re.coreferent.things import own_pronouns, relative

_ACRONYM, _NAME, _PRONOUN, _RELATIVE = 0.95, 0.95, 0.9, 0.8
_PERSON = "PERSON"
NAMELESS = frozenset(
    "NATIONALITY RELIGION IDEOLOGY TITLE DATE TIME DURATION NUMBER ORDINAL MONEY PERCENT "
    "CAUSE_OF_DEATH CRIMINAL_CHARGE URL EMAIL HANDLE LANGUAGE QUANTITY".split()
)
"""Types of what no pronoun stands for."""
_SAYING_WHAT = frozenset({"attr", "oprd", "appos", "acomp", "compound", "amod", "nmod"})
"""Places of words that say what somebody is: their relative pronoun means somebody."""


class Rules:
    """The precise rules."""

    def mentions(self, doc: Doc, start: int, end: int, kind: str = "") -> list[CoreferentMention]:
        """Return the other mentions of what a span names, best first; none where unsure."""
        span = doc.char_span(start, end)
        if span is None:
            return []
        return ranked(_found(doc, span, kind), start)


def _found(doc: Doc, span: Span, kind: str) -> Iterator[CoreferentMention]:
    if len(span) == 1 and people_pronouns.is_pronoun(span[0]):
        yield from _of_pronoun(doc, span)
        return
    proper = span.root.pos_ == "PROPN"
    if kind == _PERSON or (not kind and proper and span.root.ent_type_ == _PERSON):
        if proper and is_plausible(span) and not is_word(span):
            yield from _of_person(doc, span)
    elif kind not in NAMELESS and not (is_person_noun(span.root) and not kind):
        yield from _of_thing(doc, span, proper)
    if kind in NAMELESS or span.root.dep_ in _SAYING_WHAT or _is_role(span):
        return
    who = not proper and not kind and (is_person_noun(span.root) or _who_follows(doc, span))
    token = relative(doc, span, kind == _PERSON or who, proper)
    if token is not None:
        yield _mention(token.idx, token.idx + len(token), _RELATIVE, RELATIVE)


def _is_role(span: Span) -> bool:
    return span.root.dep_ == "pobj" and span.root.head.lower_ == "as"


def _who_follows(doc: Doc, span: Span) -> bool:
    return any(token.lower_ == "who" for token in doc[span.end : span.end + 2])


def _of_person(doc: Doc, span: Span) -> Iterator[CoreferentMention]:
    known = persons(doc, span)
    mine = _holding(known, span)
    if mine is None:
        return
    yield from _names(mine, span)
    for place, person in people_pronouns.resolved(doc, known).items():
        if person == mine:
            token = doc[place]
            yield _mention(token.idx, token.idx + len(token), _PRONOUN, PRONOUN)


def _of_pronoun(doc: Doc, span: Span) -> Iterator[CoreferentMention]:
    meant = people_pronouns.resolved(doc, persons(doc))
    mine = meant.get(span.start)
    if mine is None or not is_plausible(mine.first):
        return
    yield from _names(mine, span)
    for place, person in meant.items():
        if person == mine and place != span.start:
            yield _mention(doc[place].idx, doc[place].idx + len(doc[place]), _PRONOUN, PRONOUN)


def _of_thing(doc: Doc, span: Span, proper: bool) -> Iterator[CoreferentMention]:
    text, start, end = doc.text, span.start_char, span.end_char
    for a, b in acronyms(text, start, end):
        yield _mention(a, b, _ACRONYM, ACRONYM)
    full = full_name(text, start, end)
    if full is not None:
        yield _mention(*full, _NAME, NAME)
    for token in own_pronouns(doc, span, proper):
        yield _mention(token.idx, token.idx + len(token), _PRONOUN, PRONOUN)


def _holding(known: list[Person], span: Span) -> Person | None:
    return next((one for one in known if any(n.start == span.start for n in one.names)), None)


def _names(person: Person, span: Span) -> Iterator[CoreferentMention]:
    """Give the names of a person but for the one that the span is, or lies in."""
    for name in person.names:
        if (name.end <= span.start or span.end <= name.start) and is_loose(name):
            yield _mention(name.start_char, name.end_char, _NAME, NAME)


def _mention(start: int, end: int, score: float, kind: str) -> CoreferentMention:
    return CoreferentMention(start, end, score, kind)


RULES = Rules()
