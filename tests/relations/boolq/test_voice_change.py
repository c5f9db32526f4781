"""The answer stays, where the system has read what was edited."""

from __future__ import annotations

import pytest

from making_answers import answer, judged
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.boolq.voice_change import RELATION

QUESTION = "does x own y"
BEFORE = {"question": QUESTION, "passage": "X owns Y. It is old and rich."}
AFTER = {"question": QUESTION, "passage": "Y is owned by X. It is old and rich."}


@pytest.mark.parametrize(
    ("source", "follow_up", "verdict"),
    [
        ("yes", "yes", "satisfied"),
        ("no", "no", "satisfied"),
        ("yes", "no", "violated"),
        ("no", "yes", "violated"),
    ],
)
def test_the_follow_up_is_the_same(source: str, follow_up: str, verdict: str) -> None:
    assert judged(RELATION, source, follow_up).verdict == verdict


@pytest.mark.parametrize(
    ("source_read", "follow_up_read", "applicable"),
    [
        (None, None, True),
        (len("X owns Y. It"), len("Y is owned by X. It"), True),
        (len("X owns Y."), len("Y is owned by X."), True),
        (len("X owns"), len("Y is owned by X."), False),
        (len("X owns Y."), len("Y is owned by"), False),
        (0, 0, False),
    ],
)
def test_an_edit_that_was_cut_off_is_not_judged(
    source_read: int | None, follow_up_read: int | None, applicable: bool
) -> None:
    outputs = [
        answer("yes", **({} if read is None else {"read": read}))
        for read in (source_read, follow_up_read)
    ]
    judgement = RELATION.holds(ExecutedGroup(BEFORE, AFTER, *outputs, ()))
    assert (judgement.reason == "") == applicable
    assert applicable or judgement.reason == "edit-cut-off"


def test_a_cut_passage_does_not_matter_where_the_question_was_edited() -> None:
    after = {**BEFORE, "question": "does x really own y"}
    case = ExecutedGroup(BEFORE, after, answer("yes", read=1), answer("yes", read=1), ())
    assert RELATION.holds(case).verdict == "satisfied"
