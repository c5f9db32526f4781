"""``mt-gate evaluate --task re`` on a small, real ONNX checkpoint."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn import metrics

from conftest import as_flags, check_refused
from evaluating.moving import moved
from making_re import INPUTS, LABELS, make_exported
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.evaluating.records import (
    Curve,
    Evaluation,
    RelationProtocols,
    encoded,
    read_evaluation,
)
from mt_gate.evaluating.relation_labels import UNMAPPED, LabelledPair, labelled_pairs
from mt_gate.evaluating.relations import protocols as protocols_of
from mt_gate.evaluating.scores import system_scores
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import Prediction
from speeds import Made

TABLE = "per:city(e1,e2)\tcity\nper:city(e2,e1)\tcity\nper:friend\tfriend\n"


@pytest.fixture(scope="session")
def relation_checkpoint(made_once: Made) -> Path:
    pytest.importorskip("transformers", reason="needs mt-gate[export]")
    return made_once(make_exported)


@pytest.fixture(scope="session")
def logits(relation_checkpoint: Path) -> np.ndarray[Any, Any]:
    """The checkpoint's scores of the inputs."""
    system = OnnxSystem(relation_checkpoint, "re", "cpu", options=CheckpointOptions(scores=True))
    answers = dict(pair for batch in system.predict(INPUTS) for pair in batch)
    outputs = [answers[at].output for at in range(len(INPUTS))]
    return np.array([output["scores"] for output in outputs if output is not None])


def rows(logits: Any, number: int = 90) -> list[dict[str, Any]]:
    """Return labelled sentences: by hand what the checkpoint says, but for every third."""
    made = []
    for at, value in enumerate(INPUTS[:number]):
        said = LABELS[int(logits[at].argmax())]
        other = LABELS[(int(logits[at].argmax()) + 1) % len(LABELS)]
        head, tail = (
            {"start": value[name][0], "end": value[name][1], "type": value[name][2]}
            for name in ("head", "tail")
        )
        row = {"text": value["text"], "head": head, "tail": tail}
        manual = other if at % 3 == 0 else said
        made.append({**row, "auto_labels": [said, other][: at % 3], "manual_labels": [manual]})
    return made


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


@pytest.fixture
def evaluate(
    command: Callable, relation_checkpoint: Path, logits: Any, tmp_path: Path
) -> Callable[..., Any]:
    def run(*flags: object, **named: object) -> Any:
        labels = tmp_path / "labels.jsonl"
        if "labels" not in named:
            written(labels, rows(logits))
        values = {"checkpoint": relation_checkpoint, "task": "re", "labels": labels}
        return command("evaluate", *as_flags(values | {"out": tmp_path / "out", **named}), *flags)

    return run


def result(tmp_path: Path) -> Evaluation:
    return read_evaluation(tmp_path / "out" / "evaluation.json")


def protocols(tmp_path: Path) -> RelationProtocols:
    values = result(tmp_path).relations
    assert values is not None
    return values


def test_all_protocols_stand_in_the_three_files(
    evaluate: Callable, logits: Any, tmp_path: Path
) -> None:
    answer = evaluate()
    assert answer.code == PASS, answer
    actual = protocols(tmp_path)
    assert actual.basis == "logits"
    assert [(c.protocol, c.aggregator) for c in actual.curves] == [
        ("held-out", "AVG"), ("held-out", "ONE"),
        ("bag-manual", "AVG"), ("bag-manual", "ONE"), ("sentence-manual", ""),
    ]  # fmt: skip
    sentences = actual.curves[-1]
    powers = np.exp(logits[:90])
    shares = powers / powers.sum(axis=1, keepdims=True)
    truth = np.array(
        [[LABELS[at] in row["manual_labels"] for at in (1, 2, 3)] for row in rows(logits)]
    )
    expected = metrics.average_precision_score(truth.ravel(), shares[:, 1:].ravel())
    assert sentences.average_precision == pytest.approx(expected, abs=1e-5)
    assert sentences.facts == truth.sum()
    page = (tmp_path / "out" / "evaluation.html").read_text()
    summary = (tmp_path / "out" / "evaluation.md").read_text()
    for words in ("Held-out, AVG", "Bag-level manual, ONE", "Sentence-level manual"):
        assert words in page
        assert words in summary
        assert words in answer.out
    assert page.count("<polyline") == 5
    assert page.count("<desc") >= 3
    assert "Pair accuracy" in page


def test_accuracy_is_of_the_answers_and_its_interval_of_bags(
    evaluate: Callable, tmp_path: Path
) -> None:
    evaluate()
    actual = result(tmp_path)
    assert (actual.accuracy.count, actual.accuracy.of) == (60, 90)
    assert actual.error_rate.count == 30
    assert actual.accuracy.ci95 is not None
    assert actual.error_rate.ci95 == tuple(1 - end for end in reversed(actual.accuracy.ci95))
    assert {m.label for m in actual.measures} <= {"", *LABELS[1:]}


def test_a_table_is_laid_over_both_sides(evaluate: Callable, logits: Any, tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text(TABLE + "per:nobody\t\n")
    answer = evaluate(mapping=table)
    assert answer.code == PASS, answer
    actual = result(tmp_path)
    assert actual.labels.mapping == "table.tsv"
    assert {c.relation for c in protocols(tmp_path).curves[-1].relations} == {"city", "friend"}
    note = "Labels of table.tsv that neither the file nor the system has: per:nobody"
    assert note in actual.notes
    # Merged, an answer is what has most probability together.
    powers = np.exp(logits[:90])
    sums = np.stack([powers[:, 0], powers[:, 1], powers[:, 2] + powers[:, 3]], axis=1)
    names = dict(zip(LABELS, (0, 1, 2, 2), strict=True))
    gold = [names[row["manual_labels"][0]] for row in rows(logits)]
    assert actual.accuracy.count == int((sums.argmax(axis=1) == gold).sum())


def test_is_judged_over_bags(evaluate: Callable, logits: Any, tmp_path: Path) -> None:
    evaluate(out=tmp_path / "before")
    baseline = moved(tmp_path / "before" / "evaluation.json", tmp_path / "b.json", worse=12)
    answer = evaluate(baseline=baseline)
    assert answer.code == REGRESSION
    comparison = result(tmp_path).comparison
    assert comparison is not None
    of = _by_bag(rows(logits))
    assert (comparison.pairs, comparison.clusters) == (90, len(of))
    assert comparison.new_violations == 12
    # Sentences of one bag are one coin, not several.
    assert comparison.p_value is not None
    assert comparison.p_value > 0.5**12
    assert f"90 samples in {len(of)} bags" in answer.out


def better_before(path: Path, labels: Path, out: Path, sure: float) -> Path:
    """Write an evaluation whose system knew the labels, by so much."""
    pairs, _ = labelled_pairs(labels)
    rng = np.random.default_rng(5)
    outputs = []
    for item in pairs:
        scores = rng.normal(size=len(LABELS))
        for label in {*(item.auto or ()), *(item.manual or ())}:
            scores[LABELS.index(label)] += sure
        outputs.append(Prediction({"relation": "", "scores": scores.tolist()}))
    relations = protocols_of(pairs, system_scores(outputs, LABELS), UNMAPPED, attention=False)
    out.write_bytes(encoded(msgspec.structs.replace(read_evaluation(path), relations=relations)))
    return out


def test_a_fall_of_the_protocols_figures_is_a_regression(
    evaluate: Callable, tmp_path: Path
) -> None:
    evaluate(out=tmp_path / "before")
    before = tmp_path / "before" / "evaluation.json"
    answer = evaluate(baseline=before)
    assert answer.code == PASS
    assert "no fall found in 15 figures of the protocols" in answer.out
    best = better_before(before, tmp_path / "labels.jsonl", tmp_path / "best.json", 9)
    answer = evaluate(baseline=best)
    assert answer.code == REGRESSION, answer
    actual = result(tmp_path)
    assert len(actual.figures) == 15
    curves = {(c.protocol, c.aggregator): c for c in protocols(tmp_path).curves}
    for figure in actual.figures:
        own = curves[figure.protocol, figure.aggregator]
        name = {"AUC": "auc", "micro F1": "micro_f1", "macro F1": "macro_f1"}[figure.figure]
        assert figure.candidate == getattr(own, name).value
        fell = figure.p_value < 0.05 and figure.baseline - figure.candidate > 0.01
        assert figure.regressed == fell
    assert "macro F1 fell (sentence-manual): " in answer.out
    worst = better_before(before, tmp_path / "labels.jsonl", tmp_path / "worst.json", -9)
    assert evaluate(baseline=worst).code == PASS, "higher figures are no regression"
    assert evaluate("--margin", 0.99, baseline=best).code == PASS


def test_a_baseline_without_bootstrap_samples(evaluate: Callable, tmp_path: Path) -> None:
    evaluate(out=tmp_path / "before")
    path = tmp_path / "before" / "evaluation.json"
    value = json.loads(path.read_text())
    for curve in value["relations"]["curves"]:
        del curve["resamples"], curve["first_resample"]
    path.write_text(json.dumps(value))
    answer = evaluate(baseline=path)
    assert answer.code == PASS
    assert "AUC and F1 of the protocols were not compared" in answer.out
    for broken in ("%", "AAAA", "AAAAQAAAAAAAAAAA"):  # not base64, not whole rows, a figure of 2
        value["relations"]["curves"][0]["resamples"] = broken
        path.write_text(json.dumps(value))
        check_refused(evaluate(baseline=path), CANNOT_JUDGE, str(path))


def test_selective_attention_of_a_checkpoint_that_has_it(
    evaluate: Callable, relation_checkpoint: Path, logits: Any, tmp_path: Path
) -> None:
    """Compared with a loop over bags, as Lin et al. (2016) define it, on the same logits."""
    checkpoint = Path(shutil.copytree(relation_checkpoint, tmp_path / "attentive"))
    card = json.loads((checkpoint / "checkpoint.json").read_text())
    (checkpoint / "checkpoint.json").write_text(json.dumps({**card, "selective_attention": True}))
    answer = evaluate(checkpoint=checkpoint)
    assert answer.code == PASS, answer
    ways = [(curve.protocol, curve.aggregator) for curve in protocols(tmp_path).curves]
    assert [way for way in ways if way[1] == "ATT"] == [("held-out", "ATT"), ("bag-manual", "ATT")]
    sentences: dict[tuple[str, str], list[int]] = {}
    lines = rows(logits)
    for at, row in enumerate(lines):
        head, tail = (row["text"][slice(*_ends(row, name))] for name in ("head", "tail"))
        sentences.setdefault((head, tail), []).append(at)
    truth, scores = [], []
    for own in sentences.values():
        for label in range(1, len(LABELS)):
            weights = np.exp(logits[own, label])
            mixed = (weights / weights.sum()) @ logits[own]
            scores.append(np.exp(mixed[label]) / np.exp(mixed).sum())
            truth.append(any(LABELS[label] in lines[at]["manual_labels"] for at in own))
    curve = protocols(tmp_path).curves[ways.index(("bag-manual", "ATT"))]
    expected = metrics.average_precision_score(truth, scores)
    assert curve.average_precision == pytest.approx(expected, abs=1e-5)


def _by_bag(lines: list[dict[str, Any]]) -> dict[tuple[str, str], set[str]]:
    """Return the automatic labels of each pair of names."""
    values: dict[tuple[str, str], set[str]] = {}
    for row in lines:
        head, tail = (row["text"][slice(*_ends(row, name))] for name in ("head", "tail"))
        own = values.setdefault((head, tail), set())
        own |= {*row["auto_labels"]} - {"no_relation"}
    return values


def _ends(row: Any, name: str) -> tuple[int, int]:
    return row[name]["start"], row[name]["end"]


@pytest.mark.parametrize(
    "flags", [("--distant",), ("--mapping", "a.tsv"), ("--format", "tacred"), ("--patch", "a")]
)
def test_flags_of_this_task_are_refused_for_others(
    flags: tuple[str, ...], evaluate: Callable
) -> None:
    answer = evaluate(*flags, task="ner")
    assert answer.code == USAGE
    assert f"{flags[0]} is for task re" in answer.err


@pytest.mark.nightly
def test_on_real_labels(
    shared: Path, fine_tuned: Callable[[str], Path], command: Callable, tmp_path: Path
) -> None:
    data = shared / "data" / "re" / "crowdtruth_open_ds.jsonl"
    if not data.is_file():
        pytest.skip(f"no labels: {data}")
    lines = data.read_text().splitlines()
    (tmp_path / "some.jsonl").write_text("\n".join(lines[:300]))
    answer = command(
        "evaluate", "--checkpoint", fine_tuned("re"), "--task", "re", "--labels", "some.jsonl",
        "--mapping", Path(__file__).parents[2] / "benchmarks" / "crowdtruth_to_kbp37.tsv",
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert answer.code == PASS, answer
    held_out, _, by_hand, *_ = protocols(tmp_path).curves
    assert not any(c.out_of_reach for c in protocols(tmp_path).curves)
    assert held_out.auc.value is not None
    assert by_hand.auc.value is not None
    # Better than chance by far, and not the same by the two kinds of label.
    assert held_out.auc.value > 0.3
    assert by_hand.auc.value > 0.2
    assert held_out.auc.value != by_hand.auc.value


def test_a_system_without_logits_is_scored_by_what_it_says() -> None:
    """What it never said is not ranked: it would all be tied, and predicted at the best point."""
    truth = ["r0", "r1", "r2", "r3"] * 25
    pairs = [
        LabelledPair(str(at), INPUTS[0], str(at), "", None, frozenset([name]))
        for at, name in enumerate(truth)
    ]

    def curve(said: list[str]) -> Curve:
        scores = system_scores([Prediction({"relation": name}) for name in said], ())
        return protocols_of(pairs, scores, UNMAPPED, attention=False).curves[-1]

    one = curve([truth[0], *["no_relation"] * 99])
    assert (one.auc.value, one.average_precision) == (0, 0.01)
    assert [(of.predicted, of.right) for of in one.relations if of.predicted] == [(1, 1)]
    wrong = curve([*truth[1:], truth[0]])
    assert (wrong.auc.value, wrong.micro_f1.value, wrong.macro_f1.value) == (0, 0, 0)
    assert wrong.precision_at == {"100": 0}
