from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.sut.batching import exact_length_batches

LENGTHS = st.one_of(
    st.lists(st.tuples(st.integers(1, 60))),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9))),
)


@given(LENGTHS, st.integers(1, 300))
def test_every_input_once_in_batches_of_one_length(
    lengths: list[tuple[int, ...]], tokens: int
) -> None:
    batches = list(exact_length_batches(lengths, tokens))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[index] for index in batch}) == 1
        assert len(batch) == 1 or len(batch) * sum(lengths[batch[0]]) <= tokens
