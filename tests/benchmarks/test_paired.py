"""The paired test on labels, and how often it finds a loss with fewer of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from fault_bench.paired import losses, p_value, power, score, standard_error

Pairs = list[tuple[bool, bool]]


def accuracy(right: list[bool]) -> list[tuple[int, int]]:
    return [(int(was), 1) for was in right]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
def test_of_accuracy_it_is_mcnemars(pairs: Pairs) -> None:
    before, after = (accuracy(list(side)) for side in zip(*pairs, strict=True))
    parts = losses(before, after)
    lost = sum(was and not now for was, now in pairs)
    won = sum(now and not was for was, now in pairs)
    assert parts.sum() == pytest.approx((lost - won) / len(pairs))
    assert score(before) - score(after) == pytest.approx((lost - won) / len(pairs))
    if lost + won:
        wanted = binomtest(lost, lost + won, alternative="greater").pvalue
        assert p_value(parts) == pytest.approx(wanted, rel=1e-9)
    else:
        assert p_value(parts) == 1


def test_of_f1_the_parts_add_up_to_about_the_loss() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 4, 2000)
    before = np.stack([2 * rng.binomial(gold, 0.8), 2 * gold], axis=1)
    after = before.copy()
    worse = rng.random(2000) < 0.05
    after[worse, 0] = 0
    wanted = score(before) - score(after)
    assert losses(before, after).sum() == pytest.approx(wanted, rel=0.01)
    assert not losses(before, before).any()
    assert losses(after, before).sum() == pytest.approx(-wanted, rel=0.01)


def test_nothing_to_count_is_no_loss() -> None:
    nothing = [(0, 0)] * 5
    assert score(nothing) == 0
    assert not losses(nothing, nothing).any()
    assert p_value(losses(nothing, nothing)) == 1


def test_the_standard_error_is_that_of_a_share() -> None:
    right = [True] * 900 + [False] * 100
    parts = losses(accuracy([True] * 1000), accuracy(right))
    assert standard_error(parts) == pytest.approx((0.1 * 0.9 / 1000) ** 0.5)


def test_more_labels_find_more() -> None:
    right = [True] * 950 + [False] * 50
    parts = losses(accuracy([True] * 1000), accuracy(right))
    actual = [power(parts, size, 0.05) for size in (20, 50, 100, 300, 1000)]
    assert actual == sorted(actual)
    assert actual[0] < 0.05
    assert actual[-1] == 1


def test_the_power_is_that_of_mcnemars_test_on_the_labels_drawn() -> None:
    right = [True] * 900 + [False] * 100
    parts = losses(accuracy([True] * 1000), accuracy(right))
    # Five that became wrong and none that became right are needed: 1/32.
    drawn = np.random.default_rng(1).hypergeometric(100, 900, 60, 20_000)
    assert power(parts, 60, 0.05) == pytest.approx((drawn >= 5).mean(), abs=0.07)


def test_where_nothing_is_worse_it_seldom_finds_a_loss() -> None:
    before = [True] * 500 + [False] * 60 + [True] * 60
    after = [True] * 500 + [True] * 60 + [False] * 60
    parts = losses(accuracy(before), accuracy(after))
    for size in (100, 300):
        assert power(parts, size, 0.05) < 0.08
    assert power(parts, 620, 0.05) == 0
