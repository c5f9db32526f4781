"""Groups whose source is an entailment and whose follow-up is none, by their words."""

from __future__ import annotations

from random import Random

from mt_gate_suites.lexicons.numbers import CARDINALS
from mt_gate_suites.text.inference import number_comparison

GROUPS = number_comparison.transform(Random(1))
PAIRS = [(*one.source, *one.follow_up) for one in GROUPS]


def test_a_follow_up_no_longer_follows() -> None:
    """What is said of the number is true of the source alone."""
    for premise, hypothesis, same, wrong in PAIRS:
        assert premise == same
        number = CARDINALS.index(premise.split()[3])
        assert holds(number, hypothesis)
        assert not holds(number, wrong)


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert number_comparison.transform(Random(1)) == GROUPS
    assert all(one.source != one.follow_up for one in GROUPS)


def holds(number: int, sentence: str) -> bool:
    """Whether a number is more, or fewer, than a sentence says."""
    words = sentence.split()
    than = CARDINALS.index(words[words.index("than") + 1])
    return number > than if "more" in words else number < than
