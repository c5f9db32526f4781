"""The result of every parser: a sentence, two spans, and the relations between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from mt_gate.base.errors import quoted
from mt_gate.lexicons.calendar import MONTHS
from mt_gate.tasks.detokenise import detokenise, token_spans
from mt_gate.tasks.relation_extraction import ARGUMENTS, TYPES, Argument, fault, make_input

MAX_TEXT = 20_000
"""Maximum characters of a sentence; a longer text is not a sentence."""

_ALIASES = {
    "PER": "PERSON",
    "ORG": "ORGANIZATION",
    "LOC": "LOCATION",
    "GPE": "LOCATION",
    "FAC": "FACILITY",
    "CARDINAL": "NUMBER",
    "STATE": "STATE_OR_PROVINCE",
    "PROVINCE": "STATE_OR_PROVINCE",
    # Types that combine several of mt-gate's types count as unknown.
    "NORP": "",
    "NATIONALITY_OR_COUNTRY": "",
    "PERSON_OR_ORG": "",
    "O": "",
}
_TOKENISED = re.compile(r"\s[,.;:?!)](?:\s|$)|\s'(?:s|re|ve|ll|d|m)\b|``")
_DAY, _YEAR = re.compile(r"\d\d?"), re.compile(r"\d{4}")


class RelationRow(NamedTuple):
    """A sentence of a corpus with two arguments, which do not overlap, and its labels.

    ``head_entity`` identifies the head across sentences: its id, or else its words. ``as_written``
    is False if the original spacing is unknown, so that tokens are separated by spaces. The corpus
    may state further typed mentions, ``entities``.
    """

    id: str
    text: str
    head: Argument
    tail: Argument
    relations: tuple[str, ...]
    head_entity: str
    tail_entity: str
    as_written: bool = True
    entities: tuple[Argument, ...] = ()


class RowFault(ValueError):  # noqa: N818 - the caller raises an error that names file and row
    """A problem with a row."""


class Mark(NamedTuple):
    """An argument in a corpus: span, type, and the id of its entity, if known."""

    start: int
    end: int
    type: str = ""
    entity: str = ""


Marks = tuple[Mark, Mark]
"""Head and tail."""


def row_of_tokens(
    name: str, tokens: Sequence[str], marks: Marks, relations: Sequence[str], written: str = ""
) -> RelationRow:
    """Return the row of a tokenised sentence, detokenised.

    Empty tokens are skipped. ``marks`` are half-open spans of tokens. ``written`` is the original
    sentence, if the corpus has it. Raises RowFault: a span is outside the sentence or has no words,
    spans overlap, or a type is unknown.
    """
    for mark, what in zip(marks, ARGUMENTS, strict=True):
        if not 0 <= mark.start < mark.end <= len(tokens):
            raise RowFault(
                f"{what} spans tokens {mark.start} to {mark.end}, but there are {len(tokens)}"
            )
    word_positions = [at for at, token in enumerate(tokens) if token.strip()]
    words = [tokens[at].strip() for at in word_positions]
    text, spans, as_written = _written(words, written)
    places = dict(zip(word_positions, spans, strict=True))

    def placed(mark: Mark, what: str) -> Mark:
        positions = [places[at] for at in range(mark.start, mark.end) if at in places]
        if not positions:
            raise RowFault(f"{what} spans only white space")
        return mark._replace(start=positions[0][0], end=positions[-1][1])

    head, tail = (placed(mark, what) for mark, what in zip(marks, ARGUMENTS, strict=True))
    row = row_of_text(name, text, (head, tail), relations)
    return row._replace(as_written=as_written)


def row_of_text(name: str, text: str, marks: Marks, relations: Sequence[str]) -> RelationRow:
    """Return the row of an original sentence; ``marks`` are half-open spans of characters.

    Raises RowFault: the text is too long, a span is outside it, spans overlap, or a type is
    unknown.
    """
    if len(text) > MAX_TEXT:
        raise RowFault(f"the sentence has {len(text)} characters, limit {MAX_TEXT}")
    head, tail = (
        Argument(mark.start, mark.end, known_type(mark.type, what))
        for mark, what in zip(marks, ARGUMENTS, strict=True)
    )
    wrong = fault(make_input(text, head, tail))
    if wrong:
        raise RowFault(wrong)
    words = [text[span.start : span.end] for span in (head, tail)]
    if not all(word.strip() for word in words):
        raise RowFault("head or tail spans spaces, expected words")
    entities = [mark.entity or word for mark, word in zip(marks, words, strict=True)]
    return RelationRow(name, text, head, tail, tuple(relations), entities[0], entities[1])


def row_of_spaced_text(name: str, text: str, marks: Marks, relations: Sequence[str]) -> RelationRow:
    """Return the row of a text; detokenise it if it is tokens separated by spaces.

    Raises RowFault: as in ``row_of_text``.
    """
    row = row_of_text(name, text, marks, relations)
    if not _TOKENISED.search(text):
        return row
    pieces = [(word.start(), word.end()) for word in re.finditer(r"\S+", text)]
    starts = {start: at for at, (start, _) in enumerate(pieces)}
    ends = {end: at + 1 for at, (_, end) in enumerate(pieces)}
    head, tail = (
        mark._replace(start=starts.get(mark.start, -1), end=ends.get(mark.end, -1))
        for mark in marks
    )
    if min(*head[:2], *tail[:2]) < 0:
        return row._replace(as_written=False)
    return row_of_tokens(name, [text[a:b] for a, b in pieces], (head, tail), relations)


def known_type(name: str, what: str) -> str:
    """Return the type of mt-gate for a corpus's type; empty for none or an ambiguous type.

    Raises RowFault: the type is unknown.
    """
    kind = _ALIASES.get(name.upper(), name.upper())
    if kind and kind not in TYPES:
        raise RowFault(f"{what} is of type {quoted(name, 40)}. Known: {', '.join(sorted(TYPES))}")
    return kind


def _written(words: Sequence[str], written: str) -> tuple[str, list[tuple[int, int]], bool]:
    """Return the text, the spans of the words, and whether the spacing is original."""
    for text in (written.strip(), detokenise(_join_dates(words))):
        spans = token_spans(words, text) if text else None
        if text and spans and all(start < end for start, end in spans):
            return text, spans, True
    spans, at = [], 0
    for word in words:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    return " ".join(words), spans, False


def _join_dates(words: Sequence[str]) -> list[str]:
    """Return words with the comma in dates like ``June 16 , 1988`` joined to the day."""
    joined: list[str] = []
    for at, word in enumerate(words):
        year = words[at + 1] if at + 1 < len(words) else ""
        dated = word == "," and at > 1 and words[at - 2] in MONTHS
        if dated and _DAY.fullmatch(words[at - 1]) and _YEAR.fullmatch(year):
            joined[-1] += ","
        else:
            joined.append(word)
    return joined


def fields(row: Any, *names: str) -> list[Any]:
    """Return fields of a JSON object. Raises RowFault: not an object, or a field is missing."""
    if not isinstance(row, dict):
        raise RowFault(f"it is of type {type(row).__name__}, expected a JSON object")
    missing = [name for name in names if name not in row]
    if missing:
        raise RowFault(f"{', '.join(missing)} is missing, expected the fields {', '.join(names)}")
    return [row[name] for name in names]


def whole(value: Any, what: str) -> int:
    """Return ``value`` if it is a whole number. Raises RowFault otherwise."""
    if type(value) is not int:
        raise RowFault(f"{what} is {quoted(value, 40)}, expected a whole number")
    return value


def words_of(value: Any, what: str = "tokens") -> list[str]:
    """Return ``value`` if it is a list of strings. Raises RowFault otherwise."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RowFault(f"{what} is not a list of strings: {quoted(value, 40)}")
    return value


def word_of(value: Any, what: str) -> str:
    """Return ``value`` if it is a string; empty for null. Raises RowFault otherwise."""
    if value is not None and not isinstance(value, str):
        raise RowFault(f"{what} is {quoted(value, 40)}, expected a string")
    return value or ""
