"""Ids as arrays are the sets of those ids, whatever characters they have."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mt_gate.base import ids as module
from mt_gate.base.ids import Ids, as_ids, as_texts, found_in, in_words

WORDS = st.lists(st.text(st.characters(exclude_categories=()), max_size=4), max_size=30)
NUL = ["a", "a\0", "\0", "", "a\0\0b", "\ud800", "é", "\U0001f600"]


@given(WORDS, WORDS, st.sampled_from([1, 3, module._AT_ONCE]))
@example(NUL, NUL[::2], 3)
def test_they_are_sets(some: list[str], others: list[str], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        one, other = Ids(some), Ids(others)
        plain, other_plain = frozenset(some), frozenset(others)
        assert len(one) == len(plain)
        assert frozenset(one) == plain
        assert one == plain == one
        assert (one == other) == (plain == other_plain)
        for of in (other, other_plain):
            assert frozenset(one & of) == plain & other_plain
            assert frozenset(one - of) == plain - other_plain
            assert frozenset(one | of) == plain | other_plain
            assert one.isdisjoint(of) == plain.isdisjoint(other_plain)
        assert frozenset(other_plain & one) == plain & other_plain
        assert frozenset(other_plain - one) == other_plain - plain
        assert frozenset(other_plain | one) == other_plain | plain
        assert one.has(others).tolist() == [word in plain for word in others]
        assert [*in_words(as_texts(some))] == some


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)))))
def test_they_come_in_the_order_of_texts(some: list[str]) -> None:
    assert [*Ids(some)] == sorted({*some})


def test_a_set_of_arrays_is_taken_as_it_is() -> None:
    made = Ids("abc")
    assert as_ids(made) is made
    assert "b" in made
    assert "d" not in made
    assert 1 not in made
    assert made != 1


def test_nothing_is_found_in_nothing() -> None:
    assert found_in(as_texts(()), as_texts("ab"))[1].tolist() == [False, False]
    assert [*Ids()] == []
