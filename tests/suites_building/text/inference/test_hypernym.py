"""Groups whose source is an entailment and whose follow-up is none, by their words."""

from __future__ import annotations

from random import Random

from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.text.inference import hypernym

GROUPS = hypernym.transform(Random(1))
PAIRS = [(*one.source, *one.follow_up) for one in GROUPS]


def test_a_follow_up_no_longer_follows() -> None:
    """Both change places, from the kind to the thing."""
    kinds = {kind.split()[-1] for _, kind in rows("text/inference", "kinds", 2)}
    for premise, hypothesis, kind_first, thing_last in PAIRS:
        assert (premise, hypothesis) == (thing_last, kind_first)
        assert hypothesis.rstrip(".").split()[-1] in kinds
        assert premise.rstrip(".").split()[-1] not in kinds


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert hypernym.transform(Random(1)) == GROUPS
    assert all(one.source != one.follow_up for one in GROUPS)
