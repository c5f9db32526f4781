"""Answers of task text: profiles, what became of labels, the score of an answer."""

from __future__ import annotations

import pytest

from mt_gate.domain import AnswerChange, AnswerMove
from mt_gate.tasks.spec import Score
from mt_gate.tasks.text import TASK, fault, is_right, moves, profile, score

KEPT, CHANGED = AnswerChange.KEPT, AnswerChange.CHANGED
LOST, FOUND = AnswerChange.LOST, AnswerChange.FOUND


def answer(*labels: str, **scores: float) -> dict[str, object]:
    return {"labels": [*labels], "scores": scores}


def test_profiles() -> None:
    assert profile([]) == {}
    assert profile([answer("a"), answer("b"), answer("a", "b"), answer()]) == {
        "share of a": 0.5,
        "share of b": 0.5,
        "share without a label": 0.25,
    }
    assert profile([answer(likeness=0.2), answer(likeness=0.6)]) == {
        "mean score of likeness": pytest.approx(0.4)
    }
    many = [answer(f"l{at}") for at in range(200)]
    assert len(profile(many)) == 30


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (answer("a"), answer("a"), [AnswerMove(KEPT, "a", "a")]),
        (answer("a"), answer("b"), [AnswerMove(CHANGED, "a", "b")]),
        (answer("a"), answer(), [AnswerMove(LOST, before="a")]),
        (answer(), answer("a"), [AnswerMove(FOUND, after="a")]),
        (
            answer("a", "b"),
            answer("b", "c"),
            [AnswerMove(KEPT, "b", "b"), AnswerMove(LOST, "a"), AnswerMove(FOUND, after="c")],
        ),
        (answer(), answer(), []),
    ],
)
def test_moves(before: dict, after: dict, expected: list[AnswerMove]) -> None:
    assert [*moves(before, after)] == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (answer("a", a=0.9, b=0.1), Score("a", 0.9)),
        (answer(likeness=0.3), Score("likeness", 0.3)),
        (answer(likeness=1.3), Score("likeness", 1.0)),
        (answer(a=0.3, b=0.2), None),
        (answer("a"), None),
        ({"labels": ["a"]}, None),
    ],
)
def test_the_score_of_an_answer(output: dict, expected: Score | None) -> None:
    assert score(output) == expected


def test_right_is_all_of_the_gold_labels() -> None:
    assert is_right({"labels": ["a", "b"]}, answer("b", "a"))
    assert not is_right({"labels": ["a", "b"]}, answer("a"))


def test_a_second_text_is_a_text() -> None:
    assert fault({"text": "a"}) == fault({"text": "a", "second": "b"}) == ""
    assert "second is empty" in fault({"text": "a", "second": " "})
    assert "second is empty" in fault({"text": "a", "second": None})


def test_texts_of_one_and_of_two() -> None:
    one, two = {"text": "a b"}, {"text": "a b", "second": "c"}
    assert (TASK.text(one), TASK.text(two)) == ("a b", "a b\nc")
    assert TASK.view(two, {"text": "a b", "second": "d"}, ())[:2] == ("c", "d")
    assert TASK.view(one, {"text": "b a"}, ())[:2] == ("a b", "b a")
