"""``mt-gate history`` on runs that are made up, judged and recorded as real ones are."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from baselines.made import result_of, static
from cases import table
from conftest import check_refused
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE, CannotJudge, UsageError
from mt_gate.history import runs
from mt_gate.history.runs import find, read_history
from mt_gate.results.result import GroupRow
from reporting import made_up
from speeds import first_daily

GROUPS, STEP = 2000, 0.008
DAYS = [f"2026-01-{day:02}T12:00:00+00:00" for day in (1, 3, 4, 8, 20, 31)]
REASON = 'the "new" labels; =1+1'
Command = Callable[..., Any]


def rows(pattern: str, relation: str = "swap") -> list[GroupRow]:
    return static(pattern, relation)


def store(
    folder: Path, pattern: str, number: int = 0, relation: str = "swap", **changed: Any
) -> Path:
    """Write a run that was measured alone; its number is that of its day and its checkpoint."""
    values = rows(pattern, relation)
    result = result_of(values, created=DAYS[number], **changed)
    head = msgspec.structs.replace(
        result.checkpoint, name=f"ner-{number}", fingerprint=f"sha256:{number:064x}"
    )
    settings = msgspec.structs.replace(result.settings, max_violation_rate={})
    folder.mkdir(parents=True, exist_ok=True)
    return made_up.store(
        folder, msgspec.structs.replace(result, checkpoint=head, settings=settings), values
    )


def slide(seed: int) -> list[str]:
    """Return six checkpoints' verdicts, each 0.8 points worse: more groups turn than that."""
    random = Random(seed)
    verdicts = ["s"] * GROUPS
    for at in random.sample(range(GROUPS), GROUPS // 10):
        verdicts[at] = "v"
    patterns = ["".join(verdicts)]
    for _ in DAYS[1:]:
        violated = [at for at, letter in enumerate(verdicts) if letter == "v"]
        satisfied = [at for at, letter in enumerate(verdicts) if letter == "s"]
        fixed = random.randrange(4, 12)
        for at in random.sample(violated, fixed):
            verdicts[at] = "s"
        for at in random.sample(satisfied, fixed + round(STEP * GROUPS)):
            verdicts[at] = "v"
        patterns.append("".join(verdicts))
    return patterns


@pytest.fixture
def line(command: Command, tmp_path: Path) -> Callable[[int], list[dict[str, Any]]]:
    """Judge each of six checkpoints by the one before, and record it: as ``runs`` and ``kept``."""

    def made(seed: int) -> list[dict[str, Any]]:
        results = []
        for number, pattern in enumerate(slide(seed)):
            measured = store(tmp_path / "measured" / str(number), pattern, number)
            out = tmp_path / "runs" / f"{number}-{number:07x}"
            if number:
                answer = command("compare", measured, "--baseline", "baselines/ner.json",
                                 "--out", out)  # fmt: skip
                assert answer.code == PASS, answer
            else:
                shutil.copytree(measured, out)
            record = ["baseline", "record", out, "--name", "ner", "--no-answers"]
            if command(*record).code != PASS:
                assert command(*record, "--accept", REASON).code == PASS
            (tmp_path / "kept").mkdir(exist_ok=True)
            shutil.copy(tmp_path / "baselines" / "ner.json", tmp_path / "kept" / f"{number}.json")
            results.append(json.loads((out / "result.json").read_text()))
        return results

    return made


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


@pytest.mark.parametrize("seed", first_daily(range(3)))
def test_six_checkpoints_each_a_little_worse(
    command: Command, line: Callable, tmp_path: Path, seed: int
) -> None:
    """Each step passes; the anchor shows the loss, and the page draws it."""
    results = line(seed)
    assert [result["verdict"] for result in results[1:]] == ["pass"] * 5
    assert [result["overall"]["comparison"]["delta"] for result in results[1:]] == [
        pytest.approx(STEP)
    ] * 5
    assert [result["anchor"]["figures"]["delta"] for result in results[2:]] == [
        pytest.approx(STEP * steps) for steps in (2, 3, 4, 5)
    ]
    assert results[-1]["anchor"]["verdict"] == "regression"
    answer = command("history", "runs", "--out", "h.html", "--baselines", "kept")
    assert answer.code == PASS, answer
    assert "compared with the anchor: +4.0 pp (" in answer.out
    page = (tmp_path / "h.html").read_text()
    drawn = panels(page)
    assert [*drawn] == ["Overall", "Distance to the anchor", "swap"]
    for title, marks in (("Overall", 6), ("Distance to the anchor", 4), ("swap", 6)):
        heights = [float(y) for y in re.findall(r'<svg x="[\d.]+%" y="([\d.]+)"', drawn[title])]
        assert len(heights) == marks
        assert heights == sorted(heights, reverse=True)  # higher on the page is worse
        assert len(set(heights)) == marks
        assert drawn[title].count('class="lead-line"') == marks - 1
    assert "<b>+4.0 pp</b>" in drawn["Distance to the anchor"]
    assert page.count('class="again"') == 3 * 4  # a line in each panel
    assert page.count("Recorded again:") == 4


def panels(page: str) -> dict[str, str]:
    parts = re.split(r'<h3 id="panel[^"]*"><span>', page)[1:]
    return {part.partition("</span>")[0]: part.partition("</p>")[0] for part in parts}


def test_the_table_has_every_figure(command: Command, line: Callable, tmp_path: Path) -> None:
    results = line(0)
    assert command("history", "runs", "--out", "h.csv", "--baselines", "kept").code == PASS
    actual = rows_of(tmp_path / "h.csv")
    assert [row["relation"] for row in actual] == ["swap", "all"] * 6
    for row, result in zip(actual[1::2], results, strict=True):
        assert row["verdict"] == result["verdict"]
        assert row["created"] == result["created"]
        assert float(row["violation_rate"]) == result["overall"]["violation_rate"]
        low, high = float(row["violation_rate_low"]), float(row["violation_rate_high"])
        assert low < float(row["violation_rate"]) < high
        comparison = result["overall"].get("comparison")
        assert row["delta"] == (str(comparison["delta"]) if comparison else "")
        anchor = result.get("anchor")
        assert row["anchor_delta"] == (str(anchor["figures"]["delta"]) if anchor else "")
    assert [row["recorded_again"] for row in actual[1::2]] == ["0", "0", "1", "1", "1", "1"]
    # 0.8 points is within the margin of the anchor; what is more was accepted.
    assert [row["reason"] for row in actual[1::2]] == ["", "", "", *[REASON] * 3]


def test_in_order_of_commits_as_they_are_named(command: Command, tmp_path: Path) -> None:
    for number, name in enumerate(("b", "a", "c")):
        store(tmp_path / name, "vs" * 50, number)
    assert command("history", "a", "b", "c", "--out", "h.csv").code == PASS
    assert [row["place"] for row in rows_of(tmp_path / "h.csv")][::2] == ["b", "a", "c"]
    answer = command("history", "a", "b", "c", "--out", "h.csv", "--along", "commits")
    assert answer.code == PASS
    assert [row["place"] for row in rows_of(tmp_path / "h.csv")][::2] == ["a", "b", "c"]
    command("history", "c", "b", "a", "--out", "h.html", "--along", "commits")
    page = (tmp_path / "h.html").read_text()
    assert "in the order in which you passed them" in page
    assert '<p class="ends"><span>c</span><span>a</span></p>' in page


def damage(file: Path, how: str) -> None:
    """Make a result one of those that cannot be read."""
    value = json.loads(file.read_text())
    if how == "edited":
        value["verdict"] = "improved"
    elif how == "newer":
        value["format"] = 99
    elif how == "timeless":
        value["created"] = "today"
    file.write_text("{" if how == "cut" else json.dumps(value))
    if how == "of two runs":
        shutil.copy(file.parents[1] / "1" / "groups.jsonl.gz", file.parent)


@pytest.mark.parametrize(("how", "words"), table(__file__, "unreadable"))
def test_an_unreadable_result_is_named_and_the_rest_is_shown(
    command: Command, tmp_path: Path, how: str, words: str
) -> None:
    for number in range(3):
        store(tmp_path / "runs" / str(number), "vs" * (50 + number), number)
    damage(tmp_path / "runs" / "2" / "result.json", how)
    answer = command("history", "runs", "--out", "h.html")
    assert answer.code == PASS
    (message,) = [said for said in answer.err.splitlines() if "Skipped: " in said]
    assert words in message
    page = (tmp_path / "h.html").read_text()
    assert "1 file could not be read" in page
    assert words in page
    assert "2 runs" in answer.out
    shutil.rmtree(tmp_path / "runs" / "0")
    shutil.rmtree(tmp_path / "runs" / "1")
    answer = command("history", "runs", "--out", "no.html")
    check_refused(answer, CANNOT_JUDGE, "No result can be read", words)
    assert not (tmp_path / "no.html").exists()


def test_what_cannot_be_done_is_said(command: Command, tmp_path: Path) -> None:
    (tmp_path / "empty" / "deeper").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    store(tmp_path / "runs", "vs" * 50)
    for folder, out, code, *words in (
        ("empty", "h.html", CANNOT_JUDGE, "empty", "No result.json"),
        ("nowhere", "h.html", USAGE, "Folder nowhere does not exist"),
        ("runs", "h.txt", USAGE, "--out must end in .html or .csv"),
        ("runs", "file/h.csv", USAGE, "--out file/h.csv"),
    ):
        check_refused(command("history", folder, "--out", out), code, *words)
    answer = command("history", "runs", "--out", "h.csv", "--baselines", "b")
    check_refused(answer, USAGE, "mt-gate: b does not exist")
    assert not (tmp_path / "h.csv").exists()


def lay(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "result.json").write_text("{}")
    return folder


def test_folders_of_folders_in_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b", "a/2", "a/1", "c/d/e"):
        lay(tmp_path / "runs" / name)
    (tmp_path / "runs" / "file").write_text("")
    assert [one.place for one in find([tmp_path / "runs"])] == ["b", "a/1", "a/2", "c/d/e"]
    alone = tmp_path / "runs" / "a" / "1"
    assert [one.place for one in find([alone])] == [str(alone)]


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    lay(tmp_path / "elsewhere")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotJudge):
        find([tmp_path / "runs"])


def test_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        store(tmp_path / str(3 - number), "vs" * 50, number)
    monkeypatch.setattr(runs, "MOST_RUNS", 3)
    for by_time, places in ((True, ["2", "1", "0"]), (False, ["1", "2", "3"])):
        (suite,) = (actual := read_history([tmp_path], [], by_time=by_time)).suites
        assert [run.place for run in suite.runs] == places
        assert actual.notes[0].startswith("1 older result omitted")
    monkeypatch.setattr(runs, "MOST_FOLDERS", 2)
    with pytest.raises(UsageError, match="more than 2 folders"):
        find([tmp_path])
