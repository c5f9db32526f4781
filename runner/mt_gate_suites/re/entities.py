"""The typed mentions of a sentence, which may become head, tail, or a third entity.

A spaCy pipeline errs in a third of the names of running text, and half a name makes every edited
text wrong. So a mention must be whole and have the form of its type. It must also be well known, or
have a word that shows the type. A person needs a known first name, or words that fit a person.
Types are those of ``tasks.relation_extraction.TYPES``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import lemminflect
from spacy.tokens import Doc, Span

from mt_gate.domain import Entity
from mt_gate.lexicons import titles as title_lists
from mt_gate.lexicons.nations import NATIONALITIES
from mt_gate_suites.lexicons import given_names
from mt_gate_suites.lexicons.numbers import ORDINALS
from mt_gate_suites.lexicons.places import kind_of
from mt_gate_suites.lexicons.reading import mapping, word_set
from mt_gate_suites.re.titles import find_titles, strip_title
from mt_gate_suites.re.values import VALUE_LABELS, find_value_kind, include_currency
from mt_gate_suites.re.wholeness import is_whole_mark

MAX_WORDS = 8
NAME_LABELS = frozenset("PERSON ORG GPE LOC FAC NORP LANGUAGE EVENT WORK_OF_ART".split())
"""spaCy's labels of names."""
ENGLISH_FIRST_NAMES = given_names.MALE | given_names.FEMALE | given_names.KNOWN
"""First names; some are also surnames or places."""
_LANGUAGES = word_set("languages", "exchanged") | word_set("languages", "others")
_LANGUAGE_NOUNS = frozenset({"language", "languages", "translation", "subtitles", "alphabet"})
_RELIGIONS = word_set("religions", "exchanged") | word_set("religions", "others")
_IDEOLOGIES = word_set("re/entities", "ideologies")
_WORKS = word_set("re/entities", "works")
_ORGANISATIONS = word_set("re/entities", "organisations")
_LOCATIONS = word_set("re/entities", "locations")
_LOCATION_OPENERS = frozenset({"Lake", "Mount", "River", "Cape", "Gulf"})
_LAST_WORDS = {
    "ORGANIZATION": word_set("re/entities", "organisation-words"),
    "FACILITY": word_set("re/entities", "facility-words"),
    "LOCATION": word_set("re/entities", "location-words"),
    "EVENT": word_set("re/entities", "event-words"),
}
_FIRST_NAMES = ENGLISH_FIRST_NAMES | word_set("re/entities", "also-given")
_PARTICLES, _JOINERS = word_set("re/entities", "particles"), word_set("re/entities", "joiners")
_GENERATIONS = word_set("re/entities", "generations")
_HONORIFICS = title_lists.with_stops(title_lists.known_to("entities"))
_NO_PERSON = frozenset[str]().union(
    *_LAST_WORDS.values(),
    NATIONALITIES,
    _LANGUAGES,
    word_set("re/entities", "no-person"),
    *(name.split() for name in mapping("re/name_classes", "team-nicknames")),
)
_CALLINGS = word_set("people", "person-nouns") | word_set("people", "male-nouns")
_CALLINGS |= word_set("people", "female-nouns") | word_set("re/same_type", "people")
_VERBS = word_set("re/entities", "verbs-of-persons")
_DONE_TO_THINGS = word_set("re/entities", "done-to-things")
_PERSONAL = word_set("re/entities", "personal-pronouns")
_NAME_WORD = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w’'.&-]*")
_PERSON_WORD = re.compile(r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž]\.)+|[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*(?:['’-][^\W\d_]+)*")
_ACRONYM = re.compile(r"[A-Z]{3,6}")
_BORN = re.compile(r" \((?:born|b\.|d\.|died|c\. |\d{4}|\d{1,2} [A-Z]|[A-Z][a-z]+ \d)")
_GOING = frozenset({"leave", "visit", "reach", "enter"})
_NEAR = 7
"""Tokens on each side of a work's title that are searched for a word such as ``film``."""
_LEAST_AGREED = 0.75
"""Least share of a name's mentions that must be of the same class."""
_PLACE, _UNSURE = "place", "a person for the pipeline alone"
_CLASSES = {"PERSON": "PERSON", "ORG": "ORGANIZATION", "ORGANIZATION": "ORGANIZATION"} | (
    dict.fromkeys("GPE LOC FAC CITY STATE_OR_PROVINCE COUNTRY LOCATION FACILITY".split(), _PLACE)
)
"""Classes that votes distinguish, by spaCy's label or our type."""


def find_entities(doc: Doc) -> tuple[Entity, ...]:
    """Return the typed mentions of a sentence, sorted and disjoint, without unsure ones.

    No mention contains an article before its name (``the [United States]``), a possessive, or a
    person's title, which is a separate mention: ``[President] [Barack Obama]``.
    """
    entities = list(_keep_disjoint(_find_mentions(doc)))
    persons = [entity for entity in entities if entity.label == "PERSON"]
    every = tuple(sorted(_keep_disjoint([*entities, *find_titles(doc, persons)])))
    return tuple(entity for entity in every if is_whole_mark(doc, entity, every))


class Votes(NamedTuple):
    """How often each name is of each class in all sentences; empty votes agree with everything.

    In one sentence a pipeline may label a subway station a person, but most of its labels are
    right.
    """

    counts: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, docs: Iterable[Doc]) -> Votes:
        """Count names; PERSON counts only if a known first name or the sentence supports it."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for doc in docs:
            for span in doc.ents:
                if span.label_ in NAME_LABELS:
                    mention, label = trim(span), span.label_
                    if label == "PERSON":
                        label = _find_kind(mention) or _UNSURE
                    counts[mention.text][_CLASSES.get(label, label)] += 1
        return cls(counts)

    def agree(self, kind: str, words: str, *, from_corpus: bool = False) -> bool:
        """Whether most mentions of a name are of a type's class.

        Args:
            kind: the type.
            words: the name.
            from_corpus: whether the type comes from a corpus. Then the pipeline's label alone
                supports a person, and a single mention cannot contradict the type.
        """
        wanted, counts = _CLASSES.get(kind), self.counts.get(words, {})
        total = sum(counts.values())
        if wanted is None or total < (2 if from_corpus else 1):
            return True
        agreed = counts.get(wanted, 0)
        if from_corpus and wanted == "PERSON":
            agreed += counts.get(_UNSURE, 0)
        return agreed >= _LEAST_AGREED * total


def trim(span: Span) -> Span:
    """Return a mention without article, possessive, title and closing mark.

    A capital article inside a sentence belongs to a name: ``The Hague``.
    """
    doc, start, end = span.doc, span.start, span.end
    opens = doc[start].lower_ in {"the", "a", "an"}
    if opens and end - start > 1 and (doc[start].text.islower() or start == 0):
        start += 1
    while end - start > 1 and doc[end - 1].text in {"'s", "’s", "'", "’", ",", ";", ":", '"'}:
        end -= 1
    while end - start > 1 and doc[start].text in {'"', "'", "(", ","}:
        start += 1
    if span.label_ == "PERSON":
        start = strip_title(doc[start:end]).start
        while end - start > 1 and doc[start].text in _HONORIFICS:
            start += 1
        end += end < len(doc) and doc[end].text in _GENERATIONS
    return Span(doc, start, end, label=span.label)


def _find_mentions(doc: Doc) -> Iterator[Entity]:
    for span in doc.ents:
        mention, kind = trim(span), ""
        if span.label_ in NAME_LABELS:
            kind = _find_kind(mention)
        elif span.label_ in VALUE_LABELS:
            mention = include_currency(mention)
            kind = find_value_kind(mention)
        if kind:
            yield Entity(mention.start_char, mention.end_char, kind)


def _keep_disjoint(entities: Iterable[Entity]) -> Iterator[Entity]:
    disjoint: list[Entity] = []
    for entity in entities:
        if all(entity.end <= other.start or other.end <= entity.start for other in disjoint):
            disjoint.append(entity)
            yield entity


def _find_kind(span: Span) -> str:
    """Return the type of a name; empty if it is unsure."""
    if len(span) > MAX_WORDS or re.search(r"[\"“”()\[\]\n:;|/?!,]", span.text):
        return ""
    if span.label_ == "WORK_OF_ART":
        near = span.doc[max(0, span.start - _NEAR) : span.end + _NEAR]
        named = any(token.lemma_.lower() in _WORKS for token in near)
        return "WORK_OF_ART" if named and len(span) > 1 and _is_quoted(span) else ""
    if span.label_ in {"NORP", "LANGUAGE"}:
        text, doc = span.text, span.doc
        after = doc[span.end] if span.end < len(doc) else None
        before = doc[span.start - 1].lower_ if span.start else ""
        if text in _LANGUAGES and after is not None and after.lower_ in _LANGUAGE_NOUNS:
            return "LANGUAGE"
        if text in _LANGUAGES and before in {"in", "into", "from"} and span.root.dep_ == "pobj":
            return "LANGUAGE"
        if after is not None and (after.text[0].isupper() or after.lower_ in {"football", "rules"}):
            return ""
        if text in NATIONALITIES:
            return "NATIONALITY"
        return "RELIGION" if text in _RELIGIONS else "IDEOLOGY" if text in _IDEOLOGIES else ""
    parts = span.text.split()
    named = all(_NAME_WORD.fullmatch(part) for part in (parts[0], parts[-1]))
    small = _JOINERS | _PARTICLES
    if not named or not all(_NAME_WORD.fullmatch(part) or part in small for part in parts):
        return ""
    if span.label_ == "PERSON":
        return "PERSON" if _is_person(span) else ""
    if _is_a_thing(span):
        return ""  # "The Last House on the Left is a film"
    return (_find_place_kind(span) if span.label_ == "GPE" else "") or _find_kind_by_words(span)


def _is_quoted(span: Span) -> bool:
    text = span.doc.text
    after = text[span.end_char :][:1]
    return text[: span.start_char][-1:] in {'"', "“"} and after in {'"', "”", ".", ","}


def _find_place_kind(span: Span) -> str:
    doc, kind = span.doc, kind_of(span.text)
    before = doc[span.start - 1].lower_ if span.start else ""
    state = (e for e in doc.ents if e.start == span.end + 1 and doc[span.end].text == ",")
    if any(kind_of(e.text) == "STATE_OR_PROVINCE" for e in state):
        return "CITY" if kind in {"CITY", "COUNTRY"} else kind  # "Holland, Michigan"
    # Charlotte without "in" before it may be a person; so may Houston near "Whitney Houston".
    person = span.text in _FIRST_NAMES and before not in {"in", "near"}
    named = any(e.label_ == "PERSON" and span.text in e.text.split() for e in doc.ents)
    word = before in {"name", "term", "word", "named", "called"}
    # "He took Henderson with him."
    taken = span.root.dep_ == "dobj" and span.root.head.lemma_ not in _GOING
    return "" if person or named or word or (kind == "CITY" and taken) else kind


def _find_kind_by_words(span: Span) -> str:
    """Return the type that a word of the name shows: a university, a bridge, a river."""
    parts = span.text.split()
    if span.text in _LOCATIONS:
        modifies = span.root.dep_ in {"compound", "amod", "nmod"}  # "Amazon warriors"
        return "" if modifies and span.root.head.text.islower() else "LOCATION"
    if len(parts) == 1:
        famous = span.text in _ORGANISATIONS or _is_acronym(span)
        return "ORGANIZATION" if span.label_ == "ORG" and famous else ""
    if parts[0].lower() in ORDINALS:
        return ""  # Beethoven's Ninth Symphony
    stop = next((at for at, part in enumerate(parts) if part in _JOINERS), len(parts))
    for word in (parts[-1].rstrip("."), parts[max(0, stop - 1)].rstrip(".")):
        for kind, known in _LAST_WORDS.items():
            if word in known:
                return kind if _agrees(span, kind) else ""
    return "LOCATION" if parts[0] in _LOCATION_OPENERS and span.label_ != "ORG" else ""


def _agrees(span: Span, kind: str) -> bool:
    if span.label_ in {"LOC", "GPE"}:
        return kind in {"LOCATION", "FACILITY"}
    return (kind == "EVENT") == (span.label_ == "EVENT")


def _is_acronym(span: Span) -> bool:
    """Whether a word is the initials of an organisation that the sentence also names in full."""
    if not _ACRONYM.fullmatch(span.text):
        return False
    for other in span.doc.ents:
        parts = [part for part in other.text.split() if part[0].isupper() and part != "The"]
        if "".join(part[0] for part in parts) == span.text:
            return any(part.rstrip(".,") in _LAST_WORDS["ORGANIZATION"] for part in parts)
    return False


def _is_a_thing(span: Span) -> bool:
    verb = span.root.head
    if span.root.dep_ == "nsubjpass" and span.label_ == "PERSON" and verb.lemma_ in _DONE_TO_THINGS:
        return True
    return any(word in _WORKS and word not in _CALLINGS for word in _read_said(span))


def _read_said(span: Span) -> Iterator[str]:
    yield from (child.lemma_.lower() for child in span.root.children if child.dep_ == "appos")
    if span.root.dep_ == "nsubj" and span.root.head.lemma_ == "be":
        yield from (c.lemma_.lower() for c in span.root.head.children if c.dep_ == "attr")


def _is_person(span: Span) -> bool:
    """Whether the words in and around a span confirm the pipeline's label PERSON."""
    doc, root = span.doc, span.root
    names = [part for part in span.text.split() if part not in _PARTICLES]
    fit = all(_PERSON_WORD.fullmatch(part) or part in _GENERATIONS for part in names)
    if not fit or _NO_PERSON.intersection(names) or kind_of(span.text) or _is_a_thing(span):
        return False
    before = doc[span.start - 1].lower_ if span.start else ""
    modifies = root.head.i >= span.end and root.dep_ in {"compound", "nmod", "amod"}
    if before in {"the", "a", "an", "in", "near", "at"} or modifies or _is_quoted(span):
        return False
    # More than three names are a list that lost its commas: "Jasper Johns Tony Scherman".
    whole = [part for part in names if "." not in part and part not in _GENERATIONS]
    if len(whole) > 3 and len(names) == len(span.text.split()):
        return False
    if len(names) == 1:
        return _is_person_alone(span, names[0])
    shouted = all(part.isupper() and len(part) > 3 for part in names)
    if shouted or names[-1].endswith("ism") or doc[span.start].tag_ == "VBG":
        return False  # "Starring Josh Duhamel"
    if names[0] in ENGLISH_FIRST_NAMES:
        return True
    words = all(lemminflect.getAllLemmas(name.lower()) for name in names)  # "Weather Report"
    return not words and ("." in names[0] or _is_called(span))


def _is_called(span: Span) -> bool:
    """Whether words near a name show a person: a title, a calling, an action or a birth."""
    doc, root = span.doc, span.root
    if _BORN.match(doc.text[span.end_char :]):
        return True
    before = doc[max(0, span.start - 4) : span.end]
    starts = range(before.start, span.start)
    if any(strip_title(doc[start : span.end]).start == span.start for start in starts):
        return True
    if span.start and doc[span.start - 1].lower_ in _CALLINGS:
        return True
    acts = root.dep_ in {"nsubj", "nsubjpass"} and root.head.lemma_ in _VERBS
    return acts or any(word in _CALLINGS for word in _read_said(span))


def _is_person_alone(span: Span, name: str) -> bool:
    """Whether a single name is surely a person's, by a full name or a pronoun in the sentence."""
    doc = span.doc
    if len(name) < 3 or name.isupper() or lemminflect.getAllLemmas(name.lower()):
        return False
    full = (e for e in doc.ents if e.label_ == "PERSON" and len(e) > 1)
    if any(name in other.text.split() for other in full):
        return True
    acts = span.root.dep_ in {"nsubj", "nsubjpass"}
    return acts and any(token.lower_ in _PERSONAL for token in doc)
