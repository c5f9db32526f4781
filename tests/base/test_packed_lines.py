"""Lines that are packed are the lines, in each pass over them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base import packed_lines
from mt_gate.base.packed_lines import PackedLines

LINES = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b" ")), max_size=30)


@given(LINES, LINES, st.sampled_from([1, 50, packed_lines._BLOCK]), st.sampled_from([0, 99, 10**6]))
def test_every_pass_has_all_lines(
    first: list[bytes], more: list[bytes], block: int, in_memory: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_lines, "_BLOCK", block)
        patch.setattr(packed_lines, "_HELD", in_memory)
        packed = PackedLines(first)
        for line in more:
            packed.add(line)
        assert [*packed] == [*packed] == first + more
        assert len(packed) == len(first + more)


def test_they_take_a_fraction_of_their_text() -> None:
    lines = [b'{"number":%d}' % number for number in range(100_000)]
    assert PackedLines(lines).size < sum(map(len, lines)) / 3
