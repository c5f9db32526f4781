"""What the second thread does comes in order, ends with who asks for it, and survives a fork."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from itertools import count

import pytest

from mt_gate.base.beside import beside


def test_results_come_in_order_from_another_thread() -> None:
    threads: set[int] = set()

    def double(number: int) -> int:
        threads.add(threading.get_ident())
        return 2 * number

    for size in range(8):
        assert [*beside(double, range(size))] == [2 * number for number in range(size)]
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_an_error_comes_where_its_result_would() -> None:
    found = beside(lambda number: 1 // (3 - number), range(9))
    assert [next(found) for _ in range(3)] == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(found)
    assert [*found] == []


def test_who_ends_early_waits_for_what_has_begun() -> None:
    running, go_on = threading.Event(), threading.Event()
    done = []

    def work(number: int) -> int:
        if number == 1:
            running.set()
            go_on.wait(10)
        done.append(number)
        return number

    found = beside(work, count())
    assert next(found) == 0
    assert running.wait(10)
    threading.Timer(0.05, go_on.set).start()
    found.close()
    assert done == [0, 1]


def test_several_take_turns() -> None:
    def each(number: int) -> Iterator[int]:
        return beside(lambda item: number * item, range(20))

    assert [*zip(each(1), each(10), strict=True)] == [(i, 10 * i) for i in range(20)]
    inner = beside(lambda item: item + 1, each(1))
    assert [*inner] == [*range(1, 21)]


def test_a_fork_has_a_thread_of_its_own() -> None:
    assert [*beside(abs, [-1])] == [1]
    child = os.fork()
    if child == 0:
        os._exit(0 if [*beside(abs, [-1, -2])] == [1, 2] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
