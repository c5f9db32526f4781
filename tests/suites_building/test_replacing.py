"""A build takes the place of another build of its suite, and of no other suite."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from making import make_suite
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE, UsageError
from mt_gate.results.result import Precision
from mt_gate.suites.format import SuiteFile, read_head
from mt_gate_suites.build import lost_marks, suite_there


def test_the_suite_of_that_name_is_read(tmp_path: Path) -> None:
    head = read_head(make_suite(tmp_path / "suite"))
    assert suite_there(tmp_path / "suite", head.name) == head
    assert suite_there(tmp_path / "none", head.name) is None


def test_a_suite_of_another_name_stays(tmp_path: Path) -> None:
    head = read_head(make_suite(tmp_path / "suite"))
    result = rf"suite has suite '{head.name}', which 'other' would replace. Choose another --out"
    with pytest.raises(UsageError, match=result):
        suite_there(tmp_path / "suite", "other")


def test_what_is_no_suite_gives_way(tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text("{")
    assert suite_there(tmp_path, "other") is None


def read(head: SuiteFile) -> SuiteFile:
    """The suite, each relation of which was read."""
    marked = Precision(read=2, acceptable=1, interval=(0.1, 0.9), sheet="audit.csv")
    relations = tuple(msgspec.structs.replace(one, precision=marked) for one in head.relations)
    return msgspec.structs.replace(head, relations=relations)


def test_lost_marks_are_reported(tmp_path: Path) -> None:
    head = read_head(make_suite(tmp_path / "suite"))
    out = tmp_path / "suite"
    assert lost_marks(None, head, out) == lost_marks(head, head, out) == ""
    assert lost_marks(read(head), read(head), out) == ""
    result = lost_marks(read(head), head, out)
    assert result.endswith(f"restore them: mt-gate suite audit {out} --read SHEET.csv")


def test_a_build_says_what_it_loses_and_what_is_too_little(
    command: Callable, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"source": "a b", "follow_up": "a c", "output": {"kind": "same"}}\n')
    build = ("suite", "build", "--kind", "pairs", "--task", "text", "--sources", pairs)
    out = tmp_path / "mine"
    first = command(*build, "--name", "mine", "--out", out)
    assert first.code == PASS, first
    assert "1 pair of 1 source\n" in first.err
    assert f"{out}: text/same 1 case\n" in first.err
    assert "too few original texts to compare (minimum 10): text/same (1)\n" in first.err
    head = out / "suite.json"
    before = head.read_bytes()
    refused = command(*build, "--name", "other", "--out", out)
    assert (refused.code, head.read_bytes()) == (USAGE, before)
    assert "has suite 'mine'" in refused.err
    command("suite", "audit", out, "--out", tmp_path / "sheets")
    (sheet,) = (tmp_path / "sheets").glob("*.csv")
    unmarked = command("suite", "audit", out, "--read", sheet)
    assert unmarked.code == CANNOT_JUDGE, unmarked
    with sheet.open(encoding="utf-8-sig", newline="") as lines:
        (row,) = csv.DictReader(lines)
    with sheet.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, row)
        writer.writeheader()
        writer.writerow(row | {"mark": "ok"})
    read_back = command("suite", "audit", out, "--read", sheet)
    assert read_back.code == PASS, read_back
    marked = head.read_bytes()
    assert marked != before
    again = command(*build, "--name", "mine", "--out", out)
    assert f"restore them: mt-gate suite audit {out} --read SHEET.csv" in again.err
    assert (again.code, head.read_bytes()) == (PASS, before)
    assert command("suite", "audit", out, "--read", sheet).code == PASS
    assert head.read_bytes() == marked, "the sheet puts it back"
