"""Sheets of groups that a run built: drawn, marked, and read back into the suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.results.result import GroupRow
from mt_gate.suites.format import find_suite, read_suite
from mt_gate_suites.audit.audit import PAGE, draw, record
from mt_gate_suites.audit.readable import run_cases
from mt_gate_suites.audit.sheet import SheetLine, from_csv, to_csv
from reporting import made_up_re
from reporting.hostile_pages import PAYLOAD

HEADS = "re-combine-shared-head.csv"
SHORT = {"text": "Anna left.", "head": [0, 4, "PERSON"], "tail": [0, 2, "PERSON"]}


def mark(path: Path) -> list[SheetLine]:
    """Accept every line of a sheet; return them."""
    lines = [line._replace(mark="ok") for line in from_csv(path.read_bytes(), path)]
    path.write_bytes(to_csv(lines))
    return lines


def changed(**fields: Any) -> list[GroupRow]:
    """Return the rows, the bound ones with other fields."""
    rows = made_up_re.rows(None)
    return [msgspec.structs.replace(row, **fields) if row.bound else row for row in rows]


@pytest.fixture
def of_re(tmp_path: Path) -> Path:
    return made_up_re.suite(tmp_path / "re-suite")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return made_up_re.run(tmp_path / "run")


def test_groups_of_the_suite_show_head_and_tail(of_re: Path, tmp_path: Path) -> None:
    *paths, _ = draw(str(of_re), tmp_path / "out")
    sheets = {path.stem: mark(path) for path in paths}
    frequent, rare = sorted(sheets["re-same-type"], key=lambda line: line.stratum)
    assert (frequent.stratum, rare.stratum) == ("frequent", "rare")
    [swap] = sheets["re-swap-symmetric"]
    assert swap.source == "[Lily|head PERSON] is [Mary|tail PERSON]'s sister."
    assert swap.follow_up == "[Lily|tail PERSON] is [Mary|head PERSON]'s sister."
    read = record(str(of_re), paths)
    assert [item.precision.acceptable for item in read] == [2, 1, 2, 1, 1, 1]


def test_groups_of_a_run_there_and_back(of_re: Path, run: Path, tmp_path: Path) -> None:
    before = read_suite(of_re).identity
    paths = draw(str(of_re), tmp_path / "out", result=run)
    assert [path.name for path in paths] == [HEADS, "re-combine-shared-tail.csv", PAGE]
    [line] = mark(paths[0])
    [built] = [row for row in made_up_re.rows(None) if row.relation == line.relation]
    assert line.id == built.id
    assert line.second == (
        "[Peterson|head PERSON] leaves his wife, Kelly, and a daughter, [Celine|tail PERSON]."
    )
    assert line.answers == (
        "original: per:spouse 0.93; second: per:children 0.80; edited: no_relation 0.71"
    )
    with pytest.raises(CannotJudge, match="Pass the run it was sampled from with --result"):
        record(str(of_re), [paths[0]])
    [(relation, actual, _)] = record(str(of_re), [paths[0]], run)
    assert (relation, actual.read, actual.acceptable) == (built.relation, 1, 1)
    after = read_suite(of_re)
    assert after.identity == before
    assert [item.id for item in after.head.relations if item.precision] == [relation]
    for column in ("source", "second", "follow_up"):
        paths[0].write_bytes(to_csv([line._replace(**{column: "[Anna|head PERSON] left."})]))
        with pytest.raises(CannotJudge, match="1 of 1 rows are not cases"):
            record(str(of_re), [paths[0]], run)


def test_a_sheet_and_page_of_attacks(of_re: Path, tmp_path: Path) -> None:
    words = PAYLOAD.replace("\ud800", "")  # no file can hold half a character
    rows = changed(stratum=words, second_output=made_up_re.said(words))
    run = made_up_re.run(tmp_path / "odd", rows)
    *paths, page = draw(str(of_re), tmp_path / "out", result=run)
    assert "<script>document" not in page.read_text(encoding="utf-8")
    assert "<img" not in page.read_text(encoding="utf-8")
    mark(paths[0])
    assert record(str(of_re), [paths[0]], run)[0].precision.acceptable == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"id": "0" * 16}, "is not built from a source of suite made-up-re"),
        ({"source_id": "other"}, "is not built from a source"),
        ({"source": SHORT}, "is not built from a source"),
        ({"follow_up": {"text": "Oslo"}}, "is not built from a source"),
        ({"second": SHORT}, "overlap"),
        ({"second": {"text": 3}}, "must be a text of 1 to"),
    ],
)
def test_rows_that_are_not_of_the_suite(
    of_re: Path, tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    run = made_up_re.run(tmp_path / "odd", changed(**fields))
    with pytest.raises(CannotJudge, match=words) as caught:
        run_cases(read_suite(of_re), run)
    assert str(caught.value).isprintable()


def test_a_run_of_another_task(run: Path) -> None:
    with pytest.raises(CannotJudge, match="a run of task re, but suite ner-default is for ner"):
        run_cases(read_suite(find_suite("ner-default")), run)
