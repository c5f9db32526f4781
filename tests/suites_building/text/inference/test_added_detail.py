"""Groups whose premise gets a detail."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference import added_detail

GROUPS = added_detail.transform(Random(1))


def test_only_the_premise_grows() -> None:
    for source, follow_up, _ in GROUPS:
        assert follow_up.second == source.second
        assert follow_up.text.startswith(f"{source.text.rstrip('.')} ")


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert added_detail.transform(Random(1)) == GROUPS
