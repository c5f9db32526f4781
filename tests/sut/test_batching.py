from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.sut.batching import exact_length_batches


@given(st.lists(st.integers(1, 60)), st.integers(1, 300))
def test_every_input_once_in_batches_of_one_length(lengths: list[int], tokens: int) -> None:
    batches = list(exact_length_batches(lengths, tokens))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[index] for index in batch}) == 1
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= tokens
