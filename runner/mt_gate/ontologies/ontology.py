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
"""Means all relations in the list that a symmetric relation shares."""

_DIRECTED = re.compile(r"(.+)\((e1,e2|e2,e1)\)")


class RelationMeaning(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Properties of one relation, read from head to tail.

    ``inverse`` is the relation from tail to head, where each follows from the other;
    ``entails_back`` the one that follows while the way back does not hold (a mother's child, of
    which she need not be the mother). Both are empty if the scheme has no label for it.
    ``coarser`` is the same relation to a larger place, one step up; ``place`` says which argument
    that place is. ``head`` and ``tail`` are the types that may stand there; empty for any. Of a
    symmetric relation, ``shares_head`` names relations that hold of both its arguments as their
    heads (``per:spouse``: ``per:children``), ``shares_tail`` as their tails; ``*`` replaces all.
    ``title`` says in words what a code such as ``P26`` is.
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

    ``none`` is the label for no relation; empty if there is none. ``answers``
    are the labels that a system can give, so that none is expected of it that it
    does not have; empty if it does not tell them, and any is possible.
    ``digest`` is the sha256 of the file that says all this, hex.
    """

    name: str
    none: str
    directed: bool
    relations: Mapping[str, RelationMeaning]
    digest: str = ""
    answers: frozenset[str] = frozenset()

    def read(self, label: str) -> Label | None:
        """Split a label; None for the label of no relation, and for unknown ones."""
        if label == self.none:
            return None
        match = _DIRECTED.fullmatch(label) if self.directed else None
        if self.directed and not match:
            return None
        read = Label(match[1], match[2] == "e2,e1") if match else Label(label)
        return read if read.relation in self.relations else None

    def write(self, label: Label) -> str:
        """Put a label together."""
        if not self.directed:
            return label.relation
        return label.relation + (BACKWARD if label.backward else FORWARD)

    def missing(self, labels: Iterable[str]) -> list[str]:
        """Return the labels that the ontology does not cover, in their order."""
        return [
            label for label in labels if not self.is_no_relation(label) and self.read(label) is None
        ]

    def is_no_relation(self, label: str) -> bool:
        """Whether a label says that there is no relation."""
        return bool(self.none) and label == self.none

    def is_symmetric(self, label: str) -> bool:
        """Whether a label's relation holds both ways."""
        read = self.read(label)
        return read is not None and self.relations[read.relation].symmetric

    def inverse(self, label: str, head: str = "", tail: str = "") -> str | None:
        """Return the label that must come for head and tail swapped.

        A symmetric relation is its own inverse, and has none here. ``head`` and ``tail`` are the
        types before the exchange, empty if unknown. None if the scheme has no such
        label, the system cannot answer it, or it is for other types: a country has parts, but
        TACRED labels none of them.
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
        """Whether head and tail may be of these types; an empty one fits everywhere."""
        return all(
            not kind or not allowed or kind in allowed
            for kind, allowed in ((head, self.types(label, HEAD)), (tail, self.types(label, TAIL)))
        )

    def same(self, label: str, other: str) -> bool:
        """Whether two labels say the same; the direction of a symmetric relation says nothing."""
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
        """Return the label where an argument is replaced by a larger place around it.

        ``kind`` is the larger place's type, such as ``COUNTRY``. None if the relation has no
        such coarser one, the argument is not its place, or is of that type as it is.
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
        """Whether what holds of one argument of a ``symmetric`` relation holds of the other too.

        ``label`` is what holds of one of them, standing as ``argument``, and a third.
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
        """Whether it is the label outside of entities, or of no relation."""
        return self.kind == OUTSIDE or is_no_relation(self.kind)

    def called(self, kind: str) -> str:
        """Return the label of another kind in the same form."""
        return f"{self.prefix}{kind}{self.direction}"


def parts_of(label: str) -> LabelParts:
    """Split a label."""
    match = PREFIXED.match(label)
    prefix = label[: match.start(2)] if match else ""
    rest = label[len(prefix) :]
    direction = next((end for end in (FORWARD, BACKWARD) if rest.endswith(end)), "")
    return LabelParts(prefix, rest.removesuffix(direction), direction)
