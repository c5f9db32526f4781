"""Drawing sheets, and what marked sheets say of a suite."""

from __future__ import annotations

import json
import random
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scipy.stats import binomtest

from making import make_suite
from mt_gate.base.errors import CANNOT_JUDGE, USAGE, CannotJudge, UsageError
from mt_gate.suites.format import HEAD, SuiteRelation, find_suite, read_suite, write_suite
from mt_gate_suites.audit.audit import PAGE, draw, record
from mt_gate_suites.audit.sheet import SheetLine, from_csv, to_csv

SHEET = "ner-structural.csv"
OLD_SHEET = Path(__file__).parents[3] / "docs" / "audits" / SHEET


def drawn(suite: Path, out: Path, **options: object) -> list[SheetLine]:
    draw(str(suite), out, **options)  # type: ignore[arg-type]
    return from_csv((out / SHEET).read_bytes(), out / SHEET)


def write(path: Path, lines: list[SheetLine]) -> Path:
    path.write_bytes(to_csv(lines))
    return path


def marked(lines: list[SheetLine], *marks: str) -> list[SheetLine]:
    """Mark lines in turn."""
    return [line._replace(mark=marks[at % len(marks)]) for at, line in enumerate(lines)]


@pytest.fixture
def lines(suite: Path, tmp_path: Path) -> list[SheetLine]:
    return drawn(suite, tmp_path / "sheets", groups=20)


class TestDrawing:
    def test_what_is_written(self, suite: Path, tmp_path: Path) -> None:
        paths = draw(str(suite), tmp_path / "out", groups=7)
        assert [path.name for path in paths] == [SHEET, PAGE]
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [PAGE, SHEET]

    def test_lines_are_groups_of_the_suite(self, suite: Path, lines: list[SheetLine]) -> None:
        read = read_suite(suite)
        texts = {source.id: source.input["text"] for source in read.sources}
        groups = {group.id: group for group in read.groups}
        assert len({line.id for line in lines}) == 20
        for line in lines:
            group = groups[line.id]
            told = (group.relation, texts[group.source], group.follow_up["text"], "", "")
            assert line[1:6] == told
            assert set(line[6:]) == {""}

    def test_all_where_there_are_fewer(self, suite: Path, tmp_path: Path) -> None:
        assert len(drawn(suite, tmp_path / "out")) == len(read_suite(suite).groups) == 60

    def test_the_same_draw_whatever_the_order_of_the_groups(
        self, suite: Path, tmp_path: Path
    ) -> None:
        read = read_suite(suite)
        groups = random.Random(1).sample(read.groups, len(read.groups))
        write_suite(tmp_path / "turned", read.head, read.sources[::-1], groups)
        one = drawn(suite, tmp_path / "one", groups=9)
        assert drawn(tmp_path / "turned", tmp_path / "two", groups=9) == one
        assert drawn(suite, tmp_path / "three", groups=30)[:9] == one

    def test_another_seed_draws_others(self, suite: Path, tmp_path: Path) -> None:
        own = drawn(suite, tmp_path / "own", groups=9)
        assert drawn(suite, tmp_path / "same", groups=9, seed=1) == own
        other = drawn(suite, tmp_path / "other", groups=9, seed=2)
        assert {line.id for line in own} != {line.id for line in other}

    def test_marks_are_not_written_over(self, suite: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        write(out / SHEET, marked(drawn(suite, out), "ok"))
        before = (out / SHEET).read_bytes()
        with pytest.raises(UsageError, match="may hold marks"):
            draw(str(suite), out)
        assert (out / SHEET).read_bytes() == before

    @pytest.mark.parametrize(
        ("relation", "words"),
        [
            ("ner/entity-shuffle", "built at run time"),
            ("ner/other", "has ner/structural, ner/entity-shuffle"),
        ],
    )
    def test_relations_without_a_sheet(
        self, suite: Path, tmp_path: Path, relation: str, words: str
    ) -> None:
        with pytest.raises(UsageError, match=words):
            draw(str(suite), tmp_path / "out", relation=relation)
        assert not (tmp_path / "out").exists()

    def test_nothing_to_draw_from(self, tmp_path: Path) -> None:
        suite = make_suite(tmp_path / "suite", ["Anna met Boris."])
        with pytest.raises(UsageError, match="no relation has groups"):
            draw(str(suite), tmp_path / "out")
        with pytest.raises(UsageError, match="it has no groups"):
            draw(str(suite), tmp_path / "out", relation="ner/structural")

    def test_a_text_longer_than_a_cell(self, tmp_path: Path) -> None:
        suite = make_suite(tmp_path / "suite", [f"Anna was {'very ' * 7000}late."])
        with pytest.raises(CannotJudge, match="a sheet's cell holds 32767"):
            draw(str(suite), tmp_path / "out")

    def test_an_out_that_is_a_file(self, suite: Path, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("")
        with pytest.raises(UsageError, match="name another --out"):
            draw(str(suite), tmp_path / "out")

    def test_names_of_relations_make_no_paths(self, suite: Path, tmp_path: Path) -> None:
        """Relation ids of a stranger's suite stay within the folder, and apart."""
        read = read_suite(suite)
        names = ["../../x", "..\\..\\x", "/", "=x", "ä" * 200, "ner/structural"]
        groups = [
            msgspec.structs.replace(group, relation=names[at % len(names)])
            for at, group in enumerate(read.groups)
        ]
        relations = tuple(SuiteRelation(id=name, groups=10, sources=10) for name in names)
        head = msgspec.structs.replace(read.head, relations=relations)
        write_suite(
            tmp_path / "odd",
            head,
            [msgspec.structs.replace(source, bind=()) for source in read.sources],
            groups,
        )
        out = tmp_path / "deep" / "er" / "out"
        paths = draw(str(tmp_path / "odd"), out)
        assert len(set(paths)) == len(names) + 1
        assert {path.resolve().parent for path in paths} == {out.resolve()}
        sheets = [
            write(path, marked(from_csv(path.read_bytes(), path), "ok")) for path in paths[:-1]
        ]
        assert [item.relation for item in record(str(tmp_path / "odd"), sheets)] == names


class TestReading:
    def test_precision(self, suite: Path, tmp_path: Path, lines: list[SheetLine]) -> None:
        identity = read_suite(suite).identity
        sheet = write(tmp_path / "my.csv", marked(lines, "ok", "OK ", "doubtful", "ok", "bad"))
        [(relation, found, _)] = record(str(suite), [sheet])
        assert (relation, found.read, found.acceptable) == ("ner/structural", 20, 12)
        expected = binomtest(12, 20).proportion_ci(method="wilson")
        assert found.interval == pytest.approx(tuple(expected), abs=1e-6)
        assert found.sheet.startswith("my.csv sha256:")
        assert len(found.sheet) == len("my.csv sha256:") + 64
        after = read_suite(suite)
        assert after.identity == identity
        assert [item.precision for item in after.head.relations] == [found, None]

    def test_twice_gives_the_same_bytes(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine]
    ) -> None:
        sheet = write(tmp_path / "my.csv", marked(lines, "ok"))
        record(str(suite), [sheet])
        once = (suite / HEAD).read_bytes()
        record(str(suite), [sheet])
        assert (suite / HEAD).read_bytes() == once

    def test_only_the_relations_read_change(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine]
    ) -> None:
        before = json.loads((suite / HEAD).read_text())
        record(str(suite), [write(tmp_path / "my.csv", marked(lines, "ok"))])
        after = json.loads((suite / HEAD).read_text())
        del after["relations"][0]["precision"]
        assert after == before

    def test_a_sheet_in_another_order(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine]
    ) -> None:
        turned = marked(lines, "bad", "ok")[::-1]
        [(_, found, _)] = record(str(suite), [write(tmp_path / "my.csv", turned)])
        assert (found.read, found.acceptable) == (20, 10)

    def test_line_ends_in_a_text_may_change(self, tmp_path: Path) -> None:
        suite = make_suite(tmp_path / "suite", ["Anna was a friend\r\nof Boris."])
        [line] = drawn(suite, tmp_path / "out")
        changed = line._replace(source=line.source.replace("\r\n", "\n"), mark="ok")
        assert changed != line
        [(_, found, _)] = record(str(suite), [write(tmp_path / "my.csv", [changed])])
        assert found.acceptable == 1

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda _: [], "no rows"),
            (lambda x: marked(x, "ok", ""), "10 of 20 rows are unmarked"),
            (lambda x: marked(x, "ok", "fine"), "is marked 'fine'; expected ok, doubtful, bad"),
            (lambda x: [*marked(x, "ok"), x[0]], "occurs twice"),
            (lambda x: [line._replace(source="Oslo") for line in x], "20 of 20 rows are not"),
            (lambda x: [x[0]._replace(follow_up="Oslo"), *x[1:]], "1 of 20 rows are not"),
            (lambda x: [x[0]._replace(id="0" * 16), *x[1:]], "1 of 20 rows are not"),
            (lambda x: [x[0]._replace(relation="ner/other"), *x[1:]], "20 of 20 .*ner/other"),
            (lambda x: [*x[1:], x[0]._replace(relation="ner/other")], "1 of 20 rows are not"),
            (
                lambda _: [SheetLine("\x1b[31m", "", "a", "b", "ok")],
                "1 of 1 rows are not groups of any",
            ),
        ],
    )
    def test_sheets_that_are_refused(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine], change: Callable, words: str
    ) -> None:
        before = (suite / HEAD).read_bytes()
        sheet = write(tmp_path / "my.csv", change(lines))
        with pytest.raises(CannotJudge, match=words) as caught:
            record(str(suite), [sheet])
        assert str(caught.value).isprintable()
        assert (suite / HEAD).read_bytes() == before

    def test_what_was_refused_may_have_left_the_suite(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine]
    ) -> None:
        gone = SheetLine("0" * 16, lines[0].relation, "a", "b", "Doubtful", "torn")
        sheet = write(tmp_path / "my.csv", [*marked(lines, "ok"), gone])
        [(_, found, _)] = record(str(suite), [sheet])
        assert (found.read, found.acceptable) == (21, 20)

    def test_two_sheets_of_one_relation(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine]
    ) -> None:
        sheet = write(tmp_path / "my.csv", marked(lines, "ok"))
        with pytest.raises(UsageError, match="a second sheet of ner/structural"):
            record(str(suite), [sheet, sheet])

    def test_one_bad_sheet_and_nothing_is_written(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine]
    ) -> None:
        good = write(tmp_path / "good.csv", marked(lines, "ok"))
        bad = write(tmp_path / "bad.csv", marked(lines, ""))
        before = (suite / HEAD).read_bytes()
        with pytest.raises(CannotJudge, match="unmarked"):
            record(str(suite), [good, bad])
        assert (suite / HEAD).read_bytes() == before

    def test_a_suite_that_cannot_be_written(
        self, suite: Path, tmp_path: Path, lines: list[SheetLine]
    ) -> None:
        sheet = write(tmp_path / "my.csv", marked(lines, "ok"))
        before = {path.name: path.read_bytes() for path in suite.iterdir()}
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        # Unlike a folder's permissions this stops root too.
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        try:
            with pytest.raises(UsageError, match="copy the suite to your own folder"):
                record(str(suite), [sheet])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert {path.name: path.read_bytes() for path in suite.iterdir()} == before

    def test_the_sheet_of_the_shipped_suite(self, tmp_path: Path) -> None:
        """The shipped suite itself stays as it is: the test reads into a copy."""
        copy = Path(shutil.copytree(find_suite("ner-default"), tmp_path / "copy"))
        [(relation, found, _)] = record(str(copy), [OLD_SHEET])
        assert (relation, found.read, found.acceptable) == ("ner/structural", 158, 158)


class TestCommand:
    def test_there_and_back(self, command: Callable, suite: Path, tmp_path: Path) -> None:
        answer = command("suite", "audit", suite, "--out", "sheets", "--groups", 5)
        assert (answer.code, answer.out) == (0, "")
        assert "--read SHEET.csv" in answer.err
        sheet = tmp_path / "sheets" / SHEET
        write(sheet, marked(from_csv(sheet.read_bytes(), sheet), "ok"))
        answer = command("suite", "audit", suite, "--read", sheet)
        words = "read: 5 of 5 acceptable, 95 % interval 56.6 % to 100 %"
        assert answer.code == 0
        assert f"ner/structural: {words}" in answer.err
        assert f"  {words}\n" in command("suite", "show", suite).out
        assert command("suite", "verify", suite).code == 0

    @pytest.mark.parametrize(
        "flags",
        [
            [],
            ["--read"],
            ["my.csv"],
            ["my.csv", "--out", "x"],
            ["--read", "my.csv", "--out", "x"],
            ["--read", "my.csv", "--groups", "5"],
            ["--out", "x", "--groups", "0"],
            ["--out", "x", "--relation", "ner/entity-shuffle"],
        ],
    )
    def test_wrong_usage(
        self, command: Callable, suite: Path, tmp_path: Path, flags: list[str]
    ) -> None:
        answer = command("suite", "audit", suite, *flags)
        assert (answer.code, answer.out) == (USAGE, "")
        assert len(answer.err.splitlines()) == 1
        assert not (tmp_path / "x").exists()

    def test_a_sheet_of_another_suite(self, command: Callable, suite: Path) -> None:
        answer = command("suite", "audit", suite, "--read", OLD_SHEET)
        assert answer.code == CANNOT_JUDGE
        assert " rows are not groups of" in answer.err
        assert len(answer.err.splitlines()) == 1

    def test_a_run_carries_the_precision(
        self, run_gate: Callable, suite: Path, tmp_path: Path
    ) -> None:
        assert run_gate().code == 0
        plain = json.loads((tmp_path / "out" / "result.json").read_text())
        assert "precision" not in plain["relations"][0]
        assert "a reader accepts" not in (tmp_path / "out" / "report.html").read_text()
        sheet = tmp_path / "my.csv"
        write(sheet, marked(drawn(suite, tmp_path / "sheets", groups=20), "ok"))
        record(str(suite), [sheet])
        assert run_gate().code == 0
        result = json.loads((tmp_path / "out" / "result.json").read_text())
        assert result["suite"] == plain["suite"]
        assert result["relations"][0]["precision"]["acceptable"] == 20
        assert "precision" not in result["relations"][1]
        page = (tmp_path / "out" / "report.html").read_text()
        words = "Of 20 random follow-ups of the suite a reader accepts 20 (95 % interval 83.9 % to"
        assert page.count(words) == 1
