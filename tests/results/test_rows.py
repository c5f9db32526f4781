"""Rows kept as lines are the rows, in each pass over them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from mt_gate.base import escaping
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import canonical, hidden_and_read
from mt_gate.domain import Verdict
from mt_gate.results.result import BaselineOutputs, Change, GroupRow
from mt_gate.results.store import RowHead, RowLines, as_rows, chosen, heads
from reporting import made_up, made_up_re

ROWS = [*made_up.rows({Change.NEW: 30, Change.OK: 40, None: 5}), *made_up_re.rows()]
ROWS[3] = msgspec.structs.replace(ROWS[3], before=BaselineOutputs(source={"entities": []}))
FIELDS = RowHead.__struct_fields__


@pytest.fixture
def rows() -> RowLines:
    return as_rows(ROWS)


@pytest.fixture(autouse=True)
def unwatched() -> Iterator[None]:
    yield
    escaping.watch({})


def test_every_pass_has_all_rows(rows: RowLines) -> None:
    texts = [canonical(row) for row in ROWS]
    for _ in range(2):
        assert [canonical(row) for row in rows] == texts
        assert rows.lines == texts
    assert len(rows) == len(ROWS)
    assert as_rows(rows) is rows


def test_heads_have_what_judging_needs(rows: RowLines) -> None:
    def of(row: object) -> list[object]:
        return [getattr(row, name) for name in (*FIELDS, "cluster_key") if name != "before"]

    assert [of(row) for row in heads(rows)] == [of(row) for row in ROWS]
    assert [of(row) for row in heads(ROWS)] == [of(row) for row in ROWS]


def test_texts_are_those_that_digests_are_of(rows: RowLines) -> None:
    for row, texts in zip(ROWS, rows.texts(), strict=True):
        assert texts.cluster_key == row.cluster_key
        for name in ("source", "source_output", "follow_up", "second", "second_output"):
            actual, value = getattr(texts, name), getattr(row, name)
            assert (actual is msgspec.UNSET) == (value is None), name
            assert value is None or bytes(actual) == canonical(value), name


def test_chosen_rows_come_in_order(rows: RowLines) -> None:
    wanted = [row.id for row in ROWS if row.verdict is Verdict.VIOLATED]
    assert 0 < len(wanted) < len(ROWS)
    for of in (rows, ROWS):
        assert [r.id for r in chosen(of, lambda row: row.verdict is Verdict.VIOLATED)] == wanted


def test_secrets_go_as_from_a_list_of_rows(rows: RowLines) -> None:
    assert rows.without_secrets().lines == rows.lines
    escaping.watch({"MY_TOKEN": ROWS[0].source["text"]})
    hidden = [*map(canonical, rows.without_secrets())]
    read = [hidden_and_read(canonical(row), GroupRow) for row in rows]
    assert hidden == [*map(canonical, read)]
    assert any(b"***" in line for line in hidden)
    escaping.watch({"MY_TOKEN": '"violated"'})
    with pytest.raises(CannotJudge, match="is also a word in the results"):
        rows.without_secrets()
