"""A group is shown by the texts that its edit touches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Block
from mt_gate.tasks.table import TASKS

BOOLQ, NER = TASKS["boolq"], TASKS["ner"]
SOURCE = {"question": "is a dog big", "passage": "Dogs are big."}


def test_an_edited_question_is_shown_without_its_passage() -> None:
    follow_up = {**SOURCE, "question": "is a dog small"}
    alignment = (Block(0, 0, 9), Block(12, 14, 14))
    view = BOOLQ.view(SOURCE, follow_up, alignment)
    assert (view.source, view.follow_up) == ("is a dog big", "is a dog small")
    assert view.alignment == (Block(0, 0, 9),)


def test_an_edited_passage_is_shown_with_offsets_of_its_own() -> None:
    follow_up = {**SOURCE, "passage": "Dogs are very big."}
    alignment = (Block(0, 0, 21), Block(21, 26, 5))
    view = BOOLQ.view(SOURCE, follow_up, alignment)
    assert (view.source, view.follow_up) == ("Dogs are big.", "Dogs are very big.")
    assert view.alignment == (Block(0, 0, 8), Block(8, 13, 5))


def test_a_task_of_one_text_is_shown_whole() -> None:
    view = NER.view({"text": "A b."}, {"text": "A c."}, (Block(0, 0, 2), Block(3, 3, 1)))
    assert view == ("A b.", "A c.", (Block(0, 0, 2), Block(3, 3, 1)))


@given(st.text(max_size=9), st.text(max_size=9), st.text(max_size=9), st.data())
def test_blocks_of_equal_text_stay_so(
    question: str, passage: str, other: str, data: st.DataObject
) -> None:
    source = {"question": question, "passage": passage}
    follow_up = {"question": question, "passage": other}
    whole = (BOOLQ.text(source), BOOLQ.text(follow_up))
    start = data.draw(st.integers(0, len(question)))
    block = Block(start, start, len(question) + 1 - start)
    view = BOOLQ.view(source, follow_up, (block,))
    assert whole[0][: len(question)] == question
    for own in view.alignment:
        before = view.source[own.source : own.source + own.length]
        after = view.follow_up[own.follow_up : own.follow_up + own.length]
        assert before == after
        assert len(before) == own.length
