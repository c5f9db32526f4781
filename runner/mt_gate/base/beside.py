"""Work that needs no interpreter, such as packing, on a second thread while the first goes on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")

_MOST_WAITING = 2


class _Second:
    """The second thread, started when it is first needed; one does all, in turn."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        # Threads do not come along into a fork, where theirs would be waited for without end.
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._pool = None

    def submit(self, function: Callable[[S], T], item: S) -> Future[T]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="beside")
        return self._pool.submit(function, item)


_SECOND = _Second()


def beside(function: Callable[[S], T], items: Iterable[S]) -> Generator[T, None, None]:
    """Yield what a function makes of items, in their order, some calls ahead of what is taken.

    An error of the function is raised where its result would come. Where no more is taken, no call
    goes on.

    Args:
        function: called on the second thread, one call after the other.
        items: taken on the first.
    """
    waiting: deque[Future[T]] = deque()
    try:
        for item in items:
            waiting.append(_SECOND.submit(function, item))
            if len(waiting) > _MOST_WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        begun = [left for left in waiting if not left.cancel()]
        for left in begun:
            left.exception()  # waited for; whatever it comes to is not asked for any more
