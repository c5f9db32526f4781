"""Other names of the same: an acronym in brackets, a family name after the full one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.tokens import Span

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coreferent.people import TITLES

_OPENING = r"\s*(?:\(|-LRB-)\s*"
_CLOSING = r"\s*(?:\)|-RRB-)"
_ACRONYM = r"[A-Z][A-Za-z&.]{1,9}"
_AFTER = re.compile(rf"{_OPENING}({_ACRONYM}){_CLOSING}")
_BEFORE = re.compile(rf"{_OPENING}$")
_SMALL = word_set("re/coreferent", "small-words-of-names")
_MOST_WORDS = 10
_LEAST_LOOSE = 3
_NAMING = word_set("re/coreferent", "naming")
_STYLED = word_set("re/coreferent", "styled")
_MEANING = frozenset("mean derive translate spell pronounce rhyme".split())
"""Verbs whose subject is a word."""
_NUMERAL = re.compile(r"[IVX]+")
_QUOTES = frozenset(('"', "“", "”", "„", "``", "''"))


def acronyms(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give the places of a full name's acronym: in brackets after it, then alone."""
    name = text[start:end]
    found = _AFTER.match(text, end)
    if found is None or not is_acronym(found[1], name):
        return
    yield found.span(1)
    short = re.escape(found[1])
    for again in re.finditer(rf"(?<![\w-]){short}(?![\w-])", text):
        if again.start() >= found.end() and len(found[1]) >= _LEAST_LOOSE:
            yield again.span()


def full_name(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the place of the full name whose acronym stands, or first stood, in brackets."""
    short = text[start:end]
    if not re.fullmatch(_ACRONYM, short):
        return None
    defined = re.search(rf"{_OPENING}({re.escape(short)}){_CLOSING}", text)
    if defined is None or defined.start(1) > start:
        return None
    words = list(re.finditer(r"\S+", text[: defined.start()]))[-_MOST_WORDS:]
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        # Two letters fit by chance: ``Army Air Corps (AC)``.
        longer = at > 0 and words[at - 1][0][:1].isupper()
        if not word[0][0].isupper() or (longer and len(short) < _LEAST_LOOSE):
            continue
        if is_acronym(short, text[word.start() : defined.start()]):
            if longer and _may_begin_a_name(words[at - 1]):
                return None
            return word.start(), len(text[: defined.start()].rstrip())
    return None


def _may_begin_a_name(word: re.Match[str]) -> bool:
    """Whether a capital word may begin the name after it: ``Hong Kong [Institute of ...]``."""
    text = word[0]
    return text.isalpha() and text.lower() not in _SMALL and word.start() > 0


def is_acronym(short: str, name: str) -> bool:
    """Whether the capitals of ``short`` are the initials of a name's words."""
    letters = "".join(letter for letter in short if letter.isupper())
    words = re.findall(r"[^\W\d_]+", name)
    great = "".join(word[0] for word in words if word.lower() not in _SMALL)
    every = "".join(word[0] for word in words).upper()
    if len(letters) < 2 or len(words) < 2 or any(c.isdigit() for c in name):
        return False
    return letters in (great.upper(), every) and great.isupper()


def is_loose(name: Span) -> bool:
    """Whether a name stands for itself and is no part of another: ``Obama Foundation``."""
    doc = name.doc
    before = doc[name.start - 1] if name.start else None
    after = doc[name.end] if name.end < len(doc) else None
    if not name[-1].text[:1].isupper() or name.sent.root.pos_ not in ("VERB", "AUX"):
        return False
    if any(token.text in {"&", "/", "+"} or token.lower_ == "and" for token in name):
        return False
    if after is not None and (
        after.pos_ == "PROPN" or after.text in _QUOTES or _NUMERAL.fullmatch(after.text)
    ):
        return False
    if "&" in {one.text for one in (before, after) if one is not None} or is_word(name):
        return False
    if before is not None and (
        before.text in _QUOTES
        or (len(before) == 1 and before.text.isalpha() and not before.text.isascii())
        or before.tag_ == "NNS"
        or before.lower_ in _NAMING
        or (before.pos_ == "PROPN" and before.lower_ not in TITLES)
    ):
        return False
    return name.root.dep_ not in ("compound", "amod", "nmod", "ROOT")


def is_word(name: Span) -> bool:
    """Whether a name stands for itself as a word: ``the name Jana``, ``known as Joel``."""
    doc, root = name.doc, name.root
    before = [token.lower_ for token in doc[max(name.start - 2, 0) : name.start]]
    if before[-1:] and before[-1] in _NAMING:
        return True
    if before[-1:] == ["as"] and len(before) == 2 and before[0] in _STYLED:
        return True
    return root.dep_ in ("nsubj", "nsubjpass") and root.head.lemma_ in _MEANING
