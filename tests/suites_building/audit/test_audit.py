"""Sheets of random groups: drawn, marked, read back, and settled between two readers."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scipy.stats import binomtest

from making import make_suite
from mt_gate.base.errors import CANNOT_JUDGE, CannotJudge, UsageError
from mt_gate.suites.format import HEAD, SuiteRelation, read_suite, write_suite
from mt_gate_suites.audit.audit import PAGE, draw, record
from mt_gate_suites.audit.marked import Agreement, settle
from mt_gate_suites.audit.sheet import SheetLine, from_csv, to_csv

SHEET = "ner-structural.csv"
OLD_SHEET = Path(__file__).parents[3] / "docs" / "audits" / SHEET


def drawn(suite: Path, out: Path, **options: object) -> list[SheetLine]:
    draw(str(suite), out, **options)  # type: ignore[arg-type]
    return from_csv((out / SHEET).read_bytes(), out / SHEET)


def write(path: Path, lines: list[SheetLine], *marks: str) -> Path:
    """Write a sheet, its lines marked in turn."""
    if marks:
        lines = [line._replace(mark=marks[at % len(marks)]) for at, line in enumerate(lines)]
    path.write_bytes(to_csv(lines))
    return path


@pytest.fixture
def lines(suite: Path, tmp_path: Path) -> list[SheetLine]:
    return drawn(suite, tmp_path / "sheets", groups=20)


def test_lines_are_random_groups_of_the_suite(
    suite: Path, tmp_path: Path, lines: list[SheetLine]
) -> None:
    assert {path.name for path in (tmp_path / "sheets").iterdir()} == {PAGE, SHEET}
    read = read_suite(suite)
    texts = {source.id: source.input["text"] for source in read.sources}
    groups = {group.id: group for group in read.groups}
    assert len({line.id for line in lines}) == 20
    for line in lines:
        group = groups[line.id]
        text = group.follow_up["text"]
        assert line[1:6] == (group.relation, texts[group.source], text, "", "")
    assert len(drawn(suite, tmp_path / "all")) == len(read.groups) == 60
    shuffled = random.Random(1).sample(read.groups, len(read.groups))
    write_suite(tmp_path / "turned", read.head, read.sources[::-1], shuffled)
    assert drawn(tmp_path / "turned", tmp_path / "same", groups=20) == lines
    other = drawn(suite, tmp_path / "other", groups=20, seed=2)
    assert {line.id for line in lines} != {line.id for line in other}


def test_what_cannot_be_drawn(suite: Path, tmp_path: Path) -> None:
    for relation, words in (
        ("ner/entity-shuffle", "a run builds from predictions"),
        ("x", "has ner/struct"),
    ):
        with pytest.raises(UsageError, match=words):
            draw(str(suite), tmp_path / "out", relation=relation)
    empty = make_suite(tmp_path / "empty", ["Anna met Boris."])
    with pytest.raises(UsageError, match="no relation with cases to sample from"):
        draw(str(empty), tmp_path / "out")
    with pytest.raises(UsageError, match="has no cases"):
        draw(str(empty), tmp_path / "out", relation="ner/structural")
    long = make_suite(tmp_path / "long", [f"Anna was {'very ' * 7000}late."])
    with pytest.raises(CannotJudge, match="a cell of a sheet takes at most 32767"):
        draw(str(long), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="Choose another --out"):
        draw(str(suite), tmp_path / "out")


def test_marks_are_not_written_over(suite: Path, tmp_path: Path, lines: list[SheetLine]) -> None:
    sheet = write(tmp_path / "sheets" / SHEET, lines, "ok")
    before = sheet.read_bytes()
    with pytest.raises(UsageError, match="may have marks"):
        draw(str(suite), tmp_path / "sheets")
    with pytest.raises(UsageError, match="may have marks"):
        settle(str(suite), sheet, sheet, sheet)
    assert sheet.read_bytes() == before


def test_names_of_relations_make_no_paths(suite: Path, tmp_path: Path) -> None:
    """Relation ids of a stranger's suite stay within the folder, each in a file of its own."""
    read = read_suite(suite)
    names = ["../../x", "..\\..\\x", "/", "=x", "ä" * 200, "ner/structural"]
    groups = [
        msgspec.structs.replace(group, relation=names[at % len(names)])
        for at, group in enumerate(read.groups)
    ]
    relations = tuple(SuiteRelation(id=name, groups=10, sources=10) for name in names)
    sources = [msgspec.structs.replace(source, bind=()) for source in read.sources]
    head = msgspec.structs.replace(read.head, relations=relations)
    write_suite(tmp_path / "odd", head, sources, groups)
    out = tmp_path / "deep" / "er" / "out"
    *paths, page = draw(str(tmp_path / "odd"), out)
    assert {path.resolve().parent for path in (*paths, page)} == {out.resolve()}
    sheets = [write(path, from_csv(path.read_bytes(), path), "ok") for path in paths]
    assert [item.relation for item in record(str(tmp_path / "odd"), sheets)] == names


def test_precision(suite: Path, tmp_path: Path, lines: list[SheetLine]) -> None:
    before, identity = json.loads((suite / HEAD).read_text()), read_suite(suite).identity
    sheet = write(tmp_path / "my.csv", lines[::-1], "ok", "OK ", "doubtful", "ok", "bad")
    [(relation, actual, _)] = record(str(suite), [sheet])
    assert (relation, actual.read, actual.acceptable) == ("ner/structural", 20, 12)
    expected = binomtest(12, 20).proportion_ci(method="wilson")
    assert actual.interval == pytest.approx(tuple(expected), abs=1e-6)
    assert actual.sheet.startswith("my.csv sha256:")
    after = json.loads((suite / HEAD).read_text())
    del after["relations"][0]["precision"]
    assert after == before
    assert read_suite(suite).identity == identity
    once = (suite / HEAD).read_bytes()
    record(str(suite), [sheet])
    assert (suite / HEAD).read_bytes() == once


@pytest.mark.parametrize(
    ("change", "marks", "words"),
    [
        (lambda _: [], ("ok",), "no rows"),
        (lambda x: x, ("ok", ""), "10 of 20 rows without a mark"),
        (lambda x: x, ("ok", "fine"), r"is marked 'fine'\. Expected ok, doubtful, bad"),
        (lambda x: [*x, x[0]], ("ok",), "occurs twice"),
        (lambda x: [line._replace(source="Oslo") for line in x], ("ok",), "20 of 20 rows are not"),
        (lambda x: [x[0]._replace(follow_up="Oslo"), *x[1:]], ("ok",), "1 of 20 rows are not"),
        (lambda x: [x[0]._replace(id="0" * 16), *x[1:]], ("ok",), "1 of 20 rows are not"),
        (lambda x: [x[0]._replace(relation="r"), *x[1:]], ("ok",), "20 of 20 .* of r in"),
        (lambda _: [SheetLine("\x1b[31m", "", "a", "b", "ok")], ("ok",), "not cases of any"),
        (lambda x: [x[0]._replace(reader_1="ok"), *x[1:]], ("ok",), "a mark in column reader_1"),
    ],
)
def test_sheets_that_are_refused(
    suite: Path,
    tmp_path: Path,
    lines: list[SheetLine],
    change: Callable,
    marks: tuple[str, ...],
    words: str,
) -> None:
    before = (suite / HEAD).read_bytes()
    good = write(tmp_path / "good.csv", lines, "ok")
    bad = write(tmp_path / "bad.csv", change(lines), *marks)
    with pytest.raises(CannotJudge, match=words) as caught:
        record(str(suite), [good, bad])
    assert str(caught.value).isprintable()
    with pytest.raises(UsageError, match="a second sheet of ner/structural"):
        record(str(suite), [good, good])
    assert (suite / HEAD).read_bytes() == before


class TestTwoReaders:
    @pytest.fixture
    def mark(self, tmp_path: Path, lines: list[SheetLine]) -> Callable[..., Path]:
        """Write a sheet of the first eight groups by letters; a fault names sheet and line."""
        words = {"o": "ok", "d": "doubtful", "b": "bad"}

        def make(name: str, marks: str, chosen: list[SheetLine] | None = None) -> Path:
            pairs = zip((chosen or lines[:8])[: len(marks)], marks, strict=True)
            made = [
                line._replace(mark=words[mark], fault="" if mark == "o" else f"{name} {at}")
                for at, (line, mark) in enumerate(pairs)
            ]
            return write(tmp_path / f"{name}.csv", made)

        return make

    def test_a_third_decides_where_two_differ(
        self, command: Callable, suite: Path, tmp_path: Path, mark: Callable
    ) -> None:
        first, second = mark("anna", "oooobbdo"), mark("boris", "ooodbdbo")
        to_settle, joined = tmp_path / "open.csv", tmp_path / "joined.csv"
        actual = settle(str(suite), first, second, to_settle)
        assert actual == ("ner/structural", Agreement(4, 1, 0, 3), 4, 1)
        (line,) = from_csv(to_settle.read_bytes(), to_settle)
        assert (line.mark, line.reader_1) == ("", "")
        assert sorted(line.fault.split(" / ")) == ["doubtful: boris 3", "ok"]
        both = ("suite", "agree", suite, first, second)
        wrong = mark("dora", "o")
        with pytest.raises(CannotJudge, match="1 cases, but the two reviewers differ on 1"):
            settle(str(suite), first, second, joined, third=wrong)
        third = mark("clara", "o", [line])
        answer = command(*both, "--third", third, "--output", joined)
        assert answer.err.splitlines() == [
            "mt-gate: ner/structural: two reviewers accepted 62.5% and 50.0%, they agree on 87.5%, "
            "Cohen's kappa 0.75",
            f"mt-gate: 5 of 8 accepted: {joined}",
        ]
        lines = from_csv(joined.read_bytes(), joined)
        assert [line.mark for line in lines] == ["ok"] * 4 + ["bad", "bad", "bad", "ok"]
        assert [line.reader_2 for line in lines][3:6] == ["doubtful", "bad", "doubtful"]
        assert lines[6].fault == "boris 6"
        (read,) = record(str(suite), [joined])
        assert read.agreement == Agreement(4, 1, 0, 3)
        assert (read.precision.read, read.precision.acceptable) == (8, 5)

    def test_reasons_are_anonymous_and_sheets_of_the_same_groups(
        self, suite: Path, tmp_path: Path, mark: Callable
    ) -> None:
        first, second, out = mark("anna", "o" * 8), mark("boris", "b" * 8), tmp_path / "open.csv"
        settle(str(suite), first, second, out)
        faults = [line.fault for line in from_csv(out.read_bytes(), out)]
        assert {fault.startswith("ok") for fault in faults} == {True, False}
        with pytest.raises(CannotJudge, match="not have the same cases as"):
            settle(str(suite), first, mark("clara", "o" * 7), tmp_path / "joined.csv")
        actual = settle(str(suite), first, first, tmp_path / "joined.csv")
        assert (actual.accepted, actual.open) == (8, 0), "no third where two agree"


@pytest.mark.parametrize(
    ("counts", "alike", "kappa"),
    [
        ((20, 5, 10, 15), 0.7, 0.4),  # a textbook's table
        ((1, 1, 1, 1), 0.5, 0),
        ((9, 0, 0, 0), 1, None),
        ((0, 0, 0, 9), 1, None),
    ],
)
def test_kappa(counts: tuple[int, int, int, int], alike: float, kappa: float | None) -> None:
    actual = Agreement(*counts)
    assert actual.alike == pytest.approx(alike)
    assert actual.kappa == (None if kappa is None else pytest.approx(kappa))


def test_a_run_reports_the_precision(
    command: Callable, run_gate: Callable, suite: Path, tmp_path: Path
) -> None:
    answer = command("suite", "audit", suite, "--read", OLD_SHEET)
    assert answer.code == CANNOT_JUDGE
    assert " rows are not cases of" in answer.err
    answer = command("suite", "audit", suite, "--out", "sheets", "--groups", 20)
    assert "--read SHEET.csv" in answer.err
    sheet = tmp_path / "sheets" / SHEET
    write(sheet, from_csv(sheet.read_bytes(), sheet), "ok")
    words = "reviewed: 20 of 20 acceptable, 95% CI 83.9% to 100%"
    assert f"ner/structural: {words}" in command("suite", "audit", suite, "--read", sheet).err
    assert f"  {words}\n" in command("suite", "show", suite).out
    assert command("suite", "verify", suite).code == 0
    assert run_gate().code == 0
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["relations"][0]["precision"]["acceptable"] == 20
    assert "precision" not in result["relations"][1]
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("Reviewed by language models: 20 of 20") == 1
