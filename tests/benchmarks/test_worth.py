"""With how many labels a paired test finds as many faults as a gate did."""

from __future__ import annotations

import numpy as np
import pytest

from fault_bench.worth import FEWEST, crossing, fewest, worth


def loss(worse: int, samples: int = 2000) -> np.ndarray:
    return np.array([1.0] * worse + [0.0] * (samples - worse)) / samples


def test_what_catches_more_is_worth_more() -> None:
    harmful = [loss(20), loss(40), loss(80), loss(160)]
    found = [worth(caught, harmful, 0.05) for caught in (0, 1, 2, 3)]
    assert found[0] == 0
    assert found == sorted(found)
    assert 50 < found[1] < 300


def test_what_all_labels_do_not_find_is_worth_more_than_all() -> None:
    assert worth(2, [loss(3), loss(160)], 0.05) is None
    assert worth(1, [loss(3, 20)], 0.05) is None


def test_few_labels_may_do() -> None:
    assert worth(1, [loss(15, 20)], 0.05) == fewest(20) == 20
    assert worth(1, [loss(1900)], 0.05) == fewest(2000) == FEWEST


def test_the_crossing_lies_between_two_sizes() -> None:
    sizes = [100, 200, 400]
    assert crossing(sizes, {100: 1.0, 200: 2.0, 400: 4.0}.__getitem__, 3.0) == pytest.approx(
        (200 * 400) ** 0.5
    )
    assert crossing(sizes, lambda _: 5.0, 3.0) == 100
    assert crossing(sizes, lambda _: 0.5, 3.0) is None
