"""Contradictions the other way round."""

from __future__ import annotations

from random import Random

from mt_gate_suites.text.inference import contradiction_order

GROUPS = contradiction_order.transform(Random(1))


def test_the_texts_change_places() -> None:
    for source, follow_up, _ in GROUPS:
        assert (follow_up.text, follow_up.second) == (source.second, source.text)
        assert {"No", "Nobody", "nobody."} & {*source.second.split()}


def test_they_are_all_distinct_and_the_same_for_a_seed() -> None:
    assert len(set(GROUPS)) == len(GROUPS) >= 500
    assert contradiction_order.transform(Random(1)) == GROUPS
