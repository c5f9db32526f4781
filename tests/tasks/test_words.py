from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.tasks.words import word_spans


@pytest.mark.parametrize(("text", "words"), table(__file__, "words"))
def test_words(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words


@given(st.text())
def test_every_character_that_is_no_blank_is_in_exactly_one_word(text: str) -> None:
    covered = [at for start, end in word_spans(text) for at in range(start, end)]
    assert covered == [at for at, character in enumerate(text) if not character.isspace()]


@given(st.text(alphabet="aSs.’'-,&1 é\n"))
def test_words_are_never_empty_and_in_order(text: str) -> None:
    spans = word_spans(text)
    assert all(start < end for start, end in spans)
    assert spans == sorted(spans)
