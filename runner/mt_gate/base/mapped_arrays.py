"""Long arrays in files of the temporary folder: memory holds what of them is being read.

Pages that were read stay in memory until they are let go; what is read again after that comes from
the file, or from the system's cache of it. Files have no names, and each ends with its array. Where
the temporary folder is in memory itself, so are they.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LONG = 1 << 18
"""Bytes of an array that is worth a file, which takes a descriptor, too."""
_AT_ONCE = 1 << 16
"""Elements that are copied together."""
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


def all_mapped(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of one dimension, one or more, as one: in a file where it is long.

    Raises:
        OSError: there is no room in the temporary folder.
    """
    if len(parts) == 1:
        return mapped(parts[0])
    dtype = np.result_type(*parts)
    return np.concatenate(parts) if dtype.hasobject else in_file(parts, dtype)


def elements_at(array: NDArray[Any], positions: NDArray[Any]) -> NDArray[Any]:
    """Return the elements at positions, in any order, in a file where they are many.

    Args:
        array: of one dimension.
        positions: of one dimension, from 0 on.

    Raises:
        OSError: there is no room in the temporary folder.
    """
    starts = range(0, len(positions), _AT_ONCE)
    return in_file((array[positions[at : at + _AT_ONCE]] for at in starts), array.dtype)


def in_file(parts: Iterable[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    """Return arrays of one dimension as one, in a file where it is long; parts are not held.

    Args:
        parts: of numbers or bytes.
        dtype: of the one; it holds what the parts have, which is not checked.

    Raises:
        OSError: there is no room in the temporary folder.
    """
    coming = (np.ascontiguousarray(part, dtype) for part in parts)
    first: list[NDArray[Any]] = []
    size = 0
    for part in coming:
        first.append(part)
        size += part.nbytes
        if size >= _LONG:
            return _written(chain(first, coming), dtype)
    return np.concatenate(first) if first else np.empty(0, dtype)


def _written(parts: Iterable[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    size = 0
    with _telling_the_folder():
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed below, whatever parts raise
    try:
        for part in parts:
            data = part.view(np.uint8).data
            size += len(data)
            with _telling_the_folder():
                file.write(data)
        with _telling_the_folder():
            file.flush()
            area = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    finally:
        with suppress(OSError):  # of what is not written yet, which is told already
            file.close()
    _areas.add(area)
    return np.frombuffer(area, dtype)


@contextmanager
def _telling_the_folder() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = tempfile.gettempdir()  # the file has no name
        raise


def copied(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy in memory of an array of one dimension that is mapped."""
    found = np.empty(len(array), array.dtype)
    for start in range(0, len(array), _AT_ONCE):
        found[start : start + _AT_ONCE] = array[start : start + _AT_ONCE]
        let_go()
    return found


def is_mapped(array: NDArray[Any]) -> bool:
    """Whether an array is in a file, as it is there."""
    return isinstance(array.base, memoryview) and isinstance(array.base.obj, mmap.mmap)


def one_after_the_other(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and let go of what was read for each, and before."""
    let_go()
    for item in items:
        yield item
        let_go()


def let_go() -> None:
    """Take what was read of mapped arrays out of memory, where the system does that."""
    if hasattr(mmap, "MADV_DONTNEED"):
        for area in [*_areas]:
            with suppress(OSError):  # it is locked in memory
                area.madvise(mmap.MADV_DONTNEED)
