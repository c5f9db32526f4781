"""Pairs the other way round."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate_suites.text.same.pair_order import transform
from mt_gate_suites.text.transformation import PairOfTexts

WORDS = st.text("ab c", min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_the_texts_change_places(first: str, second: str) -> None:
    source = PairOfTexts(first, second)
    if first == second:
        assert transform(source) == []
        return
    (new,) = transform(source)
    assert new.pair == (second, first)
    for before, after, length in new.alignment:
        old = source.joined[before : before + length]
        assert old == new.pair.joined[after : after + length]
    assert sum(length for *_, length in new.alignment) == len(first) + len(second)
