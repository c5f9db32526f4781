"""Boolean questions read from JSON lines: what is kept, mended, named and left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mt_gate_suites.boolq.sources import LONGEST_PASSAGE, LONGEST_QUESTION, read_boolq

PASSAGE = "Oslo is the capital of Norway."


def written(folder: Path, *rows: object) -> Path:
    path = folder / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_questions_lose_their_mark_and_blanks(tmp_path: Path) -> None:
    row = {"question": " is  oslo the\tcapital ? ", "passage": f" {PASSAGE}\n", "title": "Oslo"}
    (actual,) = read_boolq(written(tmp_path, row), "own")
    assert actual.input == {"question": "is oslo the capital", "passage": PASSAGE}
    assert (actual.id, actual.origin, actual.texts.title) == ("own-1", "own", "Oslo")


def test_an_id_is_the_rows_or_its_lines(tmp_path: Path) -> None:
    rows = [{"question": q, "passage": PASSAGE, "id": i} for q, i in (("is it", 7), ("was it", ""))]
    assert [one.id for one in read_boolq(written(tmp_path, *rows), "own")] == ["7", "own-2"]


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("is it", PASSAGE),
        ("is it?", f"{PASSAGE} "),
        ("", PASSAGE),
        ("?", PASSAGE),
        ("is it", " "),
        ("is it " * LONGEST_QUESTION, PASSAGE),
        ("is it so", "x" * (LONGEST_PASSAGE + 1)),
    ],
)
def test_repeated_empty_and_long_questions_are_left_out(
    tmp_path: Path, question: str, passage: str
) -> None:
    first = {"question": "is it", "passage": PASSAGE}
    path = written(tmp_path, first, {"question": question, "passage": passage})
    assert [one.input for one in read_boolq(path, "own")] == [first]


@pytest.mark.parametrize("row", [{"question": "is it"}, {"passage": PASSAGE}, ["is it", PASSAGE]])
def test_a_row_without_both_texts(tmp_path: Path, row: object) -> None:
    with pytest.raises(ValueError, match=r"own\.jsonl|line 1|missing"):
        list(read_boolq(written(tmp_path, row), "own"))
