"""Sheets of groups that a run built: drawn, marked, and read back into the suite."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.base.errors import CANNOT_JUDGE, USAGE, CannotJudge
from mt_gate.results.result import GroupRow
from mt_gate.suites.format import find_suite, read_suite
from mt_gate_suites.audit.audit import PAGE, draw, record
from mt_gate_suites.audit.readable import of_run, of_suite
from mt_gate_suites.audit.sheet import SheetLine, from_csv, to_csv
from reporting import made_up_re
from reporting.hostile_pages import PAYLOAD

HEADS = "re-combine-shared-head.csv"
SHUFFLE = "ner-entity-shuffle.csv"


def mark(path: Path, mark: str = "ok") -> list[SheetLine]:
    """Mark every line of a sheet; return them."""
    lines = [line._replace(mark=mark) for line in from_csv(path.read_bytes(), path)]
    path.write_bytes(to_csv(lines))
    return lines


@pytest.fixture
def of_re(tmp_path: Path) -> Path:
    return made_up_re.suite(tmp_path / "re-suite")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return made_up_re.run(tmp_path / "run")


class TestRelationExtraction:
    def test_sheets_of_the_suite(self, of_re: Path, tmp_path: Path) -> None:
        paths = draw(str(of_re), tmp_path / "out")
        assert [path.stem for path in paths[:-1]] == [
            "re-same-type", "re-coarser-type", "re-co-related-type", "re-coreferent",
            "re-swap-symmetric", "re-swap-antisymmetric",
        ]  # fmt: skip
        [frequent, rare] = sorted(mark(paths[0]), key=lambda line: line.stratum)
        assert (frequent.stratum, rare.stratum) == ("frequent", "rare")
        assert rare.follow_up == (
            "[Anna Smith|head PERSON] is a [Tuvaluan|tail NATIONALITY] film director."
        )
        for path in paths[1:-1]:
            mark(path)
        read = record(str(of_re), paths[:-1])
        assert [item.precision.acceptable for item in read] == [2, 1, 2, 1, 1, 1]

    def test_a_swap_reads_otherwise_than_its_source(self, of_re: Path, tmp_path: Path) -> None:
        draw(str(of_re), tmp_path / "out", relation="re/swap-symmetric")
        [line] = mark(tmp_path / "out" / "re-swap-symmetric.csv")
        assert line.source == "[Lily|head PERSON] is [Mary|tail PERSON]'s sister."
        assert line.follow_up == "[Lily|tail PERSON] is [Mary|head PERSON]'s sister."

    def test_groups_of_a_run_there_and_back(self, of_re: Path, run: Path, tmp_path: Path) -> None:
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
            "source: per:spouse 0.93; second: per:children 0.80; follow-up: no_relation 0.71"
        )
        [(relation, found, _)] = record(str(of_re), [paths[0]], run)
        assert (relation, found.read, found.acceptable) == (built.relation, 1, 1)
        after = read_suite(of_re)
        assert after.identity == before
        assert [item.id for item in after.head.relations if item.precision] == [relation]

    def test_without_the_run_its_sheet_is_refused(
        self, of_re: Path, run: Path, tmp_path: Path
    ) -> None:
        paths = draw(str(of_re), tmp_path / "out", result=run)
        mark(paths[0])
        with pytest.raises(CannotJudge, match="name the run it was drawn from with --result"):
            record(str(of_re), [paths[0]])

    @pytest.mark.parametrize("column", ["source", "second", "follow_up"])
    def test_a_text_that_was_changed(
        self, of_re: Path, run: Path, tmp_path: Path, column: str
    ) -> None:
        path = draw(str(of_re), tmp_path / "out", result=run)[0]
        [line] = mark(path)
        path.write_bytes(to_csv([line._replace(**{column: "[Anna|head PERSON] left."})]))
        with pytest.raises(CannotJudge, match="1 of 1 rows are not groups"):
            record(str(of_re), [path], run)

    def test_a_sheet_and_page_of_attacks(self, tmp_path: Path) -> None:
        words = PAYLOAD.replace("\ud800", "")  # no file can hold half a character

        def attacked(row: GroupRow) -> GroupRow:
            return msgspec.structs.replace(row, stratum=words, second_output=made_up_re.said(words))

        suite = made_up_re.suite(tmp_path / "suite")
        rows = [attacked(row) for row in made_up_re.rows(None)]
        run = made_up_re.run(tmp_path / "run", rows)
        paths = draw(str(suite), tmp_path / "out", result=run)
        page = paths[-1].read_text(encoding="utf-8")
        assert "<script>document" not in page
        assert "<img" not in page
        mark(paths[0])
        assert record(str(suite), [paths[0]], run)[0].precision.acceptable == 1


def changed(**fields: Any) -> list[GroupRow]:
    """Return the rows, the bound ones with other fields."""
    return [
        msgspec.structs.replace(row, **fields) if row.bound else row
        for row in made_up_re.rows(None)
    ]


SHORT = {"text": "Anna left.", "head": [0, 4, "PERSON"], "tail": [0, 2, "PERSON"]}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"id": "0" * 16}, "is not built from a source of suite made-up-re"),
        ({"source_id": "other"}, "is not built from a source"),
        ({"source": SHORT}, "is not built from a source"),
        ({"source_id": "s0"}, "is not built from a source"),
        ({"follow_up": {"text": "Oslo"}}, "is not built from a source"),
        ({"second": SHORT}, "overlap"),
        ({"second": {"text": 3}}, "no usable text"),
    ],
)
def test_rows_that_are_not_of_the_suite(
    of_re: Path, tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    run = made_up_re.run(tmp_path / "odd", changed(**fields))
    with pytest.raises(CannotJudge, match=words) as caught:
        of_run(read_suite(of_re), run)
    assert str(caught.value).isprintable()


def test_a_run_of_another_task(run: Path) -> None:
    with pytest.raises(CannotJudge, match="a run of task re; suite ner-default is for ner"):
        of_run(read_suite(find_suite("ner-default")), run)


def test_groups_of_the_suite_alone(of_re: Path) -> None:
    suite = read_suite(of_re)
    found = of_suite(suite)
    assert [group.id for group in found] == [group.id for group in suite.groups]
    assert not any(group.second or group.answers for group in found)


class TestCommand:
    def test_entity_shuffle_of_a_real_run(
        self, command: Callable, run_gate: Callable, suite: Path, tmp_path: Path
    ) -> None:
        assert run_gate().code == 0
        out = tmp_path / "out"
        answer = command("suite", "audit", suite, "--result", out, "--out", "sheets", "--groups", 5)
        assert answer.code == 0, answer
        assert "--read SHEET.csv --result DIR" in answer.err
        sheet = tmp_path / "sheets" / SHUFFLE
        lines = mark(sheet)
        assert 0 < len(lines) <= 5
        assert all(line.answers.startswith("source: ") for line in lines)
        answer = command("suite", "audit", suite, "--read", sheet, "--result", out / "result.json")
        assert answer.code == 0, answer
        assert f"ner/entity-shuffle: read: {len(lines)} of {len(lines)} acceptable" in answer.err
        assert f"read: {len(lines)} of" in command("suite", "show", suite).out
        assert run_gate(out=tmp_path / "again").code == 0
        result = json.loads((tmp_path / "again" / "result.json").read_text())
        assert result["relations"][1]["precision"]["read"] == len(lines)

    def test_show_marks_head_and_tail(self, command: Callable, of_re: Path) -> None:
        shown = command("suite", "show", of_re, "--relation", "re/same-type").out
        assert "source     [Anna Smith|head PERSON] is a [French|tail NATIONALITY]" in shown
        assert "  rare replacement\n" in shown
        shown = command("suite", "show", of_re, "--relation", "re/combine-shared-head").out
        assert "built at run time from 1 source" in shown

    @pytest.mark.usefixtures("run")
    @pytest.mark.parametrize(
        ("flags", "code", "words"),
        [
            (["--result", "none"], CANNOT_JUDGE, "none: no such file"),
            (
                ["--result", "run", "--relation", "re/same-type"],
                USAGE,
                "its groups are in the suite; omit --result",
            ),
            (["--relation", "re/combine-shared-head"], USAGE, "with --result DIR"),
            (["--result", "empty"], USAGE, "no relation has groups"),
            (
                ["--result", "empty", "--relation", "re/combine-shared-head"],
                USAGE,
                "the run built no group of it",
            ),
        ],
    )
    def test_wrong_usage(
        self,
        command: Callable,
        of_re: Path,
        tmp_path: Path,
        flags: list[str],
        code: int,
        words: str,
    ) -> None:
        made_up_re.run(tmp_path / "empty", changed(follow_up=None))
        answer = command("suite", "audit", of_re, "--out", "x", *flags)
        assert (answer.code, answer.out) == (code, "")
        assert words in answer.err
        assert len(answer.err.splitlines()) == 1
        assert not (tmp_path / "x").exists()
