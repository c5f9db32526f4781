"""Messages: one line, bounded, whatever they hold; and what is said of an unknown name."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import (
    LONGEST,
    CannotJudge,
    nearest,
    quoted,
    reported,
    unknown,
    unknown_field,
)


def test_a_message_is_one_bounded_line() -> None:
    message = str(CannotJudge("a\nb::c\x1b[31m" + "\u202e" * 5000))
    assert "\n" not in message
    assert "::" not in message
    assert len(message) == LONGEST
    assert message.endswith("...")


def test_what_is_quoted_is_escaped_and_cut() -> None:
    assert quoted("it's") == '"it\'s"'
    assert quoted("a\nb") == r"'a\nb'"
    assert quoted("x" * 100, 10) == "'xxxxxxx...'"
    assert quoted({"a": 1}) == "{'a': 1}"
    assert len(quoted(["x" * 1000])) == 60


def test_what_python_itself_cannot_show() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (16**10_000, deep):
        assert quoted(value) == "a value that is too large to show"
    while deep:  # else freeing it overflows the stack, too
        deep = deep[0]  # type: ignore[assignment]


def test_a_library_s_words() -> None:
    assert reported(ValueError("a\n  b" + "c" * 300), 10) == "a bcccc..."


class Form(msgspec.Struct):
    """Two fields, one of which is called otherwise in files."""

    pattern: str
    new: str = msgspec.field(name="with")


def test_the_nearest_known_name() -> None:
    assert nearest("replce", ("words", "replace", "use")) == "replace"
    assert nearest("wiht", ("pattern", "with")) == "with"
    assert nearest("colour", ("words", "replace", "use")) == ""
    assert nearest("more", ("source", "output")) == ""
    assert nearest("replace" * 100, ("replace" * 99,)) == "", "no misspelling is as long"


def test_the_known_names_are_listed_with_the_nearest_first() -> None:
    expected = "Unknown key 'wrods'. Did you mean 'words'? Known: words, use."
    assert unknown("key", "wrods", ("words", "use")) == expected
    assert unknown("key", "x", ("words", "use")) == "Unknown key 'x'. Known: words, use."


def test_fields_are_known_as_files_call_them() -> None:
    assert unknown_field({"pattern": "a", "with": "b"}, Form) == ""
    assert unknown_field({"kind": "a"}, Form, "kind") == ""
    assert unknown_field({"new": "b"}, Form) == "Unknown field 'new'. Known: pattern, with."
    assert "Did you mean 'with'?" in unknown_field({"wiht": "b"}, Form)


@given(st.none() | st.integers() | st.text() | st.lists(st.text()))
def test_nothing_is_said_of_what_is_no_table(value: object) -> None:
    assert unknown_field(value, Form) == ""


@given(st.dictionaries(st.text(), st.none(), min_size=1))
def test_any_unknown_key_is_named(table: dict[str, None]) -> None:
    assert bool(unknown_field(table, Form)) is not (set(table) <= {"pattern", "with"})
