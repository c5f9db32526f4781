"""``mt-gate evaluate`` on a small, real ONNX checkpoint."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scipy.stats import binomtest

from conftest import as_flags, check_refused
from evaluating.moving import moved
from making import SENTENCES
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.evaluating.labelled import sample_id
from mt_gate.evaluating.records import read_evaluation
from mt_gate.results.store import read_result, read_rows
from mt_gate.sut.onnx import OnnxSystem
from reporting import made_up

FILES = ["evaluation.html", "evaluation.json", "evaluation.md"]


@pytest.fixture(scope="session")
def said(small: Path) -> dict[str, list[Any]]:
    """What the checkpoint says of the sentences."""
    system = OnnxSystem(small, "ner", "cpu")
    inputs = [{"text": text} for text in SENTENCES[:60]]
    answers = dict(pair for batch in system.predict(inputs) for pair in batch)
    return {
        inputs[at]["text"]: list(answer.output["entities"])
        for at, answer in answers.items()
        if answer.output is not None
    }


def labels(path: Path, said: dict[str, list[Any]], wrong: int) -> Path:
    """Write what the checkpoint says as labels, but for the first so many sentences."""
    lines = []
    for at, (text, entities) in enumerate(said.items()):
        other = [] if entities else [[0, 4, "PER"]]
        lines.append({"text": text, "entities": other if at < wrong else entities})
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


@pytest.fixture
def evaluate(command: Callable, small: Path, said: Any, tmp_path: Path) -> Callable:
    """Evaluate the small checkpoint with 15 of 60 sentences labelled otherwise."""

    def run(*flags: object, **named: object) -> Any:
        path = labels(tmp_path / "labels.jsonl", said, 15)
        values = {"checkpoint": small, "task": "ner", "labels": path, "out": tmp_path / "out"}
        return command("evaluate", *as_flags(values | named), *flags)

    return run


def test_counts_what_is_right(evaluate: Callable, said: Any, tmp_path: Path) -> None:
    answer = evaluate()
    assert answer.code == PASS, answer
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    actual = read_evaluation(tmp_path / "out" / "evaluation.json")
    assert (actual.accuracy.count, actual.accuracy.of) == (45, 60)
    assert (actual.error_rate.count, actual.error_rate.rate) == (15, 0.25)
    expected = binomtest(45, 60).proportion_ci(0.95, method="wilson")
    assert actual.accuracy.ci95 == pytest.approx(tuple(expected))
    assert set(actual.samples.wrong) == {sample_id({"text": text}) for text in [*said][:15]}
    assert actual.verdict == "measured"
    assert "75.0% (62.8% to 84.2%; 45 of 60)" in answer.out
    assert "75.0%" in (tmp_path / "out" / "evaluation.html").read_text()
    assert "| **25.0%**<br>" in (tmp_path / "out" / "evaluation.md").read_text()


def test_a_sample_that_gets_no_answer_is_wrong(
    evaluate: Callable, said: Any, tmp_path: Path
) -> None:
    path = labels(tmp_path / "long.jsonl", said, 0)
    with path.open("a") as file:
        file.write(json.dumps({"text": "Anna was " * 200 + "here.", "entities": []}))
    assert evaluate(labels=path).code == PASS
    actual = read_evaluation(tmp_path / "out" / "evaluation.json")
    assert actual.unanswered == {"truncated": 1}
    assert (actual.accuracy.count, actual.accuracy.of) == (60, 61)


def test_violations_are_listed_with_the_share_of_right_sources(
    evaluate: Callable, run_gate: Callable, tmp_path: Path
) -> None:
    assert run_gate(out=tmp_path / "run").code == PASS
    answer = evaluate(result=tmp_path / "run")
    assert answer.code == PASS, answer
    actual = read_evaluation(tmp_path / "out" / "evaluation.json")
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert actual.run is not None
    wrong = set(actual.samples.wrong)
    rows = _violated(tmp_path / "run")
    assert rows
    for share, relation in zip(actual.run.relations, result["relations"], strict=True):
        of = [row for row in rows if row["relation"] == relation["id"]]
        assert (share.violation.count, share.violation.of) == (
            relation["violated"],
            relation["applicable"],
        )
        assert share.labelled == len(of)
        right = sum(sample_id(row["source"]) not in wrong for row in of)
        assert share.source_right.count == right
    assert actual.run.overall.labelled == len(rows)


def _violated(folder: Path) -> list[dict[str, Any]]:
    lines = gzip.decompress((folder / "groups.jsonl.gz").read_bytes()).splitlines()
    return [row for row in map(json.loads, lines) if row["verdict"] == "violated"]


@pytest.mark.parametrize(
    ("worse", "better", "verdict", "code"),
    [
        (0, 0, "pass", PASS),
        (4, 0, "pass", PASS),
        (5, 0, "regression", REGRESSION),
        (0, 5, "improved", PASS),
        (0, 4, "pass", PASS),
        (10, 5, "pass", PASS),
    ],
)
def test_is_judged_by_mcnemars_exact_test(
    evaluate: Callable, tmp_path: Path, worse: int, better: int, verdict: str, code: int
) -> None:
    evaluate(out=tmp_path / "before")
    baseline = moved(
        tmp_path / "before" / "evaluation.json", tmp_path / "b.json", worse=worse, better=better
    )
    answer = evaluate(baseline=baseline)
    actual = read_evaluation(tmp_path / "out" / "evaluation.json")
    assert (actual.verdict, answer.code, actual.exit_code) == (verdict, code, code)
    assert actual.comparison is not None
    assert actual.comparison.new_violations == worse
    assert actual.comparison.fixed_violations == better
    assert actual.comparison.delta == pytest.approx((worse - better) / 60)
    assert actual.comparison.p_value == actual.comparison.p_adjusted
    if not better and worse:
        assert actual.comparison.p_value == pytest.approx(0.5**worse)
    if code == REGRESSION:
        assert evaluate(baseline=baseline, margin=0.2).code == PASS


def test_a_missing_baseline_is_recorded_only_by_its_option(
    evaluate: Callable, tmp_path: Path
) -> None:
    baseline = tmp_path / "baselines" / "labels.json"
    answer = evaluate(baseline=baseline)
    assert answer.code == CANNOT_JUDGE
    assert "does not exist" in answer.err
    assert not (tmp_path / "out").exists()
    assert evaluate("--record-missing", baseline=baseline).code == PASS
    assert baseline.read_bytes() == (tmp_path / "out" / "evaluation.json").read_bytes()
    again = evaluate("--record-missing", baseline=baseline)
    assert again.code == PASS
    assert read_evaluation(tmp_path / "out" / "evaluation.json").verdict == "pass"


def test_a_run_of_another_checkpoint_is_refused(
    evaluate: Callable, run_gate: Callable, tmp_path: Path
) -> None:
    run_gate(out=tmp_path / "run")
    path = tmp_path / "run" / "result.json"
    result = read_result(path)
    other = msgspec.structs.replace(result.checkpoint, fingerprint="sha256:" + "0" * 64)
    rows = [*read_rows(path, result)]
    made_up.store(tmp_path / "run", msgspec.structs.replace(result, checkpoint=other), rows)
    check_refused(
        evaluate(result=tmp_path / "run"), USAGE, "sha256:000000000000", "Pass that model"
    )
    shutil.rmtree(tmp_path / "run")
    check_refused(evaluate(result=tmp_path / "run"), CANNOT_JUDGE, "does not exist")
    assert not (tmp_path / "out").exists()
