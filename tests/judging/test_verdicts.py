"""Rows reduced to what a comparison takes of them."""

from __future__ import annotations

import msgspec
import pytest

from judging.made import bound, rows
from mt_gate.base.errors import CannotJudge
from mt_gate.judging.verdicts import (
    RelationVerdicts,
    SourceVerdicts,
    applicable_units,
    looked_at,
    silent,
    verdicts_from_rows,
    without_unstable,
)


def test_groups_are_added_up_by_relation_and_source() -> None:
    verdicts = verdicts_from_rows(rows("vsn", per_source=2) + bound(["vs", ""]))
    static = verdicts["r"]
    assert (static.violated, static.satisfied) == ({"r:0"}, {"r:1"})
    assert static.not_applicable == {"vacuous": {"r:2"}}
    assert static.sources == {
        "s0": SourceVerdicts(2, frozenset({"r:0"})),
        "s1": SourceVerdicts(0, frozenset()),
    }
    assert (looked_at(static, False), applicable_units(static, False)) == (
        {"r:0", "r:1", "r:2"},
        {"r:0", "r:1"},
    )
    made = verdicts["b"]
    assert made.bound
    assert (set(looked_at(made, True)), applicable_units(made, True)) == ({"s0", "s1"}, {"s0"})


def test_silence_is_told_from_other_answers() -> None:
    verdicts = verdicts_from_rows(rows("vsno") + bound(["vn", "", "nn", "o", "no"]))
    assert silent(verdicts["r"], False) == {"r:2"}
    assert silent(verdicts["b"], True) == {"s1", "s2"}
    assert silent(RelationVerdicts(id="b", bound=True), True) is None


def test_unstable_groups_can_be_left_out() -> None:
    verdicts = verdicts_from_rows(rows("VsSn"))["r"]
    kept = without_unstable(verdicts)
    assert (kept.violated, kept.satisfied, kept.unstable) == (frozenset(), {"r:1"}, frozenset())
    assert kept.not_applicable == verdicts.not_applicable
    stable = verdicts_from_rows(rows("vs"))["r"]
    assert without_unstable(stable) is stable


def test_a_group_that_appears_twice_is_refused() -> None:
    with pytest.raises(CannotJudge, match="r:0 of r appears twice"):
        verdicts_from_rows(rows("s") + rows("v"))


def test_a_relation_of_two_kinds_is_refused() -> None:
    mixed = rows("s", "b") + bound(["v"])
    mixed[0] = msgspec.structs.replace(mixed[0], id="other")
    with pytest.raises(CannotJudge, match="expected one of the two"):
        verdicts_from_rows(mixed)
