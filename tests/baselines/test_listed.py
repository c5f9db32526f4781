"""Long lists of a baseline are those of its JSON, and what they are not they refuse."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.baselines import listed
from mt_gate.baselines.listed import ListedIds, ListedMargins, listed_twice

IDS = st.lists(st.sampled_from(["b", "a", "\0", "é", "0" * 16, "f" * 16, "x" * 200]), max_size=8)
MARGINS = st.lists(st.lists(st.floats(-9, 9), max_size=3).map(tuple), max_size=6)


class Lists(msgspec.Struct):
    """As a baseline has them."""

    ids: ListedIds = listed.NO_IDS
    margins: ListedMargins = listed.NO_MARGINS
    name: str = ""


def read(value: dict[str, Any]) -> Lists:
    return listed.decode(msgspec.json.encode(value), Lists)


@given(IDS, MARGINS)
def test_lists_are_read_in_their_order(ids: list[str], margins: list[tuple[float, ...]]) -> None:
    found = read({"ids": ids, "margins": margins})
    assert ([*found.ids], len(found.ids)) == (ids, len(ids))
    assert found.ids == ListedIds(ids)
    assert hash(found.ids) == hash(ListedIds(ids))
    assert found.ids.distinct() == set(ids)
    assert ([*found.margins], len(found.margins)) == (margins, len(margins))
    assert found.margins == ListedMargins(margins)
    assert (found.margins.sizes.tolist(), found.margins.flat.tolist()) == (
        [len(some) for some in margins],
        [one for some in margins for one in some],
    )


@given(MARGINS)
def test_margins_are_the_same_for_any_number_at_once(margins: list[tuple[float, ...]]) -> None:
    with pytest.MonkeyPatch.context() as few:
        few.setattr(listed, "_AT_ONCE", 2)
        assert [*read({"margins": margins}).margins] == margins


def test_a_fault_of_margins_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "_AT_ONCE", 2)
    with pytest.raises(msgspec.ValidationError) as error:
        read({"margins": [[1.0], [], [2.0], [0.5, "near"]]})
    assert listed.in_one_place(f"{error.value}").endswith("at `$.margins[3][1]`")


@given(st.lists(IDS, max_size=3))
def test_an_id_that_is_listed_twice_is_found(lists: list[list[str]]) -> None:
    every = [one for some in lists for one in some]
    again = listed_twice(map(ListedIds, lists))
    assert (again is None) == (len(set(every)) == len(every))
    assert again is None or every.count(again) > 1


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ({"ids": "a"}, "Expected `array`, got `str` - at `\\$.ids`"),
        ({"ids": ["a", 3]}, "Expected `str`, got `int` - at `\\$.ids\\[1\\]`"),
        ({"ids": [""]}, "length >= 1"),
        ({"ids": ["a" * 201]}, "length <= 200"),
        ({"margins": [1.0]}, "Expected `array`, got `float`"),
        ({"margins": [["near"]]}, "Expected `float`, got `str`"),
        ({"margins": [[2e9]]}, "<= 1000000000"),
    ],
)
def test_what_is_no_list_is_refused(value: dict[str, Any], match: str) -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        read(value)
    assert re.search(match, listed.in_one_place(f"{error.value}"))


MANY = [f"{number * 7919 % 10007:016x}" for number in range(5000)]
"""Enough to be read as a long list, in no order."""


@pytest.mark.parametrize("blank", [b"", b" ", b"\r\n\t"])
def test_a_long_list_of_numbers_is_read_as_any_other(blank: bytes) -> None:
    text = msgspec.json.encode({"ids": MANY, "margins": [[1.0]]})
    for mark in (b"[", b",", b"]"):
        text = text.replace(mark, blank + mark + blank)
    found = listed.decode(text, Lists)
    assert [*found.ids] == MANY
    assert [*found.margins] == [(1.0,)]


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ({"ids": [*MANY, "0"], "margins": 3}, "Expected `array`, got `int` - at `\\$.margins`"),
        ({"ids": [*MANY, 3]}, "Expected `str`, got `int` - at `\\$.ids\\[5000\\]`"),
        ({"ids": MANY, "margins": [MANY]}, "Expected `float`, got `str` - at `\\$.margins\\[0\\]"),
        ({"ids": MANY, "margins": [[2e9]]}, "<= 1000000000"),
        ({"ids": MANY, "name": MANY}, "Expected `str`, got `array` - at `\\$.name`"),
    ],
)
def test_beside_a_long_list_faults_are_told_as_ever(value: dict[str, Any], match: str) -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        read(value)
    assert re.search(match, listed.in_one_place(f"{error.value}"))


def test_no_other_kind_is_read() -> None:
    with pytest.raises(NotImplementedError):
        listed.decode(b'[{"real": 1}]', list[complex])
    assert repr(ListedIds("b")) == "ListedIds(['b'])"
    assert repr(ListedMargins([(1.0,)])) == "ListedMargins([(1.0,)])"
    assert ListedIds() != ListedMargins()
