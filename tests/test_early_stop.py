"""Runs with early stop through the whole gate: a small classifier that gets worse, or does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from making_stated import write_stated
from making_text import save_bag
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.judging.family import LOOKS

SAME = {"text/added": {"kind": "same"}, "text/other": {"kind": "same"}}
SOURCES = 500
PAIRS = [
    ({"text": f"text {i} is calm"}, {"text": f"text {i} is calm {'trap' if i % 5 else 'also'}"})
    for i in range(SOURCES)
]
LABELS = ("LABEL_0", "LABEL_1")


@pytest.fixture
def gate(command: Callable, tmp_path: Path) -> Callable:
    """Run a checkpoint, by the weight of the word that four of five follow-ups have more."""
    suite = write_stated(tmp_path / "suite", "text", SAME, PAIRS)
    made: dict[float, Path] = {}

    def run(trap: float, *flags: object, out: str = "out") -> Any:
        if trap not in made:
            made[trap] = save_bag(
                tmp_path / f"bag-{len(made)}", LABELS, {"calm": (2, 0), "trap": (0, trap)}
            )
        arguments = ("--checkpoint", made[trap], "--task", "text", "--suite", suite)
        return command("run", *arguments, "--out", tmp_path / out, *flags)

    return run


@pytest.fixture
def baseline(gate: Callable, command: Callable, tmp_path: Path) -> Path:
    assert gate(0.0, out="first").code == PASS
    assert command("baseline", "record", "first", "--name", "text").code == PASS
    return tmp_path / "baselines" / "text.json"


def result(tmp_path: Path, out: str = "out") -> Any:
    return json.loads((tmp_path / out / "result.json").read_text())


def test_a_loss_stops_the_run_and_every_report_says_so(
    gate: Callable, baseline: Path, command: Callable, tmp_path: Path
) -> None:
    answer = gate(3.0, "--baseline", baseline, "--early-stop")
    assert answer.code == REGRESSION, answer
    actual = result(tmp_path)
    early = actual["early"]
    assert early["look"] < early["looks"] == LOOKS
    assert 0 < early["asked"] < early["clusters"] == SOURCES
    assert actual["predictions"]["unique"] == 2 * early["asked"]
    assert actual["overall"]["applicable"] == 2 * early["asked"]
    assert early["loss"] is True
    of = f"{early['asked']} of {SOURCES} clusters of original texts"
    said = f"Stopped early because a regression was certain: {of} were run"
    assert actual["reasons"][0].startswith(said)
    assert f"Stopped early: {early['asked']} of {SOURCES} clusters" in answer.out
    for name in ("summary.md", "report.html", "junit.xml"):
        assert said in (tmp_path / "out" / name).read_text(), name
    assert "Run it without --early-stop first" in (tmp_path / "out" / "summary.md").read_text()
    # What a result says of itself is believed when it is read, and it is judged as it was.
    again = command("compare", "out", "--baseline", baseline, "--out", "again")
    assert again.code == REGRESSION
    assert result(tmp_path, "again")["relations"] == actual["relations"]
    # By what it is judged now it would not have stopped; it did, for the reason that it had.
    other = command("compare", "out", "--baseline", baseline, "--margin", 0.9, "--out", "other")
    assert other.code == PASS
    assert result(tmp_path, "other")["reasons"][0] == actual["reasons"][0]
    assert command("compare", "out", "first", "--out", "compared").code == PASS
    assert "stopped early" in (tmp_path / "compared" / "comparison.md").read_text()
    past = command("history", "first", "out", "--out", "history.html")
    assert "  - 1 run stopped early: rates cover only what was run\n" in past.out
    for refused in (
        command("baseline", "record", "out", "--name", "other", "--accept", "why"),
        command("compare", "out", "--baseline", baseline, "--strict"),
    ):
        assert refused.code == USAGE
        assert refused.err.count("\n") == 1
        assert "stopped early" in refused.err


def test_a_baseline_without_a_relation_cannot_judge_a_stopped_run(
    gate: Callable, baseline: Path, command: Callable
) -> None:
    assert gate(3.0, "--baseline", baseline, "--early-stop").code == REGRESSION
    assert gate(3.0, "--relations", "text/other", out="part").code == PASS
    recorded = command("baseline", "record", "part", "--name", "part", "--accept", "a part")
    assert recorded.code == PASS, recorded
    for run in ("out", "first"):
        answer = command("compare", run, "--baseline", "baselines/part.json")
        assert answer.code == CANNOT_JUDGE, answer
        assert "no relation text/added, but this run has" in answer.err


def test_a_run_without_a_loss_stops_too(gate: Callable, baseline: Path, tmp_path: Path) -> None:
    assert gate(1.0, "--baseline", baseline, "--early-stop").code == PASS
    actual = result(tmp_path)
    assert actual["verdict"] == "pass", actual["reasons"]
    assert actual["early"]["look"] < LOOKS
    assert (
        "Stopped early because a regression was unlikely to be found in the rest"
        in actual["reasons"][0]
    )


def test_without_a_baseline_the_whole_suite_is_predicted(gate: Callable, tmp_path: Path) -> None:
    assert gate(0.0, "--early-stop", "--baseline", "none.json", "--record-missing").code == PASS
    actual = result(tmp_path)
    assert "early" not in actual
    assert actual["overall"]["applicable"] == 2 * SOURCES
    assert (tmp_path / "none.json").exists()


def test_a_run_that_goes_to_its_end_is_judged_by_its_last_look(
    gate: Callable,
    baseline: Path,
    command: Callable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mt_gate.running.measuring.is_decided", lambda *_: False)
    assert gate(3.0, "--baseline", baseline, "--early-stop").code == REGRESSION
    assert gate(3.0, "--baseline", baseline, out="whole").code == REGRESSION
    early, whole = result(tmp_path), result(tmp_path, "whole")
    assert early["early"]["asked"] == early["early"]["clusters"] == SOURCES
    assert any(note.startswith("The run could have stopped early") for note in early["notes"])
    for one, other in zip(early["relations"], whole["relations"], strict=True):
        assert one["comparison"]["p_adjusted"] > other["comparison"]["p_adjusted"]
        assert one["comparison"]["delta"] == other["comparison"]["delta"]
    assert early["predictions"]["unique"] == whole["predictions"]["unique"]
    assert command("baseline", "record", "out", "--name", "b", "--accept", "known").code == PASS
    assert gate(3.0, "--baseline", "baselines/b.json", out="third").code == PASS
