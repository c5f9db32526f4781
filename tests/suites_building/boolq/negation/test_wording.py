"""A denial is asked in the paper's words, or in natural ones."""

from __future__ import annotations

import pytest

from mt_gate.domain import Block
from mt_gate_suites.boolq.negation.wording import (
    NATURAL,
    NATURAL_WORDINGS,
    PAPER,
    PAPER_WORDING,
    worded,
    wording_of,
)
from mt_gate_suites.grammar.rewrite import Rewrite

_TRUE, _RIGHT = NATURAL_WORDINGS[:2]


def _asked(denial: str, natural: bool = True) -> str:
    whole = Rewrite(denial, (Block(0, 0, len(denial)),))
    return worded(whole, _TRUE if natural else PAPER_WORDING).text


@pytest.mark.parametrize(
    ("denial", "asked"),
    [
        ("you cannot turn left in canada", "is it true that you cannot turn left in canada"),
        (
            "there is not such thing as a black card",
            "is it true that there is no such thing as a black card",
        ),
        ("there is not such a thing as it", "is it true that there is no such thing as it"),
        ("there are not any snakes in hawaii", "is it true that there are no snakes in hawaii"),
        ("there is not a toll", "is it true that there is no toll"),
        ("there were not planes in the war", "is it true that there were no planes in the war"),
        ("there is not another season", "is it true that there is not another season"),
        ("there is not going to be one", "is it true that there is not going to be one"),
        ("there is not anything left", "is it true that there is not anything left"),
    ],
)
def test_natural_denials(denial: str, asked: str) -> None:
    assert _asked(denial) == asked


def test_the_papers_words() -> None:
    said = "there is not such thing as a black card"
    assert _asked(said, natural=False) == f"{said}, is it right"


def test_what_is_copied_stays_aligned() -> None:
    denial = Rewrite("it is not a", (Block(0, 3, 2), Block(3, 0, 2), Block(6, 9, 2)))
    made = worded(denial, _RIGHT)
    assert made == Rewrite("it is not a, is that right", denial.alignment, NATURAL)
    moved = worded(denial, _TRUE)
    assert moved.alignment[0] == Block(0, 3 + len("is it true that "), 2)


def test_half_of_all_questions_have_the_papers_words() -> None:
    found = [wording_of(f"is it {number}") for number in range(400)]
    assert 160 < sum(one.stratum == PAPER for one in found) < 240
    assert {*found} == {PAPER_WORDING, *NATURAL_WORDINGS}
    assert wording_of("is it old") == wording_of("is it old")


def test_what_is_allowed_is_not_asked_whether_it_is_right() -> None:
    questions = [f"is it legal to drive in {name}" for name in "abcdefgh"]
    assert {wording_of(one, f"{one} not").stratum for one in questions} == {NATURAL}
