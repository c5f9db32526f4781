"""The letter case of a first word that moves into the sentence.

    before   Travellers have faced disruption.     Belarus shares a border.
    after    Have travellers faced disruption?     Does Belarus share a border?

A name keeps its capital, any other word loses it. Titles of works are
difficult: ``The Flash is a series`` keeps ``The``, ``The United States is``
does not. If it is unsure whether a word is a name, the case is undecided.
"""

from __future__ import annotations

import re
from enum import Enum

import lemminflect
from spacy.tokens import Doc, Token

from mt_gate.lexicons import calendar, titles
from mt_gate_suites.lexicons.numbers import CARDINALS
from mt_gate_suites.lexicons.reading import word_set


class FirstWord(Enum):
    """How to treat the capital of the old first word."""

    KEEP = "keep"
    LOWER = "lower"
    UNSURE = "unsure"


_FUNCTION_WORDS = word_set("casing", "function-words")
_ARTICLES = frozenset({"the", "a", "an"})
_NUMBERS = frozenset({*CARDINALS[2:13], CARDINALS[20]})
_TITLED = calendar.LOWER | {"god"}
_WORK_WORDS = word_set("casing", "works")
_COMMON_HEADS = word_set("casing", "common-heads")


_NOUN_ENDING = re.compile(
    r"(?:tion|sion|ity|ness|ism|ing|ment|logy|graphy|sis|itis|ine|ide|ase|ose|ol|ium|ologists?|icians?|women|woman"
    r"|phobia|glycan|snakes|ers|ae|ans)$"
)


_ADJECTIVE_ENDING = re.compile(r"(?:al|ic|ous|ary|oid|ive|ar|ant|ent|ed)$")
_OCCUPATIONS = word_set("casing", "occupations")
_CLASS_WORDS = word_set("casing", "classes")
_ONE_PERSON = frozenset({"he", "him", "his", "she", "her"})
_NAMES_LIKE_WORDS = word_set("casing", "names-like-words")
_DIRECTIONS = word_set("casing", "directions")
_TITLES = titles.lower(titles.known_to("casing")) | word_set("casing", "before-names")


def first_word_case(doc: Doc) -> FirstWord:
    """Decide whether ``doc[0]`` keeps its capital when it is no longer the first word."""
    first = doc[0]
    word = first.lower_
    if is_always_capital(first):
        return FirstWord.KEEP
    if word in _ARTICLES:
        second = doc[1]
        if not second.text[0].isalnum():
            return FirstWord.UNSURE
        if not _is_capitalised(second) or second.ent_type_ == "NORP":
            return FirstWord.LOWER
        head = doc[0].head if doc[0].dep_ in {"det", "poss"} else doc[0]
        if not _is_capitalised(head) and head.tag_ in {"NN", "NNS"}:
            return FirstWord.LOWER
        if _speaks_of_works(doc):
            return FirstWord.UNSURE
        return FirstWord.LOWER if _names_an_institution(doc) else FirstWord.UNSURE
    if word in _FUNCTION_WORDS or word in _NUMBERS:
        return _unless_title(doc)
    if word in _OCCUPATIONS | _TITLES:
        return FirstWord.LOWER if word in _OCCUPATIONS else FirstWord.UNSURE
    if first.tag_ in {"NNP", "NNPS"}:
        return FirstWord.KEEP if _is_name(doc) else FirstWord.UNSURE
    if first.tag_ in {"NN", "NNS", "JJ", "VBG", "JJS"}:
        return _common_word(doc)
    return FirstWord.UNSURE


def is_always_capital(first: Token) -> bool:
    """Whether it is ``I``, an acronym, number, quotation mark, month, weekday or demonym."""
    text = first.text
    if text == "I" or not text[0].isalpha() or any(c.isdigit() for c in text):
        return True
    if sum(c.isupper() for c in text) > 1:
        return True
    return first.ent_type_ == "NORP" or first.lower_ in _TITLED


def _is_capitalised(token: Token) -> bool:
    return token.text[:1].isupper()


def _speaks_of_works(doc: Doc) -> bool:
    return any(t.lower_ in _WORK_WORDS for t in doc)


def _names_an_institution(doc: Doc) -> bool:
    """Whether the run of capitalised words at the start ends in, or opens with, a class word."""
    run = []
    for token in doc[1:]:
        if not _is_capitalised(token):
            break
        run.append(token.lower_)
    return bool(run) and (run[-1] in _COMMON_HEADS or run[0] in _COMMON_HEADS)


def _unless_title(doc: Doc) -> FirstWord:
    second = doc[1]
    if _is_capitalised(second) and second.ent_type_ != "NORP" and not second.text.isupper():
        return FirstWord.UNSURE
    return FirstWord.LOWER


def _is_name(doc: Doc) -> bool:
    """Whether the sentence surely opens with a name, and not with a capitalised noun."""
    first, second = doc[0], doc[1]
    known = bool(lemminflect.getAllLemmas(first.lower_))
    if first.lower_ in _NAMES_LIKE_WORDS:
        return True
    if _NOUN_ENDING.search(first.text):
        return False
    if _is_capitalised(second) and second.tag_ in {"NNP", "NNPS"}:
        return not known or any(e.start == 0 and e.end > 1 for e in doc.ents)
    if second.tag_ in {"NN", "NNS"} and _ADJECTIVE_ENDING.search(first.text):
        return False
    if known or first.tag_ == "NNPS" or any(t.lower_ in _CLASS_WORDS for t in doc):
        return first.ent_type_ in {"PERSON", "GPE"} and not known
    return bool(first.ent_type_)


def _common_word(doc: Doc) -> FirstWord:
    """``Travellers`` loses its capital; ``Breaking Bad`` and ``Friends`` are undecided."""
    first, second = doc[0], doc[1]
    if first.ent_type_ or _is_capitalised(second) or _speaks_of_works(doc):
        return FirstWord.UNSURE
    if first.lower_ in _DIRECTIONS or (second.text == "-" and _is_capitalised(doc[2])):
        return FirstWord.UNSURE
    if first.dep_ in {"nsubj", "nsubjpass"} and any(t.lower_ in _ONE_PERSON for t in doc):
        return FirstWord.UNSURE
    if not lemminflect.getAllLemmas(first.lower_):
        return FirstWord.UNSURE
    if (
        first.tag_ == "NN"
        and first.dep_ in {"nsubj", "nsubjpass"}
        and not first.text.endswith("ing")
    ):
        return FirstWord.UNSURE
    return FirstWord.LOWER
