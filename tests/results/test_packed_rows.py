"""Rows that are packed are the rows, in each pass over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base import packed_lines, redaction
from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import canonical, without_secrets
from mt_gate.domain import Verdict
from mt_gate.results import packed_rows
from mt_gate.results.packed_rows import (
    PackedRows,
    chosen,
    heads,
    line_of_run,
    line_with,
    other_fields,
    packed,
    row_of,
)
from mt_gate.results.result import BaselineOutputs, Change, GroupRow
from reporting import made_up, made_up_re

ROWS = [*made_up.rows({Change.NEW: 30, Change.OK: 40, None: 5}), *made_up_re.rows()]
ROWS[3] = msgspec.structs.replace(ROWS[3], before=BaselineOutputs(source={"entities": []}))
FIELDS = packed_rows.RowHead.__struct_fields__


@pytest.fixture(params=[1, 5_000, packed_lines._BLOCK])
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PackedRows:
    monkeypatch.setattr(packed_lines, "_BLOCK", request.param)
    return packed(ROWS)


@pytest.fixture(autouse=True)
def unwatched() -> Iterator[None]:
    yield
    redaction.watch({})


def test_every_pass_has_all_rows(rows: PackedRows) -> None:
    texts = [canonical(row) for row in ROWS]
    for _ in range(2):
        assert [canonical(row) for row in rows] == texts
        assert [*rows.lines()] == texts
    assert len(rows) == len(ROWS)
    assert packed(rows) is rows


def test_no_rows() -> None:
    assert [*packed([])] == []
    assert len(packed([])) == 0


def test_heads_have_what_judging_needs(rows: PackedRows) -> None:
    def of(row: object) -> list[object]:
        return [getattr(row, name) for name in (*FIELDS, "cluster_key") if name != "before"]

    assert [of(row) for row in heads(rows)] == [of(row) for row in ROWS]
    assert [of(row) for row in heads(ROWS)] == [of(row) for row in ROWS]


def test_texts_are_those_that_digests_are_of(rows: PackedRows) -> None:
    for row, texts in zip(ROWS, rows.texts(), strict=True):
        assert texts.cluster_key == row.cluster_key
        for name in ("source", "source_output", "follow_up", "second", "second_output"):
            found, value = getattr(texts, name), getattr(row, name)
            assert (found is msgspec.UNSET) == (value is None), name
            assert value is None or bytes(found) == canonical(value), name


def test_chosen_rows_come_in_order(rows: PackedRows) -> None:
    wanted = [row.id for row in ROWS if row.verdict is Verdict.VIOLATED]
    assert 0 < len(wanted) < len(ROWS)
    for of in (rows, ROWS):
        assert [r.id for r in chosen(of, lambda row: row.verdict is Verdict.VIOLATED)] == wanted


def test_a_line_with_other_fields_is_that_of_the_row(rows: PackedRows) -> None:
    replace = msgspec.structs.replace
    for (head, line), row in zip(rows.with_lines(), ROWS, strict=True):
        assert head.id == row.id
        assert head.has_before is (row.before is not None)
        assert row_of(line) == row
        assert line_with(line, {}) == line
        edited = replace(row, change=Change.FIXED, run="a" * 32, before=None)
        fields = other_fields(change=Change.FIXED, run="a" * 32, before=None)
        assert line_with(line, fields) == canonical(edited)
        assert line_with(line, other_fields(change=None)) == canonical(replace(row, change=None))


VALUES = st.recursive(
    st.sampled_from(["a", '","run":"' + "a" * 32, "é", '"}', "{"]) | st.integers(0, 9),
    lambda inner: st.dictionaries(st.sampled_from(["run", "a"]), inner, max_size=2),
    max_leaves=4,
)
ENDS = st.fixed_dictionaries(
    {},
    optional={
        "cluster": st.sampled_from(["c", ',"run":"' + "b" * 32 + '"}', "\\", '"', "{}"]),
        "second": st.dictionaries(st.sampled_from(["run", "text"]), VALUES, max_size=2),
        "second_output": VALUES,
        "before": st.builds(BaselineOutputs, source=VALUES),
        "run": st.sampled_from(["c" * 32, "C" * 32, "c" * 31, "x", '"}']),
    },
)


@given(st.sampled_from(ROWS), ENDS, st.sampled_from(["0" * 32, "f0" * 16]))
def test_a_line_of_a_run_is_that_of_the_row(row: GroupRow, ends: dict[str, Any], run: str) -> None:
    row = msgspec.structs.replace(row, **ends)
    found = line_of_run(canonical(row), run)
    assert found == canonical(msgspec.structs.replace(row, run=run))
    assert line_of_run(found, "1" * 32) == canonical(msgspec.structs.replace(row, run="1" * 32))


def test_secrets_go_as_from_a_list_of_rows(rows: PackedRows) -> None:
    assert rows.without_secrets() is rows
    redaction.watch({"MY_TOKEN": ROWS[0].source["text"]})
    hidden = [*map(canonical, rows.without_secrets())]
    assert hidden == [*map(canonical, without_secrets([*rows]))]
    assert any(b"***" in line for line in hidden)
    redaction.watch({"MY_TOKEN": '"violated"'})
    with pytest.raises(CannotJudge, match="the value of a secret is a word"):
        rows.without_secrets()


def test_packed_rows_take_a_fraction_of_their_text() -> None:
    many = packed(row for _ in range(50) for row in ROWS)
    text = sum(map(len, many.lines()))
    assert many._lines.size < text / 5
