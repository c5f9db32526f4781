"""Sets of many ids as one array: 8 bytes for an id of 16 hexadecimal digits, such as a group's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import islice
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.mapped_arrays import all_mapped, copied, is_mapped, mapped

Positions = NDArray[np.signedinteger[Any]]
Mask = NDArray[np.bool_]

_AT_ONCE = 1 << 14
_PARTS = 16
"""Of so many ids each that are joined, and put into a file."""
_PLACE = np.int32
"""Of positions: no suite has more groups than it tells apart."""
_DIGITS = 16
_HEX = re.compile(r"[0-9a-f]*")
_LONGEST = 64
"""Bytes of an id that has a fixed place in an array; of longer ones, arrays hold the texts."""


class SortedIds(Set[str]):
    """Ids that do not change, each once, rising as their texts do.

    It is a set like ``frozenset``, and equal to one of the same ids. An id also has a position,
    by which arrays beside it say more of each.
    """

    __slots__ = ("_held",)
    _held: NDArray[Any]

    def __init__(self, ids: Iterable[str] = ()) -> None:
        """Take ids in any order; one that comes again counts once."""
        self._held = ids._held if isinstance(ids, SortedIds) else _rising(ids)

    @classmethod
    def of_array(cls, held: NDArray[Any]) -> SortedIds:
        """Return the ids of an array, of ``as_array``, that rises and has each once."""
        made = cls.__new__(cls)
        made._held = held
        return made

    @property
    def held(self) -> NDArray[Any]:
        """The ids as an array of ``as_array``."""
        return self._held

    def mapped(self) -> SortedIds:
        """Return the same ids, in a file where they are many."""
        return SortedIds.of_array(mapped(self._held))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._held)

    def __iter__(self) -> Iterator[str]:
        """Yield them, rising."""
        for start in range(0, len(self._held), _AT_ONCE):
            yield from texts_of(self._held[start : start + _AT_ONCE])

    def __contains__(self, item: object) -> bool:
        """Say whether an id is among them."""
        return isinstance(item, str) and self.position(item) is not None

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: Positions | Mask) -> SortedIds: ...
    def __getitem__(self, at: int | Positions | Mask) -> str | SortedIds:
        """Return the id at a position, or those at rising positions, or where a mask has them."""
        if isinstance(at, np.ndarray):
            # Each of them once: no copy of what does not change.
            is_all = at.all() if at.dtype == np.bool_ else len(at) == len(self)
            return self if is_all else SortedIds.of_array(self._held[at])
        place = range(len(self))[at]
        return texts_of(self._held[place : place + 1])[0]

    def __eq__(self, other: object) -> bool:
        """Whether another set has the same ids."""
        if isinstance(other, SortedIds):
            alike = len(self) == len(other)
            return alike and bool(np.array_equal(*_comparable(self._held, other._held)))
        return super().__eq__(other)

    def __hash__(self) -> int:
        """Return the hash of a frozenset of the same ids."""
        return hash(frozenset(self))

    def __and__(self, other: Set[Any]) -> SortedIds:
        """Return the ids that another set has, too."""
        return self[self.within(_sorted(other))]

    __rand__ = __and__

    def __sub__(self, other: Set[Any]) -> SortedIds:
        """Return the ids that another set does not have."""
        return self[~self.within(_sorted(other))]

    def __rsub__(self, other: Set[Any]) -> SortedIds:
        """Return the ids of another set that this one does not have."""
        return _sorted(other) - self

    def __or__(self, other: Set[Any]) -> SortedIds:
        """Return the ids of both."""
        return union((self, _sorted(other)))

    __ror__ = __or__

    def __repr__(self) -> str:
        """Return what a failing test shows."""
        shown = ", ".join(map(repr, islice(self, 10)))
        return f"SortedIds([{shown}{', ...' if len(self) > 10 else ''}])"

    def position(self, one: str) -> int | None:
        """Return where an id is; None if it is not among them."""
        key = _key(self._held, one)
        if key is None:
            return None
        at = int(self._held.searchsorted(key))
        return at if at < len(self._held) and self._held[at] == key else None

    def found(self, ids: Iterable[str]) -> Positions:
        """Return where each of some ids is, in whatever order they come; -1 if it is not."""
        return self.places(as_array(ids))

    def places(self, ids: NDArray[Any]) -> Positions:
        """Return where each id of an array of ``as_array`` is; -1 if it is not."""
        return _found(self._held, ids)

    def positions(self, ids: SortedIds) -> Positions:
        """Return where each id of another set is; -1 if it is not among these."""
        if ids._held is self._held:
            return np.arange(len(self), dtype=_PLACE)
        return _found(self._held, ids._held)

    def within(self, other: SortedIds) -> Mask:
        """Return for each id whether it is in another set."""
        return np.asarray(other.positions(self) >= 0)


def union(sets: Iterable[Set[str]]) -> SortedIds:
    """Return the ids of all sets; none of no set."""
    filled = [one for one in map(_sorted, sets) if len(one)]
    # Sources of several relations are mostly the same, and those of a run many.
    others = [one for one in filled[1:] if one != filled[0]]
    if not others:
        return filled[0] if filled else SortedIds()
    return distinct(joined([one._held for one in (filled[0], *others)]))


def intersection(sets: Iterable[Set[str]]) -> SortedIds:
    """Return the ids that each of one set or more has."""
    first, *others = map(_sorted, sets)
    for other in others:
        first &= other
    return first


def distinct(ids: NDArray[Any]) -> SortedIds:
    """Return the distinct ids of an array of ``as_array``."""
    return SortedIds.of_array(_distinct(ids))


def with_codes(ids: NDArray[Any]) -> tuple[SortedIds, Positions]:
    """Return the distinct ids of an array of ``as_array``, and where each of it is among them."""
    held, at = np.unique(ids, return_inverse=True)
    return SortedIds.of_array(held), at


def as_array(ids: Iterable[str]) -> NDArray[Any]:
    """Return ids as an array, in their order.

    Its elements are numbers where each id is 16 hexadecimal digits, else bytes in UTF-8, or the
    texts where these are long.
    """
    coming = iter(ids)
    held, parts = [], []
    while some := list(islice(coming, _AT_ONCE)):
        parts.append(_part(some))
        if len(parts) == _PARTS:
            held.append(mapped(joined(parts)))
            parts.clear()
    return joined([*held, *parts])


def joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of ``as_array`` as one, in a file where it is long."""
    filled = [part for part in parts if len(part)]
    if len({part.dtype.kind for part in filled}) > 1:
        filled = [_as_texts(part) for part in filled]
    if not filled:
        return np.empty(0, np.uint64)
    return all_mapped(filled)


def texts_of(held: NDArray[Any]) -> list[str]:
    """Return the ids of an array."""
    if held.dtype.kind == "u":
        digits = held.astype(">u8").tobytes().hex()
        return [digits[at : at + _DIGITS] for at in range(0, len(digits), _DIGITS)]
    if held.dtype.kind == "S":
        return [one.decode("utf-8", "surrogatepass") for one in held.tolist()]
    found: list[str] = held.tolist()
    return found


def _part(ids: list[str]) -> NDArray[Any]:
    whole = "".join(ids)
    if set(map(len, ids)) == {_DIGITS} and _HEX.fullmatch(whole):
        return np.frombuffer(bytes.fromhex(whole), ">u8").astype(np.uint64)
    encoded = [one.encode("utf-8", "surrogatepass") for one in ids]
    # An array takes away NULs at the end.
    if "\0" not in whole and max(map(len, encoded)) <= _LONGEST:
        return np.array(encoded, dtype=np.bytes_)
    return np.array(ids, dtype=object)


def _key(held: NDArray[Any], one: str) -> Any:
    """Return what an id is in an array; None if it cannot be there."""
    if held.dtype.kind == "u":
        return np.uint64(int(one, 16)) if len(one) == _DIGITS and _HEX.fullmatch(one) else None
    if held.dtype.kind == "S":
        # A longer one would have all others copied, to be as long.
        encoded = one.encode("utf-8", "surrogatepass")
        return encoded if len(encoded) <= held.itemsize and "\0" not in one else None
    return one


def _as_texts(held: NDArray[Any]) -> NDArray[Any]:
    return held if held.dtype.kind == "O" else np.array(texts_of(held), dtype=object)


def _as_bytes(held: NDArray[Any]) -> NDArray[Any]:
    if held.dtype.kind == "S":
        return held
    return np.frombuffer(held.astype(">u8").tobytes().hex().encode(), f"S{_DIGITS}")


def _rising(ids: Iterable[str]) -> NDArray[Any]:
    """Return the distinct ids, rising; of many, what came so far is in a file."""
    coming = iter(ids)
    parts: list[NDArray[Any]] = []
    while some := list(islice(coming, _AT_ONCE)):
        parts.append(_distinct(_part([*set(some)])))
        if len(parts) == _PARTS:
            parts = [mapped(_distinct(joined(parts)))]
    return _distinct(joined(parts))


def _distinct(held: NDArray[Any]) -> NDArray[Any]:
    is_new = np.ones(len(held), np.bool_)
    if not _rises(held):
        held = copied(held) if is_mapped(held) else held.copy()
        held.sort()
        is_new[1:] = held[1:] != held[:-1]
    return held if is_new.all() else held[is_new]


def _rises(held: NDArray[Any]) -> bool:
    return bool((held[1:] > held[:-1]).all())


def _sorted(ids: Set[str]) -> SortedIds:
    return ids if isinstance(ids, SortedIds) else SortedIds(ids)


def _comparable(one: NDArray[Any], other: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two arrays as they are, or as bytes or texts, of elements that may be compared."""
    kinds = {one.dtype.kind, other.dtype.kind}
    if len(kinds) == 1:
        return one, other
    as_one = _as_bytes if kinds == {"u", "S"} else _as_texts
    return as_one(one), as_one(other)


def _found(rising: NDArray[Any], wanted: NDArray[Any]) -> Positions:
    """Return where each wanted element is in an array that rises; -1 if it is not."""
    found = np.full(len(wanted), -1, _PLACE)
    if not len(rising) or not len(wanted):
        return found  # before one of them is made comparable, which takes longer
    rising, wanted = _comparable(rising, wanted)
    kind = np.result_type(rising, wanted)
    rising = rising.astype(kind, copy=False)
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE].astype(kind, copy=False)
        at = np.minimum(rising.searchsorted(some), len(rising) - 1)
        found[start : start + _AT_ONCE] = np.where(rising[at] == some, at, -1)
    return found
