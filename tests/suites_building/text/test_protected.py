"""What no edit may touch, whatever its relation."""

from __future__ import annotations

import pytest

from cases import table
from mt_gate_suites.text.protected import MAX_TEXT, is_free, plain_words, protected_spans


@pytest.mark.parametrize(("text", "protected"), table(__file__, "protected_spans"))
def test_protected_spans(text: str, protected: list[str]) -> None:
    assert [text[start:end] for start, end in protected_spans(text)] == protected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I can't co-operate, you know.", ["I", "you", "know"]),
        ("It is never so.", ["It", "is", "so"]),
        ("visit www.example.com today", ["visit", "today"]),
        ("A4 paper", ["paper"]),
        ("word" * MAX_TEXT, []),
    ],
)
def test_plain_words(text: str, words: list[str]) -> None:
    actual = [word.text for word in plain_words(text)]
    assert actual == words
    assert all(text[word.start : word.end] == word.text for word in plain_words(text))


def test_spans_that_touch_do_not_overlap() -> None:
    assert is_free(0, 2, [(2, 4)])
    assert not is_free(1, 3, [(2, 4)])
