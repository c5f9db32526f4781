"""Labelled inputs asked beside a suite, on a small checkpoint."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from making import SENTENCES
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION


def answers(folder: Path) -> Iterator[tuple[str, list[Any]]]:
    """Yield each sentence of a run with its entities, as the rows have them."""
    for line in gzip.decompress((folder / "groups.jsonl.gz").read_bytes()).splitlines():
        row = json.loads(line)
        yield row["source"]["text"], row["source_output"]["entities"]


@pytest.fixture
def labels(run_gate: Callable, tmp_path: Path) -> Path:
    """Labels that the small checkpoint answers right, but for every fifth sentence."""
    assert run_gate(out=tmp_path / "unlabelled").code == PASS
    path = tmp_path / "gold.jsonl"
    lines = []
    for number, (text, found) in enumerate(dict(answers(tmp_path / "unlabelled")).items()):
        entities = [] if number % 5 == 0 and found else found
        lines.append(json.dumps({"text": text, "entities": entities}))
    path.write_text("\n".join(lines))
    return path


def result(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())


def test_a_run_keeps_which_were_wrong_and_so_does_its_baseline(
    run_gate: Callable, command: Callable, labels: Path, tmp_path: Path
) -> None:
    assert run_gate(out=tmp_path / "first", labels=labels).code == PASS
    found = result(tmp_path / "first")
    assert found["labelled"]["labels"] == "gold.jsonl"
    assert found["labelled"]["inputs"] == len(labels.read_text().splitlines())
    assert 0 < len(found["labelled"]["wrong"]) < found["labelled"]["inputs"]
    assert command("baseline", "record", "first", "--name", "ner").code == PASS
    kept = json.loads((tmp_path / "baselines" / "ner.json").read_text())
    assert kept["runs"][0]["labelled"] == found["labelled"]
    assert run_gate(baseline="baselines/ner.json", labels=labels).code == PASS
    labelled = result(tmp_path / "out")["churn"]["labelled"]
    assert (labelled["negative"]["number"], labelled["positive"]) == (0, 0)
    assert labelled["negative"]["of"] == found["labelled"]["inputs"]


def test_inputs_of_the_suite_are_told_of_alone(
    run_gate: Callable, labels: Path, tmp_path: Path
) -> None:
    more = labels.read_text() + "\n" + json.dumps({"text": SENTENCES[-1], "entities": []})
    labels.write_text(more)
    run_gate(labels=labels)
    found, without = result(tmp_path / "out"), result(tmp_path / "unlabelled")
    for name in ("requested", "unique"):
        assert found["predictions"][name] == without["predictions"][name]
    assert found["profile"] == without["profile"]


def test_too_many_that_turned_fail(
    run_gate: Callable, command: Callable, labels: Path, tmp_path: Path
) -> None:
    """The same checkpoint, and a baseline that says that all were right before."""
    run_gate(out=tmp_path / "first", labels=labels)
    wrong = len(result(tmp_path / "first")["labelled"]["wrong"])
    right = labels.with_name("right.jsonl")
    right.write_text("\n".join(
        json.dumps({"text": text, "entities": found})
        for text, found in dict(answers(tmp_path / "first")).items()
    ))  # fmt: skip
    run_gate(out=tmp_path / "right", labels=right)
    assert result(tmp_path / "right")["labelled"]["wrong"] == []
    command("baseline", "record", "right", "--name", "ner")
    # As if it had been asked the very labels that are asked now.
    baseline = tmp_path / "baselines" / "ner.json"
    from mt_gate.baselines.digest import digest_of

    value = json.loads(baseline.read_text())
    asked = result(tmp_path / "first")["labelled"]
    value["runs"][0]["labelled"] |= {"sha256": asked["sha256"], "inputs": asked["inputs"]}
    value["sha256"] = digest_of(json.dumps(value).encode())
    baseline.write_text(json.dumps(value))
    told = run_gate(baseline=baseline, labels=labels, max_negative_flips=0.05)
    assert told.code == REGRESSION
    assert f"{wrong} of {asked['inputs']} labelled inputs turned from right to wrong" in told.out
    assert "surely above max-negative-flips 5.0 %" in told.out
    junit = (tmp_path / "out" / "junit.xml").read_text()
    assert "Above the limit: inputs or groups that turned" in junit
    assert run_gate(baseline=baseline, labels=labels).code == PASS
    unlabelled = run_gate(baseline=baseline, max_negative_flips=0.05)
    assert unlabelled.code == PASS  # of groups none turned


def test_a_baseline_of_other_labels_leaves_the_limit_open(
    run_gate: Callable, command: Callable, labels: Path
) -> None:
    command("baseline", "record", "unlabelled", "--name", "ner")
    found = run_gate(baseline="baselines/ner.json", labels=labels, max_negative_flips=0.05)
    assert found.code == PASS
    assert "Inconclusive" in found.out
    assert "max-negative-flips was not checked" in found.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no labelled input"),
        ("{}\n", "line 1"),
        (json.dumps({"text": SENTENCES[0], "entities": [[0, 4, "thing"]]}), "labels are thing"),
    ],
)
def test_labels_that_do_not_fit(run_gate: Callable, text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    found = run_gate(labels=path)
    assert found.code == CANNOT_JUDGE
    assert words in found.err
    assert found.err.strip().count("\n") <= 1
    assert not (tmp_path / "out" / "result.json").exists()
