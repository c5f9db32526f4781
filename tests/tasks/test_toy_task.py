"""A task needs its own module alone: one that the package does not have goes through all of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import toy_task
from mt_gate.sut.processes import allowed

_START = "import toy_task; toy_task.register(); from mt_gate.__main__ import main; main()"
TESTS = Path(__file__).parents[1]


def answer(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Return what the command says where the toy task is in the tables."""
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent / "runner")])
    return subprocess.run(
        [sys.executable, "-P", "-c", _START, *map(str, arguments)],
        env={**allowed(os.environ), "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite, a checkpoint, a worse one, and the baseline of the first."""
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    folder = tmp_path_factory.mktemp("mood")
    toy_task.write_suite(folder / "suite")
    toy_task.write_checkpoint(folder / "before")
    toy_task.write_checkpoint(folder / "after", today=2)
    first = run(folder, "before", "first")
    assert first.returncode == 0, first.stderr
    recorded = answer(
        "baseline", "record", folder / "first", "--name", "mood", "--dir", folder / "baselines"
    )
    assert recorded.returncode == 0, recorded.stderr
    return folder


def run(folder: Path, checkpoint: str, out: str, *more: object) -> subprocess.CompletedProcess[str]:
    return answer(
        "run", "--checkpoint", folder / checkpoint, "--task", "mood", "--suite", folder / "suite",
        "--out", folder / out, "--cache", folder / "cache", *more,
    )  # fmt: skip


def result(folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return values


def test_a_run_is_measured_with_the_tasks_own_profile(made: Path) -> None:
    actual = result(made / "first")
    assert actual["verdict"] == "measured"
    assert actual["profile"]["candidate"] == {"share of glad": 0.5, "share of sad": 0.5}
    assert [relation["id"] for relation in actual["relations"]] == ["mood/added-day"]
    assert actual["overall"]["violation_rate"] == 0


def test_a_worse_one_fails_and_every_report_shows_the_groups(made: Path) -> None:
    worse = run(made, "after", "worse", "--baseline", made / "baselines" / "mood.json")
    assert worse.returncode == 1, worse.stderr
    actual = result(made / "worse")
    assert actual["verdict"] == "regression"
    assert actual["overall"]["comparison"]["new_violations"] == 15
    page = (made / "worse" / "report.html").read_text()
    summary = (made / "worse" / "summary.md").read_text()
    cases = ElementTree.parse(made / "worse" / "junit.xml").iter("failure")
    assert "A day added" in page
    assert "from glad to sad" in page
    assert "A day added" in summary
    assert any("from glad to sad" in (case.text or "") for case in cases)


def test_it_is_evaluated_on_labels(made: Path) -> None:
    labels = made / "labels.jsonl"
    lines = [{"text": "The film was good.", "mood": "glad"}, {"text": "It was.", "mood": "sad"}]
    labels.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = answer(
        "evaluate", "--checkpoint", made / "before", "--task", "mood", "--labels", labels,
        "--out", made / "evaluated", "--cache", made / "cache",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    actual = json.loads((made / "evaluated" / "evaluation.json").read_text())
    assert actual["accuracy"]["count"] == 1
    assert actual["accuracy"]["of"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("run", "--answers", "yes=a,no=b"),
            "--answers works only with task boolq, not mood",
        ),
        (("run", "--ontology", "tacred"), "--ontology works only with task re, not mood"),
        (("evaluate", "--labels", "a", "--distant"), "--distant is for task re, not for mood"),
    ],
)
def test_missing_parts_are_reported(arguments: tuple[str, ...], words: str) -> None:
    done = answer(*arguments, "--checkpoint", "x", "--task", "mood")
    assert done.returncode == 2
    assert words in done.stderr
