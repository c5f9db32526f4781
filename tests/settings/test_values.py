"""Texts and values of files as values of settings, and back."""

from __future__ import annotations

from ast import literal_eval
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from mt_gate.base.errors import UsageError
from mt_gate.settings.record import SETTINGS
from mt_gate.settings.values import checked, in_text


@cases("settings/texts")
def test_texts(name: str, text: str, value: str) -> None:
    assert checked("--x", name, literal_eval(text)) == literal_eval(value)


@cases("settings/values-of-files")
def test_values_of_files(name: str, value: str, read: str) -> None:
    actual = checked("own.toml: x", name, literal_eval(value))
    assert actual == literal_eval(read)
    assert type(actual) is type(literal_eval(read))


@cases("settings/bad-values")
def test_bad_values_name_themselves_and_what_is_allowed(name: str, value: str, words: str) -> None:
    assert words in refusal(name, literal_eval(value))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("out", "x" * 5000, "File name too long. Choose another path"),
        ("max_violation_rate", {str(i): 0.1 for i in range(201)}, "rates of at most 200 relations"),
        ("relations", "x" * 201, "at most 200 names of at most 200 characters, separated by"),
        ("sources", int("f" * 9000, 16), "(got a value that is too large to show)"),
    ],
    ids=["path", "rates", "names", "number"],
)
def test_large_values_are_not_shown(name: str, value: object, words: str) -> None:
    assert words in refusal(name, value)


def refusal(name: str, value: object) -> str:
    with pytest.raises(UsageError) as caught:
        checked("--here", name, value)
    assert str(caught.value).startswith("--here")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@given(
    name=st.sampled_from([*SETTINGS]),
    text=st.text(st.characters(exclude_categories=())),  # also bytes of a shell that are no UTF-8
)
def test_any_text_is_taken_or_refused_in_one_line(name: str, text: str) -> None:
    try:
        value = checked("--here", name, text)
    except UsageError as error:
        message = str(error)
    else:
        message = ""
        assert checked("--here", name, value) == value, "what is checked stays as it is"
    assert "\n" not in message


@given(
    st.one_of(
        st.tuples(st.just("alpha"), st.floats(1e-6, 0.5)),
        st.tuples(st.just("strict"), st.booleans()),
        st.tuples(st.just("sources"), st.integers(1, 10_000_000)),
        st.tuples(
            st.just("max_violation_rate"), st.dictionaries(st.sampled_from("ab*"), st.floats(0, 1))
        ),
        st.tuples(
            st.just("must_hold"), st.lists(st.text("0af", min_size=1), unique=True).map(tuple)
        ),
    )
)
def test_a_value_in_text_is_read_as_that_value(expected: tuple[str, Any]) -> None:
    name, value = expected
    assert checked("--here", name, in_text(value)) == value
