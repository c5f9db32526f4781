"""The CSV sheet: every text comes back, and no spreadsheet runs one."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.readable import ReviewCase
from mt_gate_suites.audit.sheet import (
    BOM,
    SheetLine,
    escape,
    from_csv,
    line_of,
    to_csv,
    unescape,
)
from reporting.made_up_re import input_of

NASTY = "=+-@'\",;|\t\r\n\0 \ufeff＝＠cmd"
TEXTS = st.one_of(
    st.text(NASTY, max_size=12), st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
)
LINES = st.lists(
    st.tuples(st.text("0123456789abcdef=", min_size=1), *[TEXTS] * 8).map(lambda x: SheetLine(*x)),
    max_size=3,
)
PATH = Path("sheet.csv")


@settings(max_examples=60)
@given(LINES)
def test_every_sheet_comes_back(lines: list[SheetLine]) -> None:
    assert from_csv(to_csv(lines), PATH) == lines


@settings(max_examples=60)
@given(LINES, st.sampled_from(",;\t|"))
def test_no_cell_is_a_formula_whatever_splits_the_sheet(
    lines: list[SheetLine], separator: str
) -> None:
    text = to_csv(lines).decode("utf-8-sig")
    for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        for cell in cells:
            assert not re.match(r"[\s\x00-\x1f\ufeff]*[=+\-@＝＋－＠]", cell), cell


@pytest.mark.parametrize(
    "text", ["", "Anna met Boris.", "a = b", "'tis so", "5-1", "so; 5 - 1", '"a" = b', "’="]
)
def test_plain_texts_stay_as_they_are(text: str) -> None:
    assert escape(text) == text == unescape(text)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("start", [BOM, ""])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_a_spreadsheet_makes_of_it(separator: str, start: str, end: str) -> None:
    rows = [
        ["mark", "id", "my notes", "follow_up", "source", "fault"],
        ["ok", "1f", "x, y; z\tw", "b", "a\nb", ""],
        ["", "", "", "", "", ""],
        ["bad", "2f", "", "d", "c"],
    ]
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=end).writerows(rows)
    assert from_csv((start + out.getvalue()).encode(), PATH) == [
        SheetLine("1f", "", "a\nb", "b", "ok"),
        SheetLine("2f", "", "c", "d", "bad"),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "does not name the columns"),
        (b"id,source,follow_up\n1,a,b\n", "does not name the columns"),
        (b"id,id,source,follow_up,mark\n", "each once"),
        (b"id,source,follow_up,mark\n1,\xe9,b,ok\n", "not UTF-8"),
        (b'id,source,follow_up,mark\n1,"a"b,b,ok\n', "not CSV"),
        (b'id,source,follow_up,mark\n1,"a', "not CSV"),
        (b"id,source,follow_up,mark\n1," + b"a" * 200_000 + b",b,ok\n", "not CSV"),
    ],
)
def test_what_is_no_sheet(data: bytes, words: str) -> None:
    with pytest.raises(CannotJudge, match=words) as caught:
        from_csv(data, PATH)
    assert "\n" not in str(caught.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    header = b"id,source,follow_up,mark\n"
    for content in (data, header + data):
        try:
            lines = from_csv(content, PATH)
        except CannotJudge:
            continue
        assert all(isinstance(line, SheetLine) for line in lines)


def test_texts_that_differ_and_what_only_some_groups_have_are_columns() -> None:
    source = {"question": "is it so", "passage": "It is."}
    edited = {"question": "is it so", "passage": "It is so."}
    line = line_of(TASKS["boolq"], ReviewCase("1f", "boolq/x", source, edited))
    assert line == SheetLine("1f", "boolq/x", "It is.", "It is so.")
    source = input_of("[Anna|head PERSON] met Kim in [Oslo|tail].")
    second = input_of("Anna met [Kim|head PERSON] in [Oslo|tail].")
    group = ReviewCase("1f", "re/x", source, source, second=second, answers="source: yes")
    [header, row] = to_csv([line_of(TASKS["re"], group)]).decode("utf-8-sig").splitlines()
    assert header == "id,relation,source,second,follow_up,answers,mark,fault"
    assert row.split(",")[3:] == [
        '"Anna met [Kim|head PERSON] in [Oslo|tail]."',
        '"[Anna|head PERSON] met Kim in [Oslo|tail]."',
        "source: yes",
        "",
        "",
    ]
