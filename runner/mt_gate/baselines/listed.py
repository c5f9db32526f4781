"""Long lists of a baseline as arrays: of ids, and of margins."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from mt_gate.base.chunks import chunks
from mt_gate.base.mapped_arrays import in_file, let_go, mapped
from mt_gate.base.sorted_ids import SortedIds, as_array, distinct, joined, texts_of
from mt_gate.results.result import Identifier

T = TypeVar("T")
_AT_ONCE = 1 << 12
_DIGITS_AT_ONCE = 16 << 14
"""Of ids that are read together."""
_AROUND = b' \t\r\n[],"'
_LONG_IDS = re.compile(
    rb'\[S*+"[0-9a-f]{16}"(?:S*+,S*+"[0-9a-f]{16}"){4095,}+S*+\]'.replace(b"S", rb"[ \t\r\n]")
)
"""A list of many ids that are numbers, as most lists are."""
Margin = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]


class _Listed(Iterable[T]):
    """A list, equal to one of its kind with the same members in the same order."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Whether another list is alike."""
        return isinstance(other, type(self)) and [*self] == [*other]

    def __hash__(self) -> int:
        """Return the hash of the members in their order."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Return what a failing test shows."""
        return f"{type(self).__name__}({[*self]})"


class ListedIds(_Listed[str]):
    """Ids in the order of a file, which may list one twice."""

    __slots__ = ("_held",)

    def __init__(self, ids: Iterable[str] = ()) -> None:
        """Take ids."""
        self._held = ids.held if isinstance(ids, SortedIds) else mapped(as_array(ids))

    @classmethod
    def of_hex(cls, listed: bytes) -> ListedIds:
        """Return ids from the JSON of a list of those that are 16 hexadecimal digits."""
        digits = listed.translate(None, _AROUND)
        starts = range(0, len(digits), _DIGITS_AT_ONCE)
        made = cls.__new__(cls)
        made._held = in_file(
            (
                np.frombuffer(bytes.fromhex(digits[at : at + _DIGITS_AT_ONCE].decode()), ">u8")
                for at in starts
            ),
            np.uint64,
        )
        return made

    def __len__(self) -> int:
        """Return how many are listed."""
        return len(self._held)

    def __iter__(self) -> Iterator[str]:
        """Yield them in their order."""
        for start in range(0, len(self._held), _AT_ONCE):
            yield from texts_of(self._held[start : start + _AT_ONCE])

    def distinct(self) -> SortedIds:
        """Return the ids as a set."""
        return distinct(self._held)


NO_IDS = ListedIds()
_NONE_TAKEN: dict[str, ListedIds] = {}


def listed_twice(lists: Iterable[ListedIds]) -> str | None:
    """Return an id that is listed more than once in one list or in several; None of none."""
    every = np.sort(joined([some._held for some in lists]))
    twice = np.flatnonzero(every[1:] == every[:-1])
    return texts_of(every[twice[:1]])[0] if len(twice) else None


class ListedMargins(_Listed[tuple[float, ...]]):
    """Margins of one unit after the other: ``flat``, of each so many as ``sizes`` says."""

    __slots__ = ("flat", "sizes")

    def __init__(self, each: Iterable[Sequence[float]] = ()) -> None:
        """Take the margins of each unit."""
        some = [*each]
        self.sizes: NDArray[np.int64] = np.array([len(of) for of in some], np.int64)
        self.flat = np.array([*chain.from_iterable(some)], np.float64)

    @classmethod
    def of_units(cls, sizes: NDArray[np.int64], flat: NDArray[np.float64]) -> ListedMargins:
        """Return the margins of units, of each so many as its size."""
        made = cls.__new__(cls)
        made.sizes, made.flat = sizes, flat
        return made

    def __len__(self) -> int:
        """Return of how many units they are."""
        return len(self.sizes)

    def __iter__(self) -> Iterator[tuple[float, ...]]:
        """Yield the margins of each unit."""
        start = 0
        for size in self.sizes.tolist():
            yield tuple(self.flat[start : start + size].tolist())
            start += size


NO_MARGINS = ListedMargins()


def decode(data: bytes | memoryview, form: type[T]) -> T:
    """Return a record of lists from its JSON.

    Long lists of ids that are numbers are taken out before: as texts they would take eight times
    the array.

    Raises:
        msgspec.DecodeError: it is no JSON, or not of the form.
        OverflowError, RecursionError, UnicodeError: as ``msgspec.json.decode``.
    """
    taken: dict[str, ListedIds] = {}
    nonce = secrets.token_hex(8)  # so that no text of the file stands for a list

    def take(found: re.Match[bytes]) -> bytes:
        name = f"{nonce}-{len(taken)}"
        taken[name] = ListedIds.of_hex(found[0])
        let_go()
        return b'"%b"' % name.encode()

    rest = _LONG_IDS.sub(take, data)
    if taken:
        try:
            hook = partial(_decoded, taken=taken)
            found = msgspec.json.Decoder(form, dec_hook=hook).decode(rest)
        except msgspec.DecodeError:  # of the whole text below, if it is so
            taken.clear()
        else:
            if not taken:
                return found
    # A list stood where none is expected, or where lists are no arrays.
    return msgspec.json.Decoder(form, dec_hook=_decoded).decode(data)


def _decoded(
    kind: type[Any], value: object, taken: dict[str, ListedIds] = _NONE_TAKEN
) -> ListedIds | ListedMargins:
    """Return a list of a baseline's JSON, as msgspec asks for it; ValueError if it is none."""
    try:
        if kind is ListedIds:
            if isinstance(value, str) and value in taken:
                return taken.pop(value)
            return ListedIds(msgspec.convert(value, tuple[Identifier, ...]))
        if kind is ListedMargins:
            return _margins_of(value)
    except msgspec.ValidationError as error:
        raise ValueError(f"{error}") from None  # msgspec adds where the list stands
    raise NotImplementedError(kind)


_Margins = tuple[tuple[Margin, ...], ...]


def _margins_of(value: object) -> ListedMargins:
    """Return margins, checked some at a time: as objects they take ten times their array."""
    some_at_a_time = chunks(value if isinstance(value, list) else [value], _AT_ONCE)
    try:
        parts = [ListedMargins(msgspec.convert(some, _Margins)) for some in some_at_a_time]
    except msgspec.ValidationError:
        msgspec.convert(value, _Margins)  # which says where in the whole list the fault is
        raise
    return ListedMargins.of_units(
        np.concatenate([NO_MARGINS.sizes, *(part.sizes for part in parts)]),
        np.concatenate([NO_MARGINS.flat, *(part.flat for part in parts)]),
    )


_PLACES = re.compile(r" - at `\$(\[[^`]*)` - at `([^`]*)`")


def in_one_place(message: str) -> str:
    """Return what msgspec says of a fault within a list, its place in the list after the list's."""
    return _PLACES.sub(r" - at `\2\1`", message)
