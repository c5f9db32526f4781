"""The sheets of two readers, made one by a third."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Answer
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate_suites.audit.marked import Agreement
from mt_gate_suites.audit.audit import draw, record
from mt_gate_suites.audit.sheet import SheetLine, from_csv, to_csv
from mt_gate_suites.audit.marked import settle

SHEET = "ner-structural.csv"


class Sheets:
    """Sheets of the first eight groups."""

    def __init__(self, suite: Path, folder: Path) -> None:
        draw(str(suite), folder, groups=8)
        self._folder = folder
        self.lines = from_csv((folder / SHEET).read_bytes(), folder / SHEET)

    def marked(self, name: str, marks: str, lines: list[SheetLine] | None = None) -> Path:
        """Write a sheet marked by letters: o, d, b; a fault names sheet and line."""
        words = {"o": "ok", "d": "doubtful", "b": "bad"}
        chosen = self.lines if lines is None else lines
        path = self._folder / f"{name}.csv"
        path.write_bytes(
            to_csv(
                line._replace(mark=words[mark], fault="" if mark == "o" else f"{name} {at}")
                for at, (line, mark) in enumerate(zip(chosen, marks, strict=True))
            )
        )
        return path

    def read(self, path: Path) -> list[SheetLine]:
        return from_csv(path.read_bytes(), path)


@pytest.fixture
def sheets(suite: Path, tmp_path: Path) -> Sheets:
    return Sheets(suite, tmp_path / "sheets")


def test_a_third_settles_what_two_see_apart(suite: Path, sheets: Sheets, tmp_path: Path) -> None:
    first = sheets.marked("anna", "oooobbdo")
    second = sheets.marked("boris", "ooodbdbo")
    to_settle, joined = tmp_path / "open.csv", tmp_path / "joined.csv"

    found = settle(str(suite), first, second, to_settle)
    assert found == ("ner/structural", Agreement(4, 1, 0, 3), 4, 1)
    (line,) = sheets.read(to_settle)
    assert (line.id, line.mark) == (sheets.lines[3].id, "")
    assert sorted(line.fault.split(" / ")) == ["doubtful: boris 3", "ok"]
    assert not line.reader_1

    third = sheets.marked("clara", "o", [line])
    found = settle(str(suite), first, second, joined, third=third)
    assert found == ("ner/structural", Agreement(4, 1, 0, 3), 5, 0)
    lines = sheets.read(joined)
    assert [line.id for line in lines] == [line.id for line in sheets.lines]
    assert [line.mark for line in lines] == ["ok"] * 4 + ["bad", "bad", "bad", "ok"]
    assert [line.reader_2 for line in lines][3:6] == ["doubtful", "bad", "doubtful"]
    assert lines[6].fault == "boris 6"

    (read,) = record(str(suite), [joined])
    assert read.agreement == Agreement(4, 1, 0, 3)
    assert (read.precision.read, read.precision.acceptable) == (8, 5)


def test_whose_a_reason_is_cannot_be_told(suite: Path, sheets: Sheets, tmp_path: Path) -> None:
    settle(
        str(suite),
        sheets.marked("anna", "o" * 8),
        sheets.marked("boris", "b" * 8),
        tmp_path / "open.csv",
    )
    firsts = {line.fault.startswith("ok") for line in sheets.read(tmp_path / "open.csv")}
    assert firsts == {True, False}


def test_no_third_where_two_agree(suite: Path, sheets: Sheets, tmp_path: Path) -> None:
    first, second = sheets.marked("anna", "ooooooob"), sheets.marked("boris", "ooooooob")
    found = settle(str(suite), first, second, tmp_path / "joined.csv")
    assert found == ("ner/structural", Agreement(7, 0, 0, 1), 7, 0)
    assert found.agreement.kappa == 1
    (read,) = record(str(suite), [tmp_path / "joined.csv"])
    assert read.precision.acceptable == 7


def test_sheets_of_other_groups(suite: Path, sheets: Sheets, tmp_path: Path) -> None:
    first = sheets.marked("anna", "o" * 8)
    fewer = sheets.marked("boris", "o" * 7, sheets.lines[:7])
    with pytest.raises(CannotJudge, match="not of the same groups as"):
        settle(str(suite), first, fewer, tmp_path / "joined.csv")
    assert not (tmp_path / "joined.csv").exists()


def test_a_third_that_marked_others(suite: Path, sheets: Sheets, tmp_path: Path) -> None:
    first, second = sheets.marked("anna", "oooooooo"), sheets.marked("boris", "oooooobb")
    third = sheets.marked("clara", "o", sheets.lines[:1])
    with pytest.raises(CannotJudge, match="1 groups, and the two readers differ on 2"):
        settle(str(suite), first, second, tmp_path / "joined.csv", third=third)


def test_marks_are_not_written_over(suite: Path, sheets: Sheets) -> None:
    first = sheets.marked("anna", "o" * 8)
    with pytest.raises(UsageError, match="may hold marks"):
        settle(str(suite), first, sheets.marked("boris", "o" * 8), first)


def test_half_a_column_of_a_reader(suite: Path, sheets: Sheets, tmp_path: Path) -> None:
    lines = [line._replace(mark="ok", reader_1="ok") for line in sheets.lines]
    lines[2] = lines[2]._replace(reader_1="")
    (tmp_path / "half.csv").write_bytes(to_csv(lines))
    with pytest.raises(CannotJudge, match="1 of 8 rows are unmarked in column reader_1"):
        record(str(suite), [tmp_path / "half.csv"])


def test_as_a_command(
    command: Callable[..., Answer], suite: Path, sheets: Sheets, tmp_path: Path
) -> None:
    first, second = sheets.marked("anna", "oooooooo"), sheets.marked("boris", "ooooooob")
    out = tmp_path / "open.csv"
    found = command("suite", "agree", suite, first, second, "--output", out)
    assert found.code == 0
    assert found.err.splitlines() == [
        "mt-gate: ner/structural: two readers: accepted 100 % and 87.5 %, alike on 87.5 %, "
        "Cohen's kappa 0.00",
        f"mt-gate: 1 open: let a third reader mark {out}, and give it as --third",
    ]
    third = sheets.marked("clara", "b", sheets.read(out))
    found = command(
        "suite", "agree", suite, first, second, "--third", third, "--output", tmp_path / "all.csv"
    )
    assert found.err.splitlines()[1] == f"mt-gate: 7 of 8 accepted: {tmp_path / 'all.csv'}"
    found = command("suite", "audit", suite, "--read", tmp_path / "all.csv")
    assert found.code == 0
    assert "7 of 8 acceptable" in found.err
    assert "two readers: accepted 100 % and 87.5 %" in found.err
