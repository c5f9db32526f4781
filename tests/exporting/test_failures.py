"""Whatever a library raises is told in one line."""

from __future__ import annotations

import pytest

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting.models import told


class Panic(BaseException):
    """As libraries in Rust raise it."""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("two\nlines"), "two lines"),
        (Panic("index out of bounds"), "index out of bounds"),
        (SystemExit(1), "(1)"),
        (MemoryError(), "(MemoryError)"),
        (RecursionError("too deep"), "too deep"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (KeyError("/tmp/ours/config.json"), "mine/config.json"),
    ],
)
def test_one_line(error: BaseException, words: str) -> None:
    with pytest.raises(CannotJudge) as found, told("x: failed", "y", hiding=("/tmp/ours", "mine")):
        raise error
    assert str(found.value).startswith("x: failed (")
    assert str(found.value).endswith("); y")
    assert words in str(found.value)


def test_long_texts_are_cut() -> None:
    with pytest.raises(CannotJudge) as found, told("x", "y"):
        raise ValueError("a " * 10**6)
    assert len(str(found.value)) < 250


@pytest.mark.parametrize("error", [UsageError("mine"), CannotJudge("mine"), KeyboardInterrupt()])
def test_our_own_messages_and_interruptions_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as found, told("x", "y"):
        raise error
    assert found.value is error
