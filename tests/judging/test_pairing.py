"""Two runs paired, by group or by source."""

from __future__ import annotations

import pytest

from judging.made import bound, rows
from mt_gate.judging.pairing import pair, pool, side_by_side
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows


def test_groups_are_paired_by_id_and_added_up_by_source() -> None:
    new = verdicts_from_rows(rows("vvsn", per_source=2))["r"]
    old = verdicts_from_rows(rows("svvs", per_source=2))["r"]
    paired = pair(new, [old])
    assert (paired.new, paired.fixed, paired.still) == ({"r:0"}, {"r:2"}, {"r:1"})
    assert paired.sources == ("s0", "s1")
    assert paired.violations.tolist() == [[2.0, 1.0], [0.0, 1.0]]
    assert (paired.differences.tolist(), paired.weights.tolist()) == ([1.0, -1.0], [2.0, 1.0])
    assert (paired.doubtful, paired.excusable) == (0, False)


def test_bound_groups_are_paired_by_source_and_their_rates() -> None:
    new = verdicts_from_rows(bound(["vs", "s", ""], run="x"))["b"]
    old = verdicts_from_rows(bound(["s", "vs", "v"], run="y"))["b"]
    paired = pair(new, [old])
    assert paired.differences.tolist() == [0.5, -0.5]
    assert paired.weights.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("unstable", "excusable"), [(0, False), (1, True), (2, True), (3, False)])
def test_few_doubtful_pairs_are_excusable(unstable: int, excusable: bool) -> None:
    new = verdicts_from_rows(rows("V" * unstable + "s" * (100 - unstable)))["r"]
    old = verdicts_from_rows(rows("s" * 100))["r"]
    assert pair(new, [old]).excusable is excusable


def test_runs_of_a_baseline_are_averaged() -> None:
    new, *old = (verdicts_from_rows(rows(p))["r"] for p in ("vvss", "vsss", "vssv", "nsss"))
    paired = pair(new, old)
    assert paired.sources == ("s1", "s2", "s3")  # applicable in all
    assert paired.differences.tolist() == pytest.approx([1.0, 0.0, -1 / 3])
    assert (paired.new, paired.fixed, paired.still) == ({"r:1"}, set(), set())
    most = pair(new, old[:2])
    assert (most.new, most.still) == ({"r:1"}, {"r:0"})


def test_bound_rates_are_averaged_over_runs() -> None:
    new, *old = (verdicts_from_rows(bound([p, "s"]))["b"] for p in ("vv", "vs", "ss"))
    assert pair(new, old).differences.tolist() == pytest.approx([0.75, 0.0])


def test_relations_side_by_side_keep_their_sources() -> None:
    one = pair(verdicts_from_rows(rows("vs"))["r"], [verdicts_from_rows(rows("ss"))["r"]])
    two = pair(verdicts_from_rows(rows("svv"))["r"], [verdicts_from_rows(rows("svs"))["r"]])
    cube = side_by_side([one, two])
    assert cube[:, 0, :].tolist() == [[1, 0], [0, 1]]


def test_pooled_relations_share_their_sources() -> None:
    one, two = (
        pair(verdicts_from_rows(rows(new, name))[name], [verdicts_from_rows(rows(old, name))[name]])
        for new, old, name in (("vs", "ss", "a"), ("vs", "sv", "b"))
    )
    both = pool([one, two])
    assert both.differences.tolist() == [2.0, -1.0]
    assert both.weights.tolist() == [2.0, 2.0]
    assert both.new == {"a:0", "b:0"}


def test_pairing_needs_no_sources_for_two_baselines() -> None:
    new = RelationVerdicts(id="r", violated=frozenset({"r:0"}), satisfied=frozenset({"r:1"}))
    old = RelationVerdicts(id="r", violated=frozenset({"r:1"}), satisfied=frozenset({"r:0"}))
    moved = pair(new, [old])
    assert (moved.new, moved.fixed) == ({"r:0"}, {"r:1"})
