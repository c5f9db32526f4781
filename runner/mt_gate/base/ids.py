"""Sets of ids, and what is known of each id, as arrays: a tenth of the memory of sets of texts.

A million ids are 16 MB, and what two such sets have in common is found by sorting them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

Texts = NDArray[np.bytes_]

FEW = 1 << 16
"""Ids that are as well held as texts: to look each of them up is faster."""
_AT_ONCE = 1 << 16
_NUL, _ESCAPED = b"\0", b"\xc0\x80"
"""An array fills texts up with NUL, so that an id's own is written as UTF-8 never has it."""


class Ids(Set[str]):
    """Ids that do not change, each once; passes over them yield them in their order as texts."""

    __slots__ = ("texts",)

    texts: Texts
    """Rising, each once."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        """Take ids; one that comes again counts once."""
        coming = iter(ids)
        parts = [as_texts(some) for some in iter(lambda: [*{*islice(coming, _AT_ONCE)}], [])]
        self.texts = np.unique(np.concatenate(parts) if parts else as_texts(()))

    @classmethod
    def of_texts(cls, texts: Texts) -> Ids:
        """Return the set of these texts, of ``as_texts``."""
        made = cls.__new__(cls)
        made.texts = np.unique(texts)
        return made

    @classmethod
    def _rising(cls, texts: Texts) -> Ids:
        made = cls.__new__(cls)
        made.texts = texts
        return made

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        """Yield them, rising."""
        return in_words(self.texts)

    def __contains__(self, item: object) -> bool:
        """Say whether an id is among them; of many ids ask ``has``."""
        if not isinstance(item, str):
            return False
        text = _encoded(item)
        if len(text) > self.texts.itemsize or not len(self.texts):
            return False
        at = int(self.texts.searchsorted(text))
        return at < len(self.texts) and bool(self.texts[at] == text)

    def has(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        """Return of each of the ids whether it is among them."""
        return found_in(self.texts, as_texts(ids))[1]

    def __and__(self, other: Set[Any]) -> Ids:
        """Return the ids of both."""
        return self._rising(self.texts[self._also_in(other)])

    __rand__ = __and__

    def __sub__(self, other: Set[Any]) -> Ids:
        """Return the ids that the other has not."""
        return self._rising(self.texts[~self._also_in(other)])

    def __or__(self, other: Set[Any]) -> Ids:
        """Return the ids of either."""
        if not other:
            return self
        return self.of_texts(np.concatenate([self.texts, as_ids(other).texts]))

    __ror__ = __or__

    def __eq__(self, other: object) -> bool:
        """Say whether two sets have the same ids."""
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) == len(other) and bool(self._also_in(other).all())

    __hash__ = None  # type: ignore[assignment]

    def _also_in(self, other: Set[Any]) -> NDArray[np.bool_]:
        """Return of each id whether the other set has it."""
        return found_in(as_ids(other).texts, self.texts)[1]


def as_ids(ids: Iterable[str]) -> Ids:
    """Return a set of ids as arrays; one that is already as it is."""
    return ids if isinstance(ids, Ids) else Ids(ids)


def held_ids(ids: Iterable[str]) -> Set[str]:
    """Return a set of ids, as arrays where they are more than ``FEW``."""
    coming = iter(ids)
    first = set[str]()
    for one in coming:
        first.add(one)
        if len(first) > FEW:
            return Ids(chain(first, coming))
    return frozenset(first)


def _encoded(one: str) -> bytes:
    text = one.encode("utf-8", "surrogatepass")
    return text.replace(_NUL, _ESCAPED) if _NUL in text else text


def as_texts(ids: Iterable[str]) -> Texts:
    """Return ids as an array of their UTF-8, shape (ids,)."""
    encoded = [*map(_encoded, ids)]
    return np.array(encoded, dtype=np.bytes_) if encoded else np.empty(0, "S1")


def in_words(texts: Texts) -> Iterator[str]:
    """Yield the ids of texts."""
    for start in range(0, len(texts), _AT_ONCE):
        for text in texts[start : start + _AT_ONCE].tolist():
            yield text.replace(_ESCAPED, _NUL).decode("utf-8", "surrogatepass")


def found_in(rising: Texts, texts: Texts) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where each of the texts stands, or would, in rising ones, and whether it does.

    Args:
        rising: each once.
        texts: in any order; to look up rising ones takes a third of the time.
    """
    if not len(rising):
        return np.zeros(len(texts), np.intp), np.zeros(len(texts), np.bool_)
    at = np.minimum(np.searchsorted(rising, texts), len(rising) - 1)
    return at, rising[at] == texts
