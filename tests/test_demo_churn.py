"""Churn and negative flips of the demo's pairs: in the report, and as ``evaluate`` counts them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counting_churn import counted, expected_counts, turned
from mt_gate.demo import CHECKPOINTS

LABELS = {
    "ner": "ner/uner_ewt_test.jsonl",
    "boolq": "boolq/dev.jsonl",
    "re": "re/kbp37_test.jsonl.gz",
}
SOURCES, LABELLED = 100, 200
"""Of the suite, and lines of the labels."""


@pytest.fixture(scope="module")
def labels(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the first lines of a task's labels, named as the checkpoints name them."""

    def path_of(task: str) -> Path:
        path = shared / "data" / LABELS[task]
        if not path.is_file():
            pytest.skip(f"no labels: {path}")
        part = tmp_path_factory.mktemp("labels") / "part.jsonl"
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
            rows = [_directed(line) if task == "re" else json.loads(line) for line in lines]
        part.write_text("".join(f"{json.dumps(row)}\n" for row in rows[:LABELLED]))
        return part

    return path_of


def _directed(line: str) -> dict[str, Any]:
    """Return a pair whose relation is read from head to tail, as the checkpoints say it."""
    row: dict[str, Any] = json.loads(line)
    if row["relation"] != "no_relation":
        row["relation"] += "(e1,e2)"
    return row


@pytest.mark.parametrize("task", LABELS)
def test_what_changed_is_what_evaluate_and_the_rows_say(
    task: str, labels: Callable[[str], Path], command: Callable, tmp_path: Path
) -> None:
    base, candidate = (CHECKPOINTS / f"{task}-{side}" for side in ("baseline", "candidate"))
    options = ["--task", task, "--labels", labels(task), "--cache", "cache"]
    actual = command("qualify", base, candidate, *options, "--sources", SOURCES, "--out", "out")
    assert actual.code in (0, 1), actual
    evaluations = []
    for number, checkpoint in enumerate((base, candidate)):
        answer = command("evaluate", "--checkpoint", checkpoint, *options, "--out", f"e{number}")
        assert answer.code == 0, answer
        text = (tmp_path / f"e{number}" / "evaluation.json").read_text()
        evaluations.append({*json.loads(text)["samples"]["wrong"]})
    before, now = evaluations

    churn = json.loads((tmp_path / "out" / "result.json").read_text())["churn"]
    flips = churn["labelled"]["negative"]
    assert flips["number"] == len(now - before) > 0
    assert churn["labelled"]["positive"] == len(before - now) > 0
    assert flips["ci95"][0] <= flips["rate"] == flips["number"] / flips["of"] <= flips["ci95"][1]

    folders = (tmp_path / "out" / "base", tmp_path / "out")
    assert expected_counts(task, churn) == counted(task, *folders)
    assert churn["answers"]["inputs"]["number"] > 0
    assert (churn["groups"]["number"], churn["groups"]["of"]) == turned(*folders)

    page = (tmp_path / "out" / "report.html").read_text()
    line = f"{flips['number']:,} of {flips['of']:,} inputs are newly wrong"
    assert line in page
    share = churn["answers"]["inputs"]
    assert f"{share['number']:,} of {share['of']:,} distinct inputs changed" in page
    summary = (tmp_path / "out" / "summary.md").read_text()
    assert f"{flips['number']:,} labelled inputs newly wrong" in summary
