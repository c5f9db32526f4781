"""Names among a sentence's mentions: what kind of thing each names, or that it is unsure.

A parser's pipeline errs in a third of the names of running text. What is kept
has the form of its kind, stands whole, and has a word that tells the kind, a
well-known name, or (persons) first and last names.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc, Span, Token

from mt_gate.lexicons.nations import NATIONALITIES
from mt_gate_suites.lexicons.numbers import ORDINALS
from mt_gate_suites.lexicons.places import kind_of
from mt_gate_suites.re.entities import words
from mt_gate_suites.re.entities.extent import (
    is_apart,
    is_capitalised,
    is_name_word,
    is_quoted,
    is_whole,
)
from mt_gate_suites.re.entities.persons import GIVEN, is_a_work, is_person

MAX_WORDS = 8
LABELS = frozenset("PERSON ORG GPE LOC FAC NORP LANGUAGE EVENT WORK_OF_ART".split())
"""spaCy's labels of what this module types."""

_BEFORE_EVENTS = frozenset({"the", "a", "this", "that"})
_GOING = frozenset({"leave", "visit", "reach", "enter"})
_NEAR = 7
"""Words between a title and what says that it is one."""
_ACRONYM = re.compile(r"[A-Z]{3,6}")


def name_kind(span: Span) -> str:
    """Return the type of a name; nothing where it is unsure, or only part of a name."""
    if len(span) > MAX_WORDS or not is_apart(span):
        return ""
    if span.label_ == "WORK_OF_ART":
        return "WORK_OF_ART" if _is_work(span) else ""
    if span.label_ in {"NORP", "LANGUAGE"}:
        return _group_kind(span)
    if not is_capitalised(span, words.JOINERS | words.PARTICLES) or not is_whole(span):
        return ""
    if span.label_ == "PERSON":
        return "PERSON" if is_person(span) else ""
    if is_a_work(span):
        return ""  # "The Last House on the Left is a film"
    if span.label_ == "GPE":
        return _place_kind(span)
    return _kind_by_words(span)


def _is_work(span: Span) -> bool:
    """Whether words in quotation marks are a title: near by, the sentence names a work's kind."""
    if len(span) < 2 or not is_quoted(span) or not span.text[0].isupper():
        return False
    near = span.doc[max(0, span.start - _NEAR) : span.end + _NEAR]
    return any(token.lemma_.lower() in words.WORKS for token in near)


def _place_kind(span: Span) -> str:
    if span.start and span.doc[span.start - 1].lower_ in {
        "name",
        "term",
        "word",
        "named",
        "called",
    }:
        return ""
    kind = kind_of(span.text)
    if kind == "CITY" and span.root.dep_ == "dobj" and span.root.head.lemma_ not in _GOING:
        return ""  # "he took Henderson with him"
    if kind == "COUNTRY" and _state_follows(span):
        return "CITY"  # "Holland, Michigan"
    if kind and not _is_also_given(span) and not _is_in_a_name(span):
        return kind
    if kind:
        return ""
    by_words = _kind_by_words(span)
    if by_words:
        return by_words
    return "LOCATION" if _is_located(span) else ""


def _state_follows(span: Span) -> bool:
    doc = span.doc
    if span.end + 1 >= len(doc) or doc[span.end].text != ",":
        return False
    return any(e.start == span.end + 1 and kind_of(e.text) == "STATE_OR_PROVINCE" for e in doc.ents)


def _is_also_given(span: Span) -> bool:
    """Whether a place may be a person here: Charlotte, Victoria, where no word says a place."""
    if span.text not in GIVEN | words.ALSO_GIVEN:
        return False
    before = span.doc[span.start - 1].lower_ if span.start else ""
    return before not in {"in", "near"} and not _state_follows(span)


def _is_in_a_name(span: Span) -> bool:
    """Whether a person of the sentence bears the name: Houston, where Whitney Houston sings."""
    others = (other for other in span.doc.ents if other.label_ == "PERSON")
    return any(span.text in other.text.split() for other in others)


def _is_located(span: Span) -> bool:
    """Whether an unknown place is surely one: ``in X, Ontario``, ``the town of X``."""
    doc = span.doc
    before = doc[span.start - 1].lower_ if span.start else ""
    larger = ""
    if span.end + 1 < len(doc) and doc[span.end].text == ",":
        after = next((e for e in doc.ents if e.start == span.end + 1), None)
        larger = kind_of(after.text) if after is not None else ""
    return before in {"in", "near", "at", "from", "to"} and bool(larger)


def _kind_by_words(span: Span) -> str:
    """Return the kind that a word of the name tells: a university, a bridge, a river."""
    parts = span.text.split()
    if span.text in words.LOCATIONS:
        modifies = span.root.dep_ in {"compound", "amod", "nmod"}  # "Amazon warriors"
        return "" if modifies and span.root.head.text.islower() else "LOCATION"
    if parts[0].lower() in ORDINALS:
        return ""  # Beethoven's Ninth Symphony
    if len(parts) == 1:
        return "ORGANIZATION" if _is_known_organisation(span) else ""
    stop = next((at for at, part in enumerate(parts) if part in words.JOINERS), len(parts))
    for word in (parts[-1], parts[max(0, stop - 1)]):
        for kind, known in (
            ("ORGANIZATION", words.ORGANISATION_WORDS),
            ("FACILITY", words.FACILITY_WORDS),
            ("LOCATION", words.LOCATION_WORDS),
            ("EVENT", words.EVENT_WORDS),
        ):
            if word.rstrip(".") in known:
                return kind if _agrees(span, kind) else ""
    if parts[0] in words.LOCATION_OPENERS and span.label_ != "ORG":
        return "LOCATION"
    return "FACILITY" if parts[0] in words.FACILITY_OPENERS and span.label_ != "ORG" else ""


def _agrees(span: Span, kind: str) -> bool:
    """Whether spaCy's label does not speak against what a word of the name tells."""
    if span.label_ in {"LOC", "GPE"}:
        return kind in {"LOCATION", "FACILITY"}
    if span.label_ == "EVENT":
        after = span.doc[span.end : span.end + 1]
        game = any(token.lemma_.lower() in words.WORKS for token in after)  # "Gears of War series"
        before = span.doc[span.start - 1] if span.start else None
        alone = before is None or before.lower_ in _BEFORE_EVENTS or before.text.isdigit()
        return kind == "EVENT" and alone and not game  # "bought from Fundex Games"
    return kind != "EVENT"


def _is_known_organisation(span: Span) -> bool:
    if span.label_ != "ORG":
        return False
    if span.text in words.ORGANISATIONS:
        return True
    if not _ACRONYM.fullmatch(span.text) or span.text in words.NO_ORGANISATIONS:
        return False
    heads_noun = span.root.dep_ == "compound" and span.root.head.text[:1].isupper()
    return not heads_noun and _full_name(span.doc, span.text)


def _full_name(doc: Doc, acronym: str) -> bool:
    """Whether the sentence has the name that an acronym stands for, and it is an organisation's."""
    for other in doc.ents:
        parts = [part for part in other.text.split() if part[0].isupper() and part != "The"]
        if "".join(part[0] for part in parts) == acronym:
            return any(part.rstrip(".,") in words.ORGANISATION_WORDS for part in parts)
    return False


def _group_kind(span: Span) -> str:
    """Return the kind of a nationality, a religion, an ideology or a language."""
    text = span.text
    after = span.doc[span.end] if span.end < len(span.doc) else None
    if text in words.LANGUAGES and (
        span.label_ == "LANGUAGE" or (after is not None and after.lower_ in words.LANGUAGE_NOUNS)
    ):
        return _language_kind(span, after)
    if text in NATIONALITIES:
        if after is not None and after.lower_ in {"football", "rules"}:
            return ""  # a game
        return "" if after is not None and is_name_word(after) else "NATIONALITY"
    if after is not None and after.text[:1].isupper() and after.is_alpha:
        return ""
    if text in words.RELIGIONS:
        return "RELIGION"
    return "IDEOLOGY" if text in words.IDEOLOGIES else ""


def _language_kind(span: Span, after: Token | None) -> str:
    """``in English`` and ``English language`` name a language, ``English baritone`` none."""
    if after is not None and after.lower_ in words.LANGUAGE_NOUNS:
        return "LANGUAGE"
    before = span.doc[span.start - 1].lower_ if span.start else ""
    if before in {"in", "into", "from"} and span.root.dep_ == "pobj":
        return "LANGUAGE"
    modifies = after is not None and after.text.islower() and span.root.dep_ in {"amod", "compound"}
    return "NATIONALITY" if modifies and span.text in NATIONALITIES else ""
