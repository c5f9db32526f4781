"""Long arrays in files of the temporary folder: memory holds what of them is being read.

Pages that were read stay in memory until they are let go, which no one needs to do: what is read
again then comes from the file, or from the system's cache of it. Files have no names, and each ends
with its array.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LONG = 1 << 18
"""Bytes of an array that is worth a file."""
_AT_ONCE = 1 << 16
T = TypeVar("T")
_Array = TypeVar("_Array", bound=NDArray[Any])
_areas: WeakSet[mmap.mmap] = WeakSet()


def mapped(array: _Array) -> _Array:
    """Return an array whose elements do not change, in a file where it is long.

    Args:
        array: of one dimension; where it is short, of objects, or mapped, it is returned as it is.

    Raises:
        OSError: there is no room in the temporary folder.
    """
    if array.nbytes < _LONG or array.dtype.hasobject or is_mapped(array):
        return array
    return in_file([array], array.dtype)  # type: ignore[return-value]


def taken(array: NDArray[Any], positions: NDArray[Any]) -> NDArray[Any]:
    """Return the elements at positions, in a file.

    Raises:
        OSError: there is no room in the temporary folder.
    """
    starts = range(0, len(positions), _AT_ONCE)
    return in_file((array[positions[at : at + _AT_ONCE]] for at in starts), array.dtype)


def copied(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy in memory, of an array of one dimension that may be mapped."""
    found = np.empty(len(array), array.dtype)
    for start in range(0, len(array), _AT_ONCE):
        found[start : start + _AT_ONCE] = array[start : start + _AT_ONCE]
        let_go()
    return found


def is_mapped(array: NDArray[Any]) -> bool:
    """Whether an array is in a file, as it is there."""
    return isinstance(array.base, memoryview) and isinstance(array.base.obj, mmap.mmap)


def all_mapped(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of one dimension, one or more, as one: in a file where it is long.

    Raises:
        OSError: there is no room in the temporary folder.
    """
    dtype = np.result_type(*parts)
    if len(parts) == 1 or dtype.hasobject or sum(part.nbytes for part in parts) < _LONG:
        return np.concatenate(parts)
    return in_file(parts, dtype)


def in_file(parts: Iterable[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    """Return arrays of one dimension as one, in a file: one part after the other is held.

    Raises:
        OSError: there is no room in the temporary folder.
    """
    size = 0
    with tempfile.TemporaryFile() as file:
        try:
            for part in parts:
                written = np.ascontiguousarray(part, dtype).view(np.uint8)
                file.write(written.data)
                size += len(written)
            file.flush()
        except OSError as error:
            error.filename = tempfile.gettempdir()  # the file has no name
            raise
        if not size:
            return np.empty(0, dtype)
        area = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    _areas.add(area)
    return np.frombuffer(area, dtype)


def one_after_the_other(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and let go of what was read for each, and before."""
    let_go()
    for item in items:
        yield item
        let_go()


def let_go() -> None:
    """Take what was read of mapped arrays out of memory."""
    if hasattr(mmap, "MADV_DONTNEED"):
        for area in [*_areas]:
            area.madvise(mmap.MADV_DONTNEED)
