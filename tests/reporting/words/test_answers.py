"""Boolean questions in the reports: the edit, both answers, and what both inputs share."""

from __future__ import annotations

from mt_gate.domain import Block, Verdict
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.outputs import FOLLOW_UP, SOURCE, renderer
from mt_gate.results.result import GroupRow

PASSAGE = "Oslo is a city. " * 20 + "The king rules Oslo."
CHANGED = "Oslo is a city. " * 20 + "Oslo is ruled by the king."
RENDER = renderer("boolq")


def row(**changed: object) -> GroupRow:
    fields = {
        "id": "1f",
        "relation": "boolq/antonym-adjective",
        "source_id": "s",
        "verdict": Verdict.VIOLATED,
        "source": {"question": "is it big", "passage": PASSAGE},
        "follow_up": {"question": "is it small", "passage": PASSAGE},
        "alignment": (Block(0, 0, 6), Block(9, 11, len(PASSAGE) + 1)),
        "source_output": {"answer": "yes", "score": 0.75},
        "follow_up_output": {"answer": "yes", "score": 0.5},
    }
    return GroupRow(**{**fields, **changed})


def test_an_edited_question_stands_alone_with_its_answer() -> None:
    assert marks.plain(RENDER.sentence(row(), SOURCE)) == "is it big [answer yes 0.75]"
    assert marks.plain(RENDER.sentence(row(), FOLLOW_UP)) == "is it small [answer yes 0.50]"
    assert RENDER.broke(row()) == ("the answer “yes” stays “yes”",)
    assert RENDER.context(row()) == PASSAGE
    assert RENDER.weight(row()) == 25


def test_the_edit_is_marked() -> None:
    edited = [
        piece.text
        for segment in RENDER.sentence(row(), FOLLOW_UP).segments
        for piece in segment.pieces
        if piece.kind == marks.EDITED
    ]
    assert edited == ["small"]


def test_of_a_passage_the_edit_is_shown_with_a_little_before_it() -> None:
    same = len("is it big") + 1 + PASSAGE.index("The king")
    changed = row(
        follow_up={"question": "is it big", "passage": CHANGED},
        alignment=(Block(0, 0, same),),
        follow_up_output={"answer": "no", "score": 0.25},
    )
    shown = marks.plain(RENDER.sentence(changed, FOLLOW_UP))
    assert shown.startswith("…")
    assert shown.endswith("Oslo is ruled by the king. [answer no 0.25]")
    assert len(shown) < 200
    assert RENDER.context(changed) == "is it big"
    assert RENDER.broke(changed) == ("the answer “yes” becomes “no”",)


def test_rows_that_no_run_writes_are_shown_all_the_same() -> None:
    strange = row(
        source={"text": "x"},
        follow_up=None,
        source_output={"answer": 3, "score": "high"},
        follow_up_output=None,
        alignment=(Block(0, 0, 900),),
    )
    assert RENDER.sentence(strange, SOURCE)
    assert RENDER.sentence(strange, FOLLOW_UP)
    assert RENDER.broke(strange) == ()
    assert RENDER.weight(strange) == 0
