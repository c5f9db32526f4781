"""Groups whose source is an entailment and whose follow-up is none, by their words."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference import lexical_overlap

GROUPS = lexical_overlap.transform(Random(1))
PAIRS = [(*one.source, *one.follow_up) for one in GROUPS]


def test_a_follow_up_no_longer_follows() -> None:
    """Premise and source say who did it to whom alike; the follow-up turns it round."""
    for premise, hypothesis, _, wrong in PAIRS:
        assert agent(premise) == agent(hypothesis) != agent(wrong)
        assert len({*premise.split()} & {*wrong.split()}) >= 3


def test_there_are_enough_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert lexical_overlap.transform(Random(1)) == GROUPS
    assert all(one.source != one.follow_up for one in GROUPS)


def agent(sentence: str) -> str:
    """Return who does it: behind "by" of a passive, else the first."""
    words = sentence.rstrip(".").split()
    return words[words.index("by") + 2] if "by" in words else words[1]
