from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.sut.reader import longest, stretched


@given(st.integers(3, 600), st.integers(3, 600), st.integers(3, 600))
def test_the_longest_that_fits(first: int, second: int, third: int) -> None:
    least, limit, most = sorted((first, second, third))
    tried = []

    def fits(length: int) -> bool:
        tried.append(length)
        return length <= limit

    assert longest(fits, least, most) == limit
    assert all(least < length <= most for length in tried) or tried == [most]
    assert len(tried) == len({*tried})


def test_a_few_places_short_take_a_few_tries() -> None:
    tried = []
    assert longest(lambda length: bool(tried.append(length)) or length <= 512, 8, 514) == 512
    assert len(tried) == 3


def test_an_item_made_longer() -> None:
    ids = np.array([[2, 7, 8, 3]])
    feeds = {"input_ids": ids, "attention_mask": ids * 0 + 1, "entity_starts": np.array([[1, 2]])}
    found = stretched(feeds, 7)
    assert found["input_ids"].tolist() == [[2, 7, 7, 7, 7, 8, 3]]
    assert found["attention_mask"].tolist() == [[1] * 7]
    assert found["entity_starts"].tolist() == [[1, 2]]
