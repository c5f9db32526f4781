"""Tokens to text: the spacing that is sure, and no text where it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.tasks.detokenise import detokenise, token_spans


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("He left , and I stayed .", "He left, and I stayed."),
        ("He did n't go .", "He didn't go."),
        ("We can not go .", "We cannot go."),
        ("Ann 's cat slept .", "Ann's cat slept."),
        ("That ' s it .", "That's it."),
        ("I do n ' t know .", "I don't know."),
        ("The boys ' room is big .", "The boys' room is big."),
        ('He said " yes " twice .', 'He said "yes" twice.'),
        ("He said `` yes '' twice .", 'He said "yes" twice.'),
        ("Ann ( born 1970 ) sings .", "Ann (born 1970) sings."),
        ("Ann -LRB- a poet -RRB- sings .", "Ann (a poet) sings."),
        ("It costs $ 10 .", "It costs $10."),
        ("It grew 10 % .", "It grew 10%."),
        ("The first # 1 hit .", "The first #1 hit."),
        ("It is more techno-based now .", "It is more techno-based now."),
        ("A Paris - based band .", "A Paris-based band."),
        ("It won 3 - 2 .", "It won 3-2."),
        ("We met at 10 : 30 .", "We met at 10:30."),
        ("Simon & Schuster sold it .", "Simon & Schuster sold it."),
    ],
)
def test_joins_tokens_as_written(tokens: str, text: str) -> None:
    assert detokenise(tokens.split()) == text


@pytest.mark.parametrize(
    "tokens",
    [
        'He said " yes twice .',
        "He came - late .",
        "and / or",
        "the ' main wing ' is new .",
        "I 'm gon na go .",
        "R & D is fun .",
        "It rained 0 , 5 mm .",
        "me @ home",
        "a * b",
        "do not ' t go",
    ],
)
def test_says_nothing_when_spacing_is_uncertain(tokens: str) -> None:
    assert detokenise(tokens.split()) is None


@pytest.mark.parametrize(
    "tokens",
    [
        "The band 's `` Hey Jude '' sold 10 % more ( in the US ) .",
        "We can not go , can we ?",
        "That ' s it , do n ' t go .",
        "-LRB- She left . -RRB-",
        "a techno - based show",
    ],
)
def test_each_token_is_found_again_in_the_text(tokens: str) -> None:
    words = tokens.split()
    text = detokenise(words)
    assert text is not None
    spans = token_spans(words, text)
    assert spans is not None
    quotes = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")"}
    assert [text[start:end] for start, end in spans] == [quotes.get(w, w) for w in words]


@pytest.mark.parametrize("text", ["", "Rain fel.", "Rain fell. So?", "Snow fell.", "Rainfell"])
def test_tokens_of_another_text_are_not_found(text: str) -> None:
    assert token_spans(["Rain", "fell", "."], text) is None


@given(st.lists(st.text(alphabet="aB1 .,-'\"%(`", max_size=4), max_size=8))
def test_whatever_is_joined_is_found_again(tokens: list[str]) -> None:
    text = detokenise(tokens)
    if text is not None and all(token == token.strip() for token in tokens):
        spans = token_spans(tokens, text)
        assert spans is not None
        found = "".join(text[a:b] for a, b in spans)
        assert "".join(found.split()) == "".join(text.split())
