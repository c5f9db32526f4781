"""Groups whose source is an entailment and whose follow-up is none, by their words."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference import quantifier

GROUPS = quantifier.transform(Random(1))
UPWARD = ("A few", "At least", "More than", "Several", "Some", "Two or more")
PAIRS = [(*one.source, *one.follow_up) for one in GROUPS]


def test_a_follow_up_no_longer_follows() -> None:
    """Upward quantifiers entail from few to all, downward ones the other way round."""
    for premise, hypothesis, turned, wrong in PAIRS:
        upward = premise.startswith(UPWARD)
        assert (len(premise.split()) > len(hypothesis.split())) is upward
        assert turned.startswith(("No ", "Fewer", "At most")) is upward
        assert (len(turned.split()) > len(wrong.split())) is upward


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert quantifier.transform(Random(1)) == GROUPS
    assert all(one.source != one.follow_up for one in GROUPS)
