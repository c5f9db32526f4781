"""Meaning of the labels of a relation extraction scheme: symmetric, inverse, coarser.

A scheme is *directed* if each relation X has two labels, ``X(e1,e2)`` for head to tail and
``X(e2,e1)`` for tail to head, as in KBP37 and SemEval-2010 Task 8. Otherwise a label is the
relation from head to tail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from mt_gate.tasks.relation_extraction import HEAD, TAIL, is_no_relation
from mt_gate.tasks.tag_scheme import OUTSIDE, PREFIXED

FORWARD, BACKWARD = "(e1,e2)", "(e2,e1)"
ALL = "*"
"""Means all relations, in ``shares_head`` or ``shares_tail``."""

_DIRECTED = re.compile(r"(.+)\((e1,e2|e2,e1)\)")


class RelationMeaning(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Properties of one relation, read from head to tail.

    ``inverse`` is the relation from tail to head if each relation follows from the other.
    ``entails_back`` is the relation from tail to head if only it follows from this one: "mother"
    entails "child", but a parent of a child need not be its mother. Both are empty if the scheme
    has no label for the relation. ``coarser`` is the same relation to a larger place, one step up;
    ``place`` is the argument that is a place. ``head`` and ``tail`` are the allowed types of each
    argument; empty allows any. If a relation is symmetric, each relation in ``shares_head`` with
    one of its arguments as head also holds with the other as head (``per:spouse``:
    ``per:children``); ``shares_tail`` is for tails. ``*`` is all relations. ``title`` explains a
    code such as ``P26``.
    """

    title: str = ""
    symmetric: bool = False
    inverse: str = ""
    entails_back: str = ""
    coarser: str = ""
    place: str = TAIL
    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    shares_head: tuple[str, ...] = ()
    shares_tail: tuple[str, ...] = ()


class Label(NamedTuple):
    """The parts of a label: the relation, and whether it is read from tail to head."""

    relation: str
    backward: bool = False


class Ontology(msgspec.Struct, frozen=True, kw_only=True):
    """A scheme of labels.

    ``none`` is the label for no relation; empty if the scheme has none. ``answers`` are the labels
    that a system can predict, and only these are expected of it; empty if unknown. ``digest`` is
    the hexadecimal sha256 of the ontology's file.
    """

    name: str
    none: str
    directed: bool
    relations: Mapping[str, RelationMeaning]
    digest: str = ""
    answers: frozenset[str] = frozenset()

    def read(self, label: str) -> Label | None:
        """Split a label; None for the label of no relation, and for unknown labels."""
        if label == self.none:
            return None
        match = _DIRECTED.fullmatch(label) if self.directed else None
        if self.directed and not match:
            return None
        read = Label(match[1], match[2] == "e2,e1") if match else Label(label)
        return read if read.relation in self.relations else None

    def write(self, label: Label) -> str:
        """Join the parts of a label."""
        if not self.directed:
            return label.relation
        return label.relation + (BACKWARD if label.backward else FORWARD)

    def missing(self, labels: Iterable[str]) -> list[str]:
        """Return the labels that the ontology does not cover, in their order."""
        return [
            label for label in labels if not self.is_no_relation(label) and self.read(label) is None
        ]

    def is_no_relation(self, label: str) -> bool:
        """Whether a label is the label for no relation."""
        return bool(self.none) and label == self.none

    def is_symmetric(self, label: str) -> bool:
        """Whether a label's relation holds both ways."""
        read = self.read(label)
        return read is not None and self.relations[read.relation].symmetric

    def inverse(self, label: str, head: str = "", tail: str = "") -> str | None:
        """Return the expected label after head and tail are swapped; None if there is none.

        ``head`` and ``tail`` are the types before the swap, empty if unknown. The result is None if
        the relation is symmetric, the scheme has no such label, or the system cannot predict it. It
        is also None if the label is for other types: TACRED has no label for parts of a country.
        """
        read = self.read(label)
        if read is None or self.relations[read.relation].symmetric:
            return None
        if self.directed:
            return self._possible(self.write(read._replace(backward=not read.backward)))
        meaning = self.relations[read.relation]
        inverse = self._possible(meaning.inverse or meaning.entails_back)
        if inverse and self.fits(label, head, tail) and not self.fits(inverse, tail, head):
            return None
        return inverse

    def fits(self, label: str, head: str, tail: str) -> bool:
        """Whether head and tail of a label may have these types; an empty type always fits."""
        return all(
            not kind or not allowed or kind in allowed
            for kind, allowed in ((head, self.types(label, HEAD)), (tail, self.types(label, TAIL)))
        )

    def same(self, label: str, other: str) -> bool:
        """Whether two labels mean the same, ignoring the direction of a symmetric relation."""
        if label == other:
            return True
        one, two = self.read(label), self.read(other)
        if one is None or two is None or one.relation != two.relation:
            return False
        return self.relations[one.relation].symmetric

    def types(self, label: str, argument: str) -> tuple[str, ...]:
        """Return the types that an argument of a label may have; empty for any."""
        read = self.read(label)
        if read is None:
            return ()
        meaning = self.relations[read.relation]
        return meaning.tail if (argument == TAIL) != read.backward else meaning.head

    def coarser(self, label: str, argument: str, kind: str) -> str | None:
        """Return the expected label if an argument is replaced by a larger place around it.

        ``kind`` is the type of the larger place, such as ``COUNTRY``. The result is None if the
        relation has no such coarser relation, if the argument is not its place, or if the label
        already allows this type.
        """
        read = self.read(label)
        if read is None or kind in self.types(label, argument):
            return None
        seen: set[str] = set()
        while read.relation not in seen:
            seen.add(read.relation)
            meaning = self.relations[read.relation]
            place = (
                meaning.place if not read.backward else (HEAD if meaning.place == TAIL else TAIL)
            )
            if meaning.coarser not in self.relations or place != argument:
                return None
            read = read._replace(relation=meaning.coarser)
            if kind in self.types(self.write(read), argument):
                return self._possible(self.write(read))
        return None

    def shares(self, symmetric: str, label: str, argument: str) -> bool:
        """Whether both arguments of a ``symmetric`` relation share the relation ``label``.

        ``label`` holds between one of them, as its ``argument``, and a third entity.
        """
        first, second = self.read(symmetric), self.read(label)
        if first is None or second is None or first.relation == second.relation:
            return False
        meaning = self.relations[first.relation]
        as_head = (argument == HEAD) != second.backward
        named = meaning.shares_head if as_head else meaning.shares_tail
        return meaning.symmetric and (ALL in named or second.relation in named)

    def _possible(self, label: str) -> str | None:
        return label if label and (not self.answers or label in self.answers) else None


class LabelParts(NamedTuple):
    """The parts of any label: ``B-`` and ``PER``, or ``per:title`` and ``(e1,e2)``."""

    prefix: str
    kind: str
    direction: str

    @property
    def form(self) -> tuple[str, str]:
        """Prefix and direction of the label, without its kind."""
        return self.prefix, self.direction

    @property
    def says_nothing(self) -> bool:
        """Whether it is the label for text outside entities, or for no relation."""
        return self.kind == OUTSIDE or is_no_relation(self.kind)

    def called(self, kind: str) -> str:
        """Return a label of another kind, with the same prefix and direction."""
        return f"{self.prefix}{kind}{self.direction}"


def parts_of(label: str) -> LabelParts:
    """Split a label."""
    match = PREFIXED.match(label)
    prefix = label[: match.start(2)] if match else ""
    rest = label[len(prefix) :]
    direction = next((end for end in (FORWARD, BACKWARD) if rest.endswith(end)), "")
    return LabelParts(prefix, rest.removesuffix(direction), direction)
