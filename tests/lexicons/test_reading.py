"""The lexicons' reader takes what is in the format."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import MtGateError
from mt_gate.lexicons import reading

HEAD = "# title: t\n# origin: o\n# licence: l\n# made: m\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "lexicon.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_lists_tables_comments_and_orders_are_read(tmp_path: Path) -> None:
    text = f"{HEAD}\n[plain]\n# What it is.\na\nb c\n\n[told]\n# order: as counted\ntwo\none\n"
    actual = reading.read(written(tmp_path, f"{text}\n[pairs: key, value]\nx\ty\nz\t\n"))
    assert actual["plain"] == ((), (("a",), ("b c",)))
    assert actual["told"].rows == (("two",), ("one",))
    assert actual["pairs"] == (("key", "value"), (("x", "y"), ("z", "")))


def test_missing_and_binary_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    for name in ("bytes.txt", "missing.txt"):
        with pytest.raises(MtGateError, match=r"cannot be read as UTF-8 text"):
            reading.read(tmp_path / name)


def test_a_section_is_read_in_its_own_shape() -> None:
    assert reading.ordered("calendar", "months")[0] == "January"
    with pytest.raises(MtGateError, match=r"no section \[months\] that is a table of 2 columns"):
        reading.rows("calendar", "months", 2)
    with pytest.raises(MtGateError, match=r"no section \[moons\] that is a list"):
        reading.word_set("calendar", "moons")


def test_a_mapping_has_one_answer(tmp_path: Path) -> None:
    written(tmp_path, f"{HEAD}\n[a: k, v]\nb\tc\nb\td\n")
    with pytest.raises(MtGateError, match="two answers"):
        reading.Lexicons((tmp_path,)).mapping("lexicon", "a")


def test_the_first_folder_that_has_a_lexicon_counts(tmp_path: Path) -> None:
    written(tmp_path, f"{HEAD}\n[a]\nb\n")
    lexicons = reading.Lexicons((tmp_path, reading.DATA))
    assert lexicons.ordered("lexicon", "a") == ("b",)
    assert lexicons.ordered("calendar", "months")[0] == "January"
