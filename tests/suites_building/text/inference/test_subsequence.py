"""Groups whose source is an entailment and whose follow-up is none, by their words."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference import subsequence

GROUPS = subsequence.transform(Random(1))
PAIRS = [(*one.source, *one.follow_up) for one in GROUPS]


def test_a_follow_up_no_longer_follows() -> None:
    """The hypothesis ends the premise word for word; the one who does it is the first."""
    for premise, hypothesis, _, wrong in PAIRS:
        assert premise.lower().endswith(wrong.lower())
        assert hypothesis.split()[1] == premise.split()[1] != wrong.split()[1]
        assert hypothesis.split()[2:] == wrong.split()[2:]


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert subsequence.transform(Random(1)) == GROUPS
    assert all(one.source != one.follow_up for one in GROUPS)
