"""Groups whose source is an entailment and whose follow-up is none, by their words."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference import constituent

GROUPS = constituent.transform(Random(1))
PAIRS = [(*one.source, *one.follow_up) for one in GROUPS]


def test_a_follow_up_no_longer_follows() -> None:
    """The hypothesis stays, and stands in both premises; one word says whether it holds."""
    for premise, hypothesis, open_premise, same in PAIRS:
        assert hypothesis == same
        clause = hypothesis.rstrip(".").lower()
        assert clause in premise.lower()
        assert clause in open_premise.lower()
        assert premise != open_premise


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert constituent.transform(Random(1)) == GROUPS
    assert all(one.source != one.follow_up for one in GROUPS)
