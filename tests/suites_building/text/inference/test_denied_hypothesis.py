"""Groups whose hypothesis denies what it said."""

from __future__ import annotations

from collections import Counter
from random import Random

from mt_gate_suites.text.inference import denied_hypothesis

GROUPS = denied_hypothesis.transform(Random(1))


def test_the_premise_stays_and_the_hypothesis_is_denied() -> None:
    for source, follow_up, _ in GROUPS:
        assert follow_up.text == source.text
        assert {"No", "Nobody", "nobody."} & {*follow_up.second.split()}
        assert not {"No", "Nobody", "nobody."} & {*source.second.split()}


def test_each_kind_has_its_share_all_distinct_and_the_same_for_a_seed() -> None:
    assert min(Counter(one.stratum for one in GROUPS).values()) >= 150
    assert len(set(GROUPS)) == len(GROUPS)
    assert denied_hypothesis.transform(Random(1)) == GROUPS
