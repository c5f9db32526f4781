from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.table import (
    Table,
    columns_of,
    console,
    folded,
    room_for_titles,
    show_table,
    wrapped,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.lists(st.integers(0, 50)), st.lists(st.integers(1, 20), max_size=6))
def test_columns_fill_no_more_than_there_is(titles: list[int], others: list[int]) -> None:
    room, gap = room_for_titles(80, ["x" * length for length in titles], others)
    assert gap in (1, 2)
    # where figures leave no room, a title keeps a little: figures are never cut
    assert room + sum(others) + gap * len(others) <= 80 or room == 16


@pytest.mark.parametrize(
    "title", ["一个词被替换" * 6, "한 낱말이 바뀌었다 " * 5, "e\u0301tat " * 9]
)
def test_no_figure_is_cut_beside_a_title_of_wide_letters(title: str) -> None:
    printed = io.StringIO()
    row = (title, "1" * 20, "2" * 20)
    show_table(Table("wrr", ("relation", "one", "two"), [row]), printed)
    room, _ = room_for_titles(80, [title], [20, 20])
    assert "1" * 20 in printed.getvalue()
    assert "2" * 20 in printed.getvalue()
    assert "…" not in printed.getvalue()
    assert "".join(title.split()) == "".join(folded(title, room).split())


def test_notes_are_wrapped_on_a_terminal_only() -> None:
    note = "  - " + "word " * 40
    lines = wrapped(note, console(Terminal())).split("\n")
    assert len(lines) > 1
    assert all(line.startswith("    ") for line in lines[1:])
    assert wrapped(note, console(io.StringIO())) == note
    assert wrapped("x" * 200, console(Terminal())) == "x" * 200


@given(st.text("ab -一한", max_size=60), st.integers(16, 40))
def test_a_folded_title_keeps_its_words(title: str, width: int) -> None:
    lines = folded(title, width).split("\n")
    assert all(columns_of(line) <= width for line in lines) or not title.split()
    assert "".join("".join(lines).split()) == "".join(title.split())
