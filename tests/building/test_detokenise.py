"""Tokens to text: the spacing that is sure, and no text where it is not."""

from __future__ import annotations

import pytest

from mt_gate.building.detokenise import detokenise


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
