"""Two runs paired, by group or by source."""

from __future__ import annotations

import dataclasses

import pytest

from judging.made import bound, rows
from mt_gate.judging.clustered import pair, pool, side_by_side
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows


def test_groups_are_paired_by_id_and_added_up_by_source() -> None:
    new = verdicts_from_rows(rows("vvsn", per_source=2))["r"]
    old = verdicts_from_rows(rows("svvs", per_source=2))["r"]
    paired = pair(new, [old])
    assert (paired.new, paired.fixed, paired.still) == ({"r:0"}, {"r:2"}, {"r:1"})
    assert paired.sources == ("s0", "s1")
    assert paired.violations.tolist() == [[2.0, 1.0], [0.0, 1.0]]
    assert (paired.differences.tolist(), paired.weights.tolist()) == ([1.0, -1.0], [2.0, 1.0])
    assert (paired.unstable, paired.excusable) == (0, False)


def test_bound_groups_are_paired_by_source_and_their_rates() -> None:
    new = verdicts_from_rows(bound(["vs", "s", ""], run="x"))["b"]
    old = verdicts_from_rows(bound(["s", "vs", "v"], run="y"))["b"]
    paired = pair(new, [old])
    assert paired.differences.tolist() == [0.5, -0.5]
    assert paired.weights.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("unstable", "excusable"), [(0, False), (1, True), (2, True), (3, False)])
@pytest.mark.parametrize("shared", [0, 1])
def test_few_unstable_pairs_of_any_run_are_excusable(
    unstable: int, excusable: bool, shared: int
) -> None:
    pattern = "V" * unstable + "s" * (100 - unstable)
    noisy, stable = (verdicts_from_rows(rows(p))["r"] for p in (pattern, "s" * 100))
    baselines = [stable, noisy, stable] if shared else [stable]
    assert pair(noisy, baselines).unstable == unstable
    assert pair(noisy, baselines).excusable is excusable
    assert pair(stable, [noisy]).excusable is excusable


def test_nothing_is_excusable_where_a_run_does_not_say_what_is_unstable() -> None:
    new = verdicts_from_rows(rows("V" + "s" * 99))["r"]
    silent = dataclasses.replace(new, unstable=None)
    for paired in (pair(new, [new, silent]), pool([pair(new, [new]), pair(new, [silent])])):
        assert (paired.unstable_known, paired.excusable) == (False, False)
    assert pair(new, [silent]).unstable == 1


def test_runs_of_a_baseline_are_averaged() -> None:
    new, *old = (verdicts_from_rows(rows(p))["r"] for p in ("vvss", "vsss", "vssv", "nsss"))
    paired = pair(new, old)
    assert paired.sources == ("s1", "s2", "s3")  # applicable in all
    assert paired.differences.tolist() == pytest.approx([1.0, 0.0, -1 / 3])
    assert (paired.new, paired.fixed, paired.still) == ({"r:1"}, set(), set())
    most = pair(new, old[:2])
    assert (most.new, most.still) == ({"r:1"}, {"r:0"})


def test_relations_side_by_side_keep_their_sources() -> None:
    one = pair(verdicts_from_rows(rows("vs"))["r"], [verdicts_from_rows(rows("ss"))["r"]])
    two = pair(verdicts_from_rows(rows("svv"))["r"], [verdicts_from_rows(rows("svs"))["r"]])
    sources, cube = side_by_side([one, two])
    assert sources == ("s0", "s2")
    assert cube.shape == (2, 2, 2)  # of s1 no run differs
    assert cube[:, 0, :].tolist() == [[1, 0], [0, 1]]


def test_pairing_needs_no_sources_for_two_baselines() -> None:
    new = RelationVerdicts(id="r", violated=frozenset({"r:0"}), satisfied=frozenset({"r:1"}))
    old = RelationVerdicts(id="r", violated=frozenset({"r:1"}), satisfied=frozenset({"r:0"}))
    moved = pair(new, [old])
    assert (moved.new, moved.fixed) == ({"r:0"}, {"r:1"})
