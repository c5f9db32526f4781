"""What is held of ids says of each whether it is there, whatever characters it has."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mt_gate.base import ids as module
from mt_gate.base.ids import DigestedIds, held_ids

WORDS = st.lists(st.text(st.characters(exclude_categories=()), max_size=4), max_size=30)
ODD = ["a", "a\0", "\0", "", "a\0\0b", "\ud800", "é", "\U0001f600" * 200]


@given(WORDS, WORDS, st.sampled_from([0, 3, module.FEW]), st.sampled_from([1, 4, 100]))
@example(ODD, ODD[::2], 3, 4)
def test_they_are_sets(some: list[str], others: list[str], few: int, at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", few)
        patch.setattr(module, "_AT_ONCE", at_once)
        held, plain = held_ids(some), frozenset(some)
        assert isinstance(held, DigestedIds) == (len(plain) > few)
        assert len(held) == len(plain)
        assert [word in held for word in (*some, *others)] == [
            word in plain for word in (*some, *others)
        ]


def test_no_digest_is_cut() -> None:
    many = [f"{number}" for number in range(2000)]
    held = DigestedIds(many)
    assert len(held) == len(many)
    assert all(one in held for one in many), "one in 256 digests ends with NUL"


def test_of_no_ids_none_is_there() -> None:
    assert len(DigestedIds(())) == 0
    assert "" not in DigestedIds(())


def test_a_long_id_makes_no_other_longer() -> None:
    assert DigestedIds(["\U0001f600" * 200, "a"])._digests.itemsize == 16
