"""Sentences with two marked entities and their relations, of one or of two kinds of label.

A line has ``tokens`` (offsets of ``head`` and ``tail`` count tokens then) or
``text`` (characters), ``head`` and ``tail`` with ``start``, ``end`` and, where
known, ``type`` and ``id`` or ``qid``; and its labels: ``manual_labels`` that
people gave, ``auto_labels`` of distant supervision, or one plain ``relation``.
Lines of one input are one sentence with the labels of them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.building.detokenise import detokenise, token_spans
from mt_gate.cache import input_key
from mt_gate.errors import CannotJudge
from mt_gate.evaluating.lines import decoded_lines
from mt_gate.jsonio import canonical
from mt_gate.tasks.relation_extraction import TYPES, Argument, fault, is_none, pair

CAUSE = (
    "expected JSON lines with 'tokens' or 'text', 'head' and 'tail' ('start', 'end'), and "
    "'manual_labels', 'auto_labels' or 'relation'; mend the file of --labels"
)
AGAIN = "of a sentence seen before, put together with it"


class LabelledPair(NamedTuple):
    """A sentence with two entities and its labels.

    ``head`` and ``tail`` say which entities they are: an id where the file has
    one, else their words. A kind of label is None where nobody gave it, and
    empty where there is no relation.
    """

    id: str
    input: Mapping[str, Any]
    head: str
    tail: str
    auto: frozenset[str] | None
    manual: frozenset[str] | None

    @property
    def bag(self) -> str:
        """What the sentences of one pair of entities have in common, and no others."""
        return f"{self.head}\0{self.tail}"

    def gold(self) -> frozenset[str]:
        """Return the manual labels, or the automatic ones where there are none."""
        return (self.auto if self.manual is None else self.manual) or frozenset()


class LabelledPairs(NamedTuple):
    """The sentences of a file, in its order, and how many lines were put together with others."""

    pairs: list[LabelledPair]
    again: int


class _Entity(msgspec.Struct):
    start: int
    end: int
    type: str | None = None
    id: str | int | None = None
    qid: str | None = None


class _Line(msgspec.Struct):
    head: _Entity
    tail: _Entity
    tokens: tuple[str, ...] | None = None
    text: str | None = None
    relation: str | None = None
    auto_labels: tuple[str, ...] | None = None
    manual_labels: tuple[str, ...] | None = None


def labelled_pairs(path: Path, *, distant: bool) -> LabelledPairs:
    """Read labelled sentences.

    Args:
        path: JSON lines, plain or ``.gz``.
        distant: whether a plain ``relation`` is of distant supervision, not a person's.

    Raises:
        CannotJudge: missing, too large, a line of another form, or one without any label.
    """
    found: dict[str, LabelledPair] = {}
    again = 0
    for item in _lines(path, distant):
        before = found.get(item.id)
        again += before is not None
        found[item.id] = _together(before, item) if before else item
    if not found:
        raise CannotJudge(f"{path}: no labelled sentence; expected one at least; {CAUSE}")
    return LabelledPairs([*found.values()], again)


def _lines(path: Path, distant: bool) -> Iterator[LabelledPair]:
    for number, line in decoded_lines(path, _Line, cause=CAUSE):
        value = _input(line)
        wrong = value if isinstance(value, str) else fault(value)
        if wrong:
            raise CannotJudge(f"{path}: line {number}: {wrong}; {CAUSE}")
        assert not isinstance(value, str)
        auto, manual = _labels(line, distant)
        if auto is None and manual is None:
            raise CannotJudge(f"{path}: line {number}: no label of any kind; {CAUSE}")
        head, tail = (_entity(line, entity) for entity in (line.head, line.tail))
        yield LabelledPair(input_key(canonical(value)).hex(), value, head, tail, auto, manual)


def _input(line: _Line) -> dict[str, Any] | str:
    """Return a line's input, or what is wrong with it."""
    ends = [(entity.start, entity.end) for entity in (line.head, line.tail)]
    if line.tokens is not None:
        if not all(0 <= start < end <= len(line.tokens) for start, end in ends):
            return f"entities at {ends[0]} and {ends[1]} of {len(line.tokens)} tokens"
        text, spans = _written(line.tokens)
        ends = [(spans[start][0], spans[end - 1][1]) for start, end in ends]
    elif line.text is not None:
        text = line.text
    else:
        return "neither 'tokens' nor 'text'"
    types = [entity.type or "" for entity in (line.head, line.tail)]
    head, tail = (
        # A type of another scheme is as good as none: systems are asked in one vocabulary.
        Argument(*span, kind if kind in TYPES else "")
        for span, kind in zip(ends, types, strict=True)
    )
    return pair(text, head, tail)


def _written(tokens: tuple[str, ...]) -> tuple[str, list[tuple[int, int]]]:
    """Return tokens as text, and where each stands; between blanks where spacing is unclear."""
    text = detokenise(tokens)
    spans = token_spans(tokens, text) if text else None
    if text and spans and all(start < end for start, end in spans):
        return text, spans
    spans, at = [], 0
    for token in tokens:
        spans.append((at, at + len(token)))
        at += len(token) + 1
    return " ".join(tokens), spans


def _labels(line: _Line, distant: bool) -> tuple[frozenset[str] | None, frozenset[str] | None]:
    plain = None if line.relation is None else (line.relation,)
    auto, manual = line.auto_labels, line.manual_labels
    if auto is None and manual is None:
        auto, manual = (plain, None) if distant else (None, plain)
    return _set(auto), _set(manual)


def _set(labels: Iterable[str] | None) -> frozenset[str] | None:
    return None if labels is None else frozenset(label for label in labels if not is_none(label))


def _entity(line: _Line, entity: _Entity) -> str:
    """Return which entity it is: its id, else its words."""
    known = entity.id if entity.id is not None else entity.qid
    if known is not None:
        return f"id {known}"
    if line.tokens is not None:
        words = " ".join(line.tokens[entity.start : entity.end])
    else:
        words = (line.text or "")[entity.start : entity.end]
    return " ".join(words.casefold().split())


def _together(one: LabelledPair, other: LabelledPair) -> LabelledPair:
    return one._replace(auto=_union(one.auto, other.auto), manual=_union(one.manual, other.manual))


def _union(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return other if one is None else one if other is None else one | other
