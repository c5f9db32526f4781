"""Labelled inputs predicted with a suite, on a small checkpoint."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from making import SENTENCES
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION


def answers(folder: Path) -> Iterator[tuple[str, list[Any]]]:
    for line in gzip.decompress((folder / "groups.jsonl.gz").read_bytes()).splitlines():
        row = json.loads(line)
        yield row["source"]["text"], row["source_output"]["entities"]


@pytest.fixture
def labels(run_gate: Callable, tmp_path: Path) -> Path:
    assert run_gate(out=tmp_path / "unlabelled").code == PASS
    path = tmp_path / "gold.jsonl"
    lines = []
    for number, (text, values) in enumerate(dict(answers(tmp_path / "unlabelled")).items()):
        entities = [] if number % 5 == 0 and values else values
        lines.append(json.dumps({"text": text, "entities": entities}))
    path.write_text("\n".join(lines))
    return path


def result(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())


def test_a_run_keeps_which_were_wrong_and_so_does_its_baseline(
    run_gate: Callable, command: Callable, labels: Path, tmp_path: Path
) -> None:
    assert run_gate(out=tmp_path / "first", labels=labels).code == PASS
    actual = result(tmp_path / "first")
    assert actual["labelled"]["labels"] == "gold.jsonl"
    assert actual["labelled"]["inputs"] == len(labels.read_text().splitlines())
    assert 0 < len(actual["labelled"]["wrong"]) < actual["labelled"]["inputs"]
    assert command("baseline", "record", "first", "--name", "ner").code == PASS
    stored = json.loads((tmp_path / "baselines" / "ner.json").read_text())
    assert stored["runs"][0]["labelled"] == actual["labelled"]
    assert run_gate(baseline="baselines/ner.json", labels=labels).code == PASS
    labelled = result(tmp_path / "out")["churn"]["labelled"]
    assert (labelled["negative"]["number"], labelled["positive"]) == (0, 0)
    assert labelled["negative"]["of"] == actual["labelled"]["inputs"]


@pytest.fixture
def right(run_gate: Callable, labels: Path, tmp_path: Path) -> Path:
    path = labels.with_name("right.jsonl")
    path.write_text("\n".join(
        json.dumps({"text": text, "entities": values})
        for text, values in dict(answers(tmp_path / "unlabelled")).items()
    ))  # fmt: skip
    run_gate(out=tmp_path / "right", labels=path)
    assert result(tmp_path / "right")["labelled"]["wrong"] == []
    return path


def test_fewer_right_labels_fail_by_default(
    run_gate: Callable, command: Callable, right: Path, worse: Path, tmp_path: Path
) -> None:
    command("baseline", "record", "right", "--name", "ner")
    answer = run_gate(baseline="baselines/ner.json", labels=right, checkpoint=worse)
    assert answer.code == REGRESSION
    assert re.search(r"Gets \d+ → \d+ of \d+ labelled examples right \(\d+% → \d+%\)", answer.out)
    actual = result(tmp_path / "out")
    by_id = {relation["id"]: relation for relation in actual["relations"]}
    relation = by_id["ner/labels"]
    assert relation["comparison"]["decision"] == "regression"
    slices = {one["name"]: one for one in relation["slices"]}
    assert {"label: PER", "label: LOC", "label: ORG", "label: none"} == {*slices}
    assert any(one["comparison"]["decision"] == "regression" for one in slices.values())
    rows = gzip.decompress((tmp_path / "out" / "groups.jsonl.gz").read_bytes()).splitlines()
    new = [row for row in map(json.loads, rows) if row.get("change") == "new"]
    assert (
        sum(row["relation"] == "ner/labels" for row in new)
        == (relation["comparison"]["new_violations"])
    )
    assert run_gate(baseline="baselines/ner.json", labels=right).code == PASS


@pytest.mark.parametrize("recorded", ["unlabelled", "right"])
def test_a_baseline_of_other_labels_is_refused(
    run_gate: Callable, command: Callable, labels: Path, right: Path, recorded: str
) -> None:
    assert right.exists()
    command("baseline", "record", recorded, "--name", "ner")
    actual = run_gate(baseline="baselines/ner.json", labels=labels)
    assert actual.code == CANNOT_JUDGE
    assert re.search("recorded with(out| other) labelled examples", actual.err)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no labelled input"),
        ("{}\n", "line 1"),
        (json.dumps({"text": SENTENCES[0], "entities": [[0, 4, "thing"]]}), "has the labels thing"),
    ],
)
def test_labels_that_do_not_fit(run_gate: Callable, text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    actual = run_gate(labels=path)
    assert actual.code == CANNOT_JUDGE
    assert words in actual.err
    assert actual.err.strip().count("\n") <= 1
    assert not (tmp_path / "out" / "result.json").exists()
