"""What is held of ids says of each whether it is there, whatever characters it has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base import ids as module
from mt_gate.base.ids import held_ids
from mt_gate.base.sorted_ids import SortedIds

WORDS = st.lists(st.text(st.characters(exclude_categories=()), max_size=4), max_size=30)


@given(WORDS, WORDS, st.sampled_from([0, 3, module.FEW]))
def test_they_are_sets(some: list[str], others: list[str], few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", few)
        held, plain = held_ids(some), frozenset(some)
        assert isinstance(held, SortedIds) == (len(plain) > few)
        assert held == plain
        assert [word in held for word in (*some, *others)] == [
            word in plain for word in (*some, *others)
        ]
