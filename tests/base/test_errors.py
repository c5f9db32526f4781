"""Messages are one bounded line; whatever fails becomes one, with the right exit code."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from pathlib import Path

import click
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from command_line import every_command
from mt_gate import cli
from mt_gate.base.console import Failure, guarded, warn_on_failure
from mt_gate.base.errors import (
    LONGEST,
    USAGE,
    CannotJudge,
    UsageError,
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


class PanicException(BaseException):
    """As Rust's panics come out of a library."""


class GarbledError(Exception):
    """Cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError


def deep() -> None:
    deep()


def throwing(error: BaseException) -> Callable[[], None]:
    def throw(*_: object, **__: object) -> None:
        raise error

    return throw


FULL = OSError(errno.ENOSPC, "No space left on device", "out/report.html")
FAILURES = [
    (CannotJudge("mine"), 3, "mine"),
    (UsageError("mine"), 2, "mine"),
    (FULL, 3, "out/report.html cannot be read or written (No space left on device)"),
    (OSError(), 3, "cannot be read or written (OSError)"),
    (BrokenPipeError(errno.EPIPE, "Broken pipe"), 3, "Broken pipe"),
    (MemoryError(), 3, "Out of memory"),
    (RecursionError(), 3, "nested too deeply"),
    (PanicException("root:x:0"), 3, "A library failed with PanicException in "),
    (SystemExit(1), 3, "A library failed with SystemExit in "),
    (SystemExit("root:x:0"), 3, "A library failed with SystemExit in "),
    (GeneratorExit(), 3, "A library failed with GeneratorExit in "),
    (KeyError("root:x:0"), 4, "Internal error in "),
    (EOFError(), 4, "Internal error in "),
    (GarbledError(), 4, "Internal error in "),
    (KeyboardInterrupt(), 130, "Interrupted"),
    (click.Abort(), 130, "Interrupted"),
    (click.exceptions.Exit(1), 2, ""),
    (click.BadParameter("x"), 2, "Invalid value: x"),
]


@pytest.mark.parametrize(("error", "code", "words"), FAILURES)
def test_failures(error: BaseException, code: int, words: str) -> None:
    failure = guarded(throwing(error))
    assert isinstance(failure, Failure)
    assert failure.code == code
    assert words in failure.message
    assert "root:x" not in failure.message, "any file may be quoted there"
    assert "\n" not in failure.message


def test_an_argument_of_any_length_is_one_line_of_bounded_length(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.exit_code(["a" * 100_000]) == USAGE
    assert len(capsys.readouterr().err) < 2_100


def test_completion_that_no_shell_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cli.COMPLETE, "bash_complete")
    assert cli.exit_code([]) == USAGE
    monkeypatch.setenv("COMP_WORDS", "mt-gate")
    monkeypatch.setenv("COMP_CWORD", "one")
    assert cli.exit_code([]) == USAGE


def test_a_real_lack_of_stack() -> None:
    assert guarded(deep).code == 3  # type: ignore[union-attr]


def test_a_value_passes_the_guard() -> None:
    assert guarded(lambda: 7) == 7


def test_a_defect_can_be_seen_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MT_GATE_TRACEBACK", "1")
    guarded(throwing(ZeroDivisionError("all of it")))
    assert "ZeroDivisionError: all of it" in capsys.readouterr().err


def test_a_failing_message_changes_nothing() -> None:
    lines: list[str] = []
    warn_on_failure("the comment", throwing(PanicException()), lines.append)
    warn_on_failure("the comment", lambda: None, lines.append)
    warn_on_failure("the comment", throwing(FULL), throwing(FULL))
    (line,) = lines
    assert line.startswith("could not write the comment: A library failed with PanicException")
    assert line.endswith("The verdict and the exit code do not change.")
    with pytest.raises(KeyboardInterrupt):
        warn_on_failure("the comment", throwing(KeyboardInterrupt()), lines.append)


COMMANDS = dict(table(__file__, "commands"))


def test_every_command_is_among_them() -> None:
    tested = [arguments for arguments, _ in COMMANDS.values()]
    for names, _ in every_command():
        assert any(tuple(arguments[: len(names)]) == names for arguments in tested), names


OF_EACH_KIND = [("report", number) for number in range(5, len(FAILURES))]


@pytest.mark.parametrize(("name", "number"), [*OF_EACH_KIND, *((name, 6) for name in COMMANDS)])
def test_every_command_is_guarded(
    name: str,
    number: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if name in ("suite build", "suite try"):
        pytest.importorskip("spacy")
    arguments, where = COMMANDS[name]
    error, code, words = FAILURES[number]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(where, throwing(error))
    assert cli.exit_code(arguments) == code
    last = capsys.readouterr().err.splitlines()[-1:]
    assert all(re.match("mt-gate: ", line) and words in line for line in last)


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_the_action_always_has_a_verdict(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mt_gate.github.action import run_action

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mt_gate.github.base_settings.load", throwing(FAILURES[number][0]))
    places = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    assert run_action(places) == FAILURES[number][1]
    assert "\ncannot-judge\n" in Path("output").read_text()
    assert Path("summary").read_text().startswith("### :no_entry: mt-gate: cannot judge")
