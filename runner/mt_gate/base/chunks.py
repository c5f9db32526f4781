"""What comes one by one, taken some at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield items in lists of ``size``, the last one shorter."""
    coming = iter(items)
    while some := list(islice(coming, size)):
        yield some
