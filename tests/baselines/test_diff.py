"""Two baselines side by side."""

from __future__ import annotations

import pytest

from baselines.made import bound, built, static
from mt_gate.baselines.recording import diff_baselines


def test_two_baselines_side_by_side() -> None:
    a = built(static("vssn") + bound(["vs", "s"]) + static("vs", "old"))
    b = built(static("svss") + bound(["ss", "v"]) + static("sv", "new"))
    diff = diff_baselines(a, b)
    assert diff.same_suite
    swap, bind, old, new = diff.relations
    assert (swap.newly_violated, swap.fixed) == (("swap-000000000001",), ("swap-000000000000",))
    assert swap.rates == (pytest.approx(1 / 3), 0.25)
    assert (swap.only_a, swap.only_b) == (0, 1)
    assert (bind.newly_violated, bind.fixed) == (("bind-1-0",), ("bind-0-0",))
    assert (old.b, old.newly_violated, old.only_a, old.rates) == (None, (), 2, (0.5, None))
    assert (new.a, new.fixed, new.only_b, new.rates) == (None, (), 2, (None, 0.5))


def test_a_baseline_does_not_differ_from_itself() -> None:
    for relation in diff_baselines(built(), built()).relations:
        assert (relation.newly_violated, relation.fixed) == ((), ())
        assert (relation.only_a, relation.only_b) == (0, 0)


def test_of_several_runs_the_first_is_taken() -> None:
    diff = diff_baselines(built(static("vs"), static("ss")), built(static("ss"), static("vs")))
    assert [relation.fixed for relation in diff.relations] == [("swap-000000000000",)]
