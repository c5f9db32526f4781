"""Persons among a sentence's names: by the pipeline, and by a given name or what is said of them.

Two ways agree, or the name is left out: a pipeline calls bands, ships and districts persons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import lemminflect
from spacy.tokens import Span

from mt_gate.lexicons.nations import NATIONALITIES
from mt_gate_suites.lexicons import given_names
from mt_gate_suites.lexicons.places import kind_of
from mt_gate_suites.lexicons.reading import mapping, word_set
from mt_gate_suites.re.entities import words
from mt_gate_suites.re.entities.extent import is_quoted
from mt_gate_suites.re.entities.titles import without_title

_PERSON_WORD = re.compile(r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž]\.)+|[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*(?:['’-][^\W\d_]+)*")
_NO_PERSON = (
    words.ORGANISATION_WORDS
    | words.FACILITY_WORDS
    | words.LOCATION_WORDS
    | words.EVENT_WORDS
    | NATIONALITIES
    | words.LANGUAGES
    | word_set("re/entities", "no-person")
    | {word for name in mapping("re/name_classes", "team-nicknames") for word in name.split()}
)
_PERSONAL = word_set("re/entities", "personal-pronouns")
_CALLINGS = word_set("people", "person-nouns") | word_set("people", "male-nouns")
_CALLINGS |= word_set("people", "female-nouns") | word_set("re/same_type", "people")
_VERBS = word_set("re/entities", "verbs-of-persons")
_DONE_TO_THINGS = word_set("re/entities", "done-to-things")
_BORN = re.compile(r" \((?:born|b\.|d\.|died|c\. |\d{4}|\d{1,2} [A-Z]|[A-Z][a-z]+ \d)")
_LONGEST_TITLE = 4
_WHERE = frozenset({"in", "near", "at"})
GIVEN = given_names.MALE | given_names.FEMALE | given_names.KNOWN
"""Names that are given to persons, and may be surnames and places too."""


def is_person(span: Span) -> bool:
    """Whether a span that a pipeline calls a person is one by its words, too, and whole."""
    parts = span.text.split()
    names = [part for part in parts if part not in words.PARTICLES]
    fit = all(_PERSON_WORD.fullmatch(part) or part in words.GENERATIONS for part in names)
    if not fit or _NO_PERSON.intersection(names) or kind_of(span.text):
        return False
    doc = span.doc
    if span.start and doc[span.start - 1].lower_ in {"the", "a", "an"}:
        return False
    if is_a_work(span):
        return False
    outside = span.root.head
    named = outside.i >= span.end and span.root.dep_ in {"compound", "nmod", "amod"}
    if named or is_quoted(span):
        return False
    # More is a list that lost its commas: "Jasper Johns Tony Scherman".
    whole = [part for part in names if "." not in part and part not in words.GENERATIONS]
    if len(whole) > 3 and len(names) == len(parts):
        return False
    if len(names) > 1:
        shouted = all(part.isupper() and len(part) > 3 for part in names)
        return not shouted and not _is_of_words(names) and _is_told(span, names[0])
    return len(names[0]) > 2 and _is_person_alone(span, names[0])


def is_a_work(span: Span) -> bool:
    """Whether the sentence says that the name is a thing's.

    "Robin Hood is an upcoming film"    "T.J. Maxx was founded in 1976"
    """
    verb = span.root.head
    said = [child for child in span.root.children if child.dep_ == "appos"]
    if span.root.dep_ == "nsubjpass" and span.label_ == "PERSON" and verb.lemma_ in _DONE_TO_THINGS:
        return True
    if span.root.dep_ == "nsubj" and verb.lemma_ == "be":
        said += [child for child in verb.children if child.dep_ == "attr"]
    return any(
        token.lemma_.lower() in words.WORKS and token.lower_ not in _CALLINGS for token in said
    )


def _is_told(span: Span, first: str) -> bool:
    """Whether a given name, or another word of the sentence, says that there is a person."""
    doc = span.doc
    if doc[span.start].tag_ == "VBG":
        return False  # "Starring Josh Duhamel"
    if span.end < len(doc) and doc[span.end].text[0].isupper() and doc[span.end].is_alpha:
        return False  # a name that goes on
    if span.start and doc[span.start - 1].lower_ in _WHERE:
        return False  # "in Don Mills"
    return first in GIVEN or "." in first or _is_called(span)


def _is_called(span: Span) -> bool:
    """Whether the words at a name say that it is a person's: a calling, or a birth."""
    doc = span.doc
    if _BORN.match(doc.text[span.end_char :]):
        return True
    if span.start and doc[span.start - 1].lower_ in _CALLINGS:
        return True
    starts = range(max(0, span.start - _LONGEST_TITLE), span.start)
    if any(without_title(doc[start : span.end]).start == span.start for start in starts):
        return True
    root = span.root
    if root.dep_ in {"nsubj", "nsubjpass"} and root.head.lemma_ in _VERBS:
        return True
    said = [child for child in root.children if child.dep_ == "appos"]
    if root.dep_ in {"nsubj", "nsubjpass"} and root.head.lemma_ == "be":
        said += [child for child in root.head.children if child.dep_ == "attr"]
    return any(token.lower_ in _CALLINGS for token in said)


def _is_of_words(names: Sequence[str]) -> bool:
    """Whether a name is made of words: ``Weather Report``, ``Roman Catholicism``."""
    if names[-1].endswith("ism"):
        return True
    return names[0] not in GIVEN and all(lemminflect.getAllLemmas(name.lower()) for name in names)


def _is_person_alone(span: Span, name: str) -> bool:
    """Whether one name is surely a person's: the full name is there, or ``he`` or ``she``."""
    doc = span.doc
    if name.isupper() or lemminflect.getAllLemmas(name.lower()):
        return False
    for other in doc.ents:
        if other.label_ == "PERSON" and len(other) > 1 and name in other.text.split():
            return True
    acts = span.root.dep_ in {"nsubj", "nsubjpass"}
    return acts and any(token.lower_ in _PERSONAL for token in doc)
