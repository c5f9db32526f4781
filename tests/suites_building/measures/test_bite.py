"""``mt-gate suite bite`` over small, real runs."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from making import SENTENCES, make_suite
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.cli import exit_code
from mt_gate.results.store import read_result, read_rows
from mt_gate.suites.format import read_suite, write_suite
from mt_gate_suites.measures.bite import CHOOSING, REPORTING, read_choice

pytest.importorskip("onnx", reason="needs mt-gate[export]")

OTHER = 15
"""Seed of a checkpoint that violates other groups."""


@pytest.fixture(scope="module")
def made(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two checkpoints that answer differently, on a suite as ``suite`` has it."""
    from making_onnx import network, save_as_exported

    folder = tmp_path_factory.mktemp("made")
    suite = make_suite(folder / "suite")
    other = save_as_exported(folder / "other", network(seed=OTHER))
    for name, checkpoint in (("one", small), ("two", other)):
        of = ["--checkpoint", str(checkpoint), "--task", "ner", "--suite", str(suite)]
        assert exit_code(["run", *of, "--out", str(folder / name)]) == PASS
    return folder


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> list[Path]:
    """The same, for the test to change."""
    return [Path(shutil.copytree(made / name, tmp_path / name)) for name in ("one", "two")]


def refuse(answer: Any, code: int, *words: str) -> None:
    assert answer.code == code, answer
    assert len(answer.err.strip().splitlines()) == 1
    for word in words:
        assert word in answer.err
    assert answer.out == ""


def verdicts(runs: list[Path], relation: str) -> dict[str, list[str]]:
    result = defaultdict(list)
    for run in runs:
        path = run / "result.json"
        for row in read_rows(path, read_result(path)):
            if row.relation == relation and row.verdict != "not-applicable":
                result[row.id].append(row.verdict.value)
    return result


def test_figures(command: Callable, suite: Path, runs: list[Path]) -> None:
    answer = command("suite", "bite", suite, "--runs", *runs, "--format", "json")
    assert answer.code == PASS, answer
    figures = json.loads(answer.out)
    assert figures["use"] == REPORTING
    assert [one["name"] for one in figures["checkpoints"]] == ["bert", "other"]
    for relation in figures["relations"]:
        actual = [*verdicts(runs, relation["id"]).values()]
        own = relation["figures"]
        violated = sum(one.count("violated") for one in actual)
        assert own["groups"] == len(actual)
        assert own["judged"] == sum(map(len, actual))
        assert own["violated"] == violated
        assert own["violation_rate"] == round(violated / own["judged"], 6)
        assert own["never"] == sum("violated" not in one for one in actual)
        assert own["compared"] == sum(len(one) == 2 for one in actual)
        assert own["flips"] == sum(len(set(one)) == 2 for one in actual)
        for name in ("groups", "judged", "violated", "flips", "never"):
            assert sum(one[name] for one in relation["edits"].values()) == own[name]
    assert any(one["figures"]["flips"] for one in figures["relations"]), "the checkpoints differ"


def test_a_table(command: Callable, suite: Path, runs: list[Path]) -> None:
    answer = command("suite", "bite", suite, "--runs", runs[0], "--runs", runs[1])
    assert answer.code == PASS, answer
    assert "made-up, version 1: reporting set of bert (" in answer.out
    (line,) = (line for line in answer.out.splitlines() if line.startswith("ner/structural"))
    assert line.count("%") == 3
    assert "(words moved)" in answer.out
    one = command("suite", "bite", suite, "--runs", runs[0], "--edits", 0)
    assert "n/a" in one.out, "nothing flips in one run"
    assert "(words moved)" not in one.out


def test_who_chose_does_not_report(
    command: Callable, suite: Path, runs: list[Path], tmp_path: Path
) -> None:
    file = tmp_path / "bite.json"
    written = command("suite", "bite", suite, "--runs", runs[0], "--write", file)
    assert written.code == PASS, written
    assert "choosing set of bert" in written.out
    choice = read_choice(file)
    assert choice.bite.use == CHOOSING
    read = read_suite(suite)
    chosen = msgspec.structs.replace(read.head, chosen_by=choice.bite.checkpoints)
    write_suite(suite, chosen, read.sources, read.groups)
    refuse(
        command("suite", "bite", suite, "--runs", *runs),
        USAGE,
        "'bert'",
        "was used to choose the cases of suite made-up",
        "one",
    )
    assert command("suite", "bite", suite, "--runs", runs[1]).code == PASS
    again = command("suite", "bite", suite, "--runs", *runs, "--write", file)
    assert again.code == PASS, "a choice may be made again"
    assert "chosen by bert" in command("suite", "show", suite).out


def test_what_is_no_run_of_the_suite(
    command: Callable, run_gate: Callable, suite: Path, runs: list[Path], tmp_path: Path
) -> None:
    def bite(*paths: Path) -> Any:
        return command("suite", "bite", suite, "--runs", *paths)

    run_gate(out=tmp_path / "part", sources=10)
    assert bite(tmp_path / "part", runs[1]).code == PASS, "a part is a run of the suite"
    other = make_suite(tmp_path / "other-suite", SENTENCES[60:90])
    run_gate(out=tmp_path / "three", suite=other)
    refuse(bite(runs[0], tmp_path / "three"), USAGE, "three", "Expected runs of made-up 1")
    refuse(bite(*runs, runs[0]), USAGE, "the same checkpoint as")
    refuse(bite(*runs * 14), USAGE, "mt-gate: At most 26")
    refuse(bite(tmp_path / "nowhere"), CANNOT_JUDGE, "nowhere")
    refuse(command("suite", "bite", "nowhere", "--runs", *runs), USAGE, "nowhere")
    refuse(command("suite", "bite", suite), USAGE, "--runs")
    gone = tmp_path / "gone" / "bite.json"
    (tmp_path / "gone").write_text("a file")
    answer = command("suite", "bite", suite, "--runs", *runs, "--write", gone)
    assert answer.code in (USAGE, CANNOT_JUDGE), answer
