"""Looks share alpha, and clusters come at one look each."""

from __future__ import annotations

import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.judging.family import LOOKS, look_of, of_collapse, share_predicted, spent


@given(st.text())
def test_a_cluster_comes_at_one_look(cluster: str) -> None:
    assert 1 <= look_of(cluster) <= LOOKS
    assert look_of(cluster) == look_of(cluster)


def test_looks_are_about_equally_large() -> None:
    counts = Counter(look_of(f"cluster {i}") for i in range(10_000))
    assert sorted(counts) == [*range(1, LOOKS + 1)]
    assert max(counts.values()) < 1.2 * min(counts.values())


@given(st.floats(1e-6, 0.5))
def test_alpha_is_spent_step_by_step_and_no_more(alpha: float) -> None:
    steps = [spent(alpha, look) for look in range(1, LOOKS + 1)]
    assert steps == sorted(set(steps))
    assert steps[0] > 0
    assert steps[-1] == alpha
    assert share_predicted(LOOKS) == 1


def test_the_looks_share_alpha_for_what_is_answered() -> None:
    assert math.isclose(math.fsum(of_collapse(look) for look in range(1, LOOKS + 1)), 1)
