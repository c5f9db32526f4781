"""Sorted ids are sets, whatever characters they have and however they are held."""

from __future__ import annotations

import tracemalloc
from collections.abc import Set

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mt_gate.base import sorted_ids as module
from mt_gate.base.sorted_ids import (
    SortedIds,
    as_array,
    distinct,
    intersection,
    joined,
    texts_of,
    union,
    with_codes,
)

HEX = st.text("0123456789abcdef", min_size=16, max_size=16)
TEXT = st.text(st.characters(exclude_categories=()), max_size=4)
LONG = st.text("é\U0001f600a", min_size=16, max_size=70)
WORDS = st.one_of(
    st.lists(HEX, max_size=12),
    st.lists(TEXT, max_size=12),
    st.lists(st.one_of(HEX, TEXT, LONG), max_size=12),
)
NUMBERS = [f"{number:016x}" for number in (0, 1, 255, 1 << 63, (1 << 64) - 1)]
ODD = ["a", "a\0", "\0", "", "a\0\0b", "\ud800", "é", "\ue000", "\U0001f600" * 200, "A" * 16]


@given(WORDS, WORDS, st.sampled_from([1, 3, 100]))
@example(NUMBERS, NUMBERS[::2], 100)
@example(NUMBERS, ODD, 3)
@example(ODD, ODD[::2], 3)
@example(["é" * 33, "b"], ["b", "é" * 33], 100)
def test_they_are_sets(some: list[str], others: list[str], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        one, other = SortedIds(some), SortedIds(others)
        plain, second = frozenset(some), frozenset(others)
        assert [*one] == sorted(plain)
        assert [one[at] for at in range(len(one))] == sorted(plain)
        assert (one == plain, one == other) == (True, plain == second)
        assert hash(one) == hash(plain)
        each: list[tuple[Set[str], Set[str]]] = [
            (one & other, plain & second),
            (one | other, plain | second),
            (one - other, plain - second),
            (second & one, plain & second),
            (second - one, second - plain),
            (second | one, plain | second),
            (union([one, second, SortedIds()]), plain | second),
            (intersection([one, second]), plain & second),
        ]
        for found, expected in each:
            assert isinstance(found, SortedIds)
            assert found == expected
        assert (one <= other, one.isdisjoint(other)) == (plain <= second, plain.isdisjoint(second))
        asked = [*some, *others]
        assert [word in one for word in asked] == [word in plain for word in asked]
        order = sorted(plain)
        at = [order.index(word) if word in plain else -1 for word in asked]
        assert one.found(asked).tolist() == at
        assert one.within(other).tolist() == [word in second for word in order]
        positions = one.positions(other).tolist()
        assert positions == [order.index(w) if w in plain else -1 for w in sorted(second)]


@given(st.lists(st.one_of(HEX, TEXT, LONG), max_size=30), st.sampled_from([1, 3, 100]))
@example([*NUMBERS, *ODD], 3)
def test_an_array_of_ids_keeps_their_order(some: list[str], size: int) -> None:
    parts = [as_array(some[at : at + size]) for at in range(0, len(some), size)]
    whole = joined(parts)
    assert texts_of(whole) == some
    assert distinct(whole) == frozenset(some)
    names, codes = with_codes(whole)
    assert [names[int(code)] for code in codes] == some


def test_ids_of_groups_take_8_bytes() -> None:
    assert as_array(NUMBERS).itemsize == 8
    assert as_array(["made-up-1", "made-up-22"]).itemsize == 10
    # One long id makes no other longer.
    assert as_array(["a" * 200, "b"]).dtype == object


def test_some_are_taken_by_position_or_mask() -> None:
    ids = SortedIds("cab")
    assert ids[-1] == "c"
    assert ids[np.array([0, 2])] == {"a", "c"}
    assert ids[np.array([False, True, False])] == {"b"}
    for outside in (3, -4):
        with pytest.raises(IndexError):
            ids[outside]


def test_what_is_no_text_is_no_id() -> None:
    assert 3 not in SortedIds(["3"])
    assert SortedIds(["3"]) != ["3"]
    assert repr(SortedIds("ba")) == "SortedIds(['a', 'b'])"
    assert repr(SortedIds(map(str, range(11)))).endswith("'8', ...])")


def test_to_look_nothing_up_takes_nothing() -> None:
    """An empty set is of no kind, and makes none of the others comparable with it."""
    many = SortedIds(f"group-{at:06}" for at in range(100_000))
    tracemalloc.start()
    try:
        found = many.positions(SortedIds()), many & SortedIds(), many[np.empty(0, np.int32)]
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert [len(of) for of in found] == [0, 0, 0]
