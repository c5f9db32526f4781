"""Messages: one line, bounded, whatever they hold."""

from __future__ import annotations

from mt_gate.base.errors import LONGEST, CannotJudge, quoted, reported


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
    while deep:  # else taking it apart overflows the stack, too
        deep = deep[0]  # type: ignore[assignment]


def test_a_library_s_words() -> None:
    assert reported(ValueError("a\n  b" + "c" * 300), 10) == "a bcccc..."
