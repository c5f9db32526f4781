"""Groups whose hypothesis gets a detail."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference import added_claim

GROUPS = added_claim.transform(Random(1))


def test_only_the_hypothesis_grows() -> None:
    for source, follow_up, _ in GROUPS:
        assert follow_up.text == source.text
        assert follow_up.second.startswith(f"{source.second.rstrip('.')} ")


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert added_claim.transform(Random(1)) == GROUPS
