"""Two runs paired, by group or by source."""

from __future__ import annotations

import pytest

from judging.made import bound, rows
from mt_gate.judging.pairing import pair, pool
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows


def test_groups_are_paired_by_id_and_added_up_by_source() -> None:
    new = verdicts_from_rows(rows("vvsn", per_source=2))["r"]
    old = verdicts_from_rows(rows("svvs", per_source=2))["r"]
    paired = pair(new, [old])
    assert (paired.new, paired.fixed, paired.still) == ({"r:0"}, {"r:2"}, {"r:1"})
    assert (paired.differences, paired.weights) == ({"s0": 1.0, "s1": -1.0}, {"s0": 2.0, "s1": 1.0})
    assert paired.baseline_violations == 2.0
    assert (paired.doubtful, paired.excusable) == (0, False)


def test_bound_groups_are_paired_by_source_and_their_rates() -> None:
    new = verdicts_from_rows(bound(["vs", "s", ""], run="x"))["b"]
    old = verdicts_from_rows(bound(["s", "vs", "v"], run="y"))["b"]
    paired = pair(new, [old])
    assert paired.differences == {"s0": 0.5, "s1": -0.5}
    assert paired.weights == {"s0": 1.0, "s1": 1.0}


@pytest.mark.parametrize(("unstable", "excusable"), [(0, False), (1, True), (2, True), (3, False)])
def test_few_doubtful_pairs_are_excusable(unstable: int, excusable: bool) -> None:
    new = verdicts_from_rows(rows("V" * unstable + "s" * (100 - unstable)))["r"]
    old = verdicts_from_rows(rows("s" * 100))["r"]
    assert pair(new, [old]).excusable is excusable


def test_pooled_relations_share_their_sources() -> None:
    one, two = (
        pair(verdicts_from_rows(rows(new, name))[name], [verdicts_from_rows(rows(old, name))[name]])
        for new, old, name in (("vs", "ss", "a"), ("vs", "sv", "b"))
    )
    both = pool([one, two])
    assert both.differences == {"s0": 2.0, "s1": -1.0}
    assert both.weights == {"s0": 2.0, "s1": 2.0}
    assert both.new == {"a:0", "b:0"}


def test_pairing_needs_no_sources_for_two_baselines() -> None:
    new = RelationVerdicts(id="r", violated=frozenset({"r:0"}), satisfied=frozenset({"r:1"}))
    old = RelationVerdicts(id="r", violated=frozenset({"r:1"}), satisfied=frozenset({"r:0"}))
    moved = pair(new, [old])
    assert (moved.new, moved.fixed) == ({"r:0"}, {"r:1"})
