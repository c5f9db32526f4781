"""Texts put together from pieces say truly what was copied."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate_suites.boolq.voice.pieces import Copied, Turn, copied, turned


def test_two_stretches_change_places() -> None:
    text = "Ann saw Bob today."
    turn = Turn(0, 11, (copied(text, 8, 11), " was seen by ", copied(text, 0, 3)))
    rewrite = turned(text, [turn])
    assert rewrite.text == "Bob was seen by Ann today."
    assert [text[b.source : b.source + b.length] for b in rewrite.alignment] == [
        "Ann",
        "Bob",
        " today.",
    ]


def test_no_turn_leaves_the_text() -> None:
    rewrite = turned("As it is.", [])
    assert rewrite.text == "As it is."
    assert rewrite.alignment == ((0, 0, 9),)


def test_letter_case_may_differ() -> None:
    rewrite = turned("The cat.", [Turn(0, 7, (Copied(0, 7, "the cat"),))])
    assert rewrite.text == "the cat."


@given(st.text(min_size=4), st.data())
def test_blocks_are_equal_text(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    a, b, c, d = cuts
    rewrite = turned(text, [Turn(a, d, (copied(text, c, d), "x", copied(text, a, b)))])
    for block in rewrite.alignment:
        source = text[block.source : block.source + block.length]
        assert source == rewrite.text[block.follow_up : block.follow_up + block.length]
    assert list(rewrite.alignment) == sorted(rewrite.alignment)
