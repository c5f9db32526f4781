"""Tokens to text: the spacing that is sure, and no text where it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.tasks.detokenise import detokenise, token_spans


@pytest.mark.parametrize(("tokens", "text"), table(__file__, "joins_tokens_as_written"))
def test_joins_tokens_as_written(tokens: str, text: str) -> None:
    assert detokenise(tokens.split()) == text


@pytest.mark.parametrize("tokens", table(__file__, "says_nothing_when_spacing_is_uncertain"))
def test_says_nothing_when_spacing_is_uncertain(tokens: str) -> None:
    assert detokenise(tokens.split()) is None


@pytest.mark.parametrize("tokens", table(__file__, "each_token_has_a_span_in_the_text"))
def test_each_token_has_a_span_in_the_text(tokens: str) -> None:
    words = tokens.split()
    text = detokenise(words)
    assert text is not None
    spans = token_spans(words, text)
    assert spans is not None
    quotes = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")"}
    assert [text[start:end] for start, end in spans] == [quotes.get(w, w) for w in words]


@pytest.mark.parametrize("text", ["", "Rain fel.", "Rain fell. So?", "Snow fell.", "Rainfell"])
def test_tokens_of_another_text_have_no_spans(text: str) -> None:
    assert token_spans(["Rain", "fell", "."], text) is None


@given(st.lists(st.text(alphabet="aB1 .,-'\"%(`", max_size=4), max_size=8))
def test_every_joined_token_has_a_span(tokens: list[str]) -> None:
    text = detokenise(tokens)
    if text is not None and all(token == token.strip() for token in tokens):
        spans = token_spans(tokens, text)
        assert spans is not None
        actual = "".join(text[a:b] for a, b in spans)
        assert "".join(actual.split()) == "".join(text.split())
