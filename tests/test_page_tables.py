"""Tables of a page between their marks."""

from __future__ import annotations

from pathlib import Path

import pytest

import faults
from page_tables import cells, markdown, put, standing


def test_a_table_replaces_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    marks = "<!-- table: size -->\n{}<!-- end -->\nb\n<!-- table: again -->\n<!-- end -->\n"
    page.write_text(marks.format(""), encoding="utf-8")
    for table in ("old", "new"):
        put(page, "size", table)
        assert page.read_text(encoding="utf-8") == marks.format(f"{table}\n")
    with pytest.raises(SystemExit, match="no mark"):
        put(page, "power", "new")
    page.write_text("<!-- table: size -->\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no mark"):
        put(page, "size", "new")
    assert page.read_text(encoding="utf-8") == "<!-- table: size -->\n", "as it was"


def test_a_table_of_cells() -> None:
    assert markdown(("a", "b"), [("1", "2")]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_cells_are_read_back_by_column() -> None:
    text = f"words\n\n{markdown(('a', 'b'), [('1', ''), ('x', '2')])}\n{markdown(('c',), [('3',)])}"
    page = f"before\n<!-- table: one -->\n{text}<!-- end -->\n<!-- table: two -->\n<!-- end -->\n"
    assert standing(page, "one") == text
    assert [*cells(text)] == [{"a": "1", "b": ""}, {"a": "x", "b": "2"}, {"c": "3"}]
    assert [*cells(standing(page, "two"))] == [*cells(standing(page, "three"))] == []


def test_the_readme_says_what_the_tables_say() -> None:
    said = standing(faults.README.read_text(encoding="utf-8"), "worth")
    assert said == faults.worth(faults.PAGE.read_text(encoding="utf-8"))
    assert "labels for `ner`" in said
