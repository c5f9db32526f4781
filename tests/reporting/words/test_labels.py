"""Groups of task text in words."""

from __future__ import annotations

from typing import Any

import pytest

from mt_gate.domain import Verdict
from mt_gate.reporting.words.labels import RENDERER
from mt_gate.reporting.words.rendering import FOLLOW_UP, SOURCE
from mt_gate.results.result import GroupRow


def row(before: Any, after: Any, **more: Any) -> GroupRow:
    given = {
        "source": {"text": "you are bad"},
        "follow_up": {"text": "you are b a d"},
        "verdict": Verdict.VIOLATED,
    }
    return GroupRow(
        id="g", relation="text/spaced", source_id="s", source_output=before,
        follow_up_output=after, **(given | more),
    )  # fmt: skip


def answer(*labels: str, **scores: float) -> dict[str, Any]:
    return {"labels": [*labels], "scores": scores}


def told(found: GroupRow, side: int) -> str:
    return RENDERER.sentence(found, side).segments[-1].label


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (answer("toxic", toxic=0.91), "toxic 0.91"),
        (answer("toxic", "insult", toxic=0.9, insult=0.6), "toxic 0.90, insult 0.60"),
        (answer("a", "b", "c", "d"), "a, b, c, 1 more"),
        (answer(toxic=0.2, insult=0.3), "no label, insult 0.30"),
        (answer(likeness=0.42), "likeness 0.42"),
        (answer(), "no label"),
        ({"labels": 7, "scores": {"a": "high", "b": True}}, "no label"),
    ],
)
def test_an_answer_is_told_with_its_scores(output: Any, words: str) -> None:
    assert told(row(output, output), SOURCE) == words


def test_what_broke() -> None:
    flipped = row(answer("toxic", toxic=0.9), answer(toxic=0.2))
    assert RENDERER.broke(flipped) == ("“toxic” becomes no label",)
    assert RENDERER.weight(flipped) == 70
    stays = row(answer("a"), answer("a"))
    assert RENDERER.broke(stays) == ("“a” stays “a”",)
    gold = row(answer("a"), answer("b"), unmatched={"expected": ["a"]})
    assert RENDERER.broke(gold) == ("“a” becomes “b”; expected “a”",)
    assert RENDERER.broke(row(answer("a"), None)) == ()


def test_a_judged_score_is_told_whatever_was_decided() -> None:
    before, after = answer("a", a=0.8, b=0.2), answer("a", a=0.7, b=0.3)
    found = row(before, after, unmatched={"label": "b"})
    assert RENDERER.broke(found) == ("the score of “b” goes from 0.20 to 0.30",)
    assert told(found, FOLLOW_UP) == "a 0.70, b 0.30"


def test_of_a_pair_the_text_that_stays_is_context() -> None:
    pair = {"text": "one", "second": "two"}
    found = row(answer("a"), answer("b"), source=pair, follow_up=pair | {"second": "three"})
    assert RENDERER.context(found) == "one"
    assert RENDERER.context(row(answer("a"), answer("b"))) == ""


@pytest.mark.parametrize("follow_up", [{}, {"text": 7}, {"second": "x"}, None])
def test_rows_of_strangers_are_shown(follow_up: Any) -> None:
    found = row(answer("a"), None, follow_up=follow_up, second={}, second_output=7)
    for side in (SOURCE, FOLLOW_UP):
        assert RENDERER.sentence(found, side)
    assert RENDERER.second(found)
    assert RENDERER.broke(found) == ()
