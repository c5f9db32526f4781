"""Right answers that suites know: whole runs of systems that lost some of them, or all."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION
from mt_gate.demo import CHECKPOINTS
from mt_gate.suites.format import SHIPPED
from speeds import first_daily

PROGRAM = """
import hashlib, json, sys
gold = json.load(open("gold.json"))
labels = {labels}
for line in sys.stdin:
    asked = json.loads(line)
    text = asked["text"] + asked.get("second", "")
    at = int(hashlib.sha256(text.encode()).hexdigest(), 16)
    label = gold.get(text) or labels[at % len(labels)]
    if at % 6 == 0:
        label = labels[at // 6 % len(labels)]
    {more}
    print(json.dumps({{"id": asked["id"], "labels": [label] if label else []}}), flush=True)
"""
"""A system that is right five times in six, and knows nothing of texts without a right answer."""
FEW = ("--sources", "700")


@pytest.fixture
def system(tmp_path: Path) -> Callable[..., str]:
    """Write a program that predicts the right answers of a suite, with changes; return it."""

    def write(suite: Path, labels: Sequence[str], more: str = "pass") -> str:
        gold = {
            source["input"]["text"] + source["input"].get("second", ""): source["gold"][0]
            for source in sources(suite)
            if source.get("gold")
        }
        (tmp_path / "gold.json").write_text(json.dumps(gold))
        path = tmp_path / f"system-{len([*tmp_path.glob('system-*')])}.py"
        path.write_text(PROGRAM.format(labels=[*labels], more=more))
        return f"command:{shlex.quote(sys.executable)} {path.name}"

    return write


def sources(suite: Path) -> list[dict[str, Any]]:
    with gzip.open(suite / "sources.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def result(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())


def judged(command: Callable, before: str, after: str, suite: object, *flags: str) -> Any:
    """Run a system, record it, and judge another by it."""
    run = ("run", "--task", "text", "--suite", suite, *flags)
    assert command(*run, "--system", before, "--out", "before").code == PASS
    assert command("baseline", "record", "before", "--name", "base").code == PASS
    return command(*run, "--system", after, "--baseline", "baselines/base.json", "--out", "after")


def test_a_loss_in_one_target_group_is_detected(
    command: Callable, system: Callable, tmp_path: Path
) -> None:
    suite = SHIPPED / "moderation-default"
    blind = 'label = "neither" if "women" in text.lower() or "woman" in text.lower() else label'
    before, after = (system(suite, ["hateful", "neither"], more) for more in ("pass", blind))
    actual = judged(command, before, after, "moderation-default")
    assert actual.code == REGRESSION
    fact = actual.out.splitlines()[2]
    assert re.search(r"Flags \d+ → \d+ of 1,082 hateful texts \(\d+% → \d+%\)", fact)
    assert re.search(r"Worst: target women \d+ → \d+ of \d+", fact)
    for report in ("summary.md", "report.html", "junit.xml"):
        assert "of 1,082 hateful texts" in (tmp_path / "after" / report).read_text()
    shown = result(tmp_path / "after")
    [known] = [one for one in shown["relations"] if one["id"] == "text/known-answer"]
    assert (known["groups"], known["comparison"]["decision"]) == (1082, "regression")
    slices = {one["name"]: one["comparison"]["decision"] for one in known["slices"]}
    lost = [name for name, decision in slices.items() if decision == "regression"]
    assert [name for name in lost if name.startswith("target")] == ["target: women"]
    counted = Counter(source["slices"]["target"] for source in sources(suite))
    sizes = {one["name"]: one["groups"] for one in known["slices"]}
    assert {f"target: {name}": n for name, n in counted.items()}.items() <= sizes.items()


@pytest.mark.parametrize(
    ("suite", "labels", "constant"),
    first_daily(
        [
            ("moderation-default", ["hateful", "neither"], "neither"),
            ("text-robustness", ["one", "other", "third"], ""),
            ("moderation-default", ["hateful", "neither"], "hateful"),
            ("inference-default", ["entailment", "neutral", "contradiction"], "entailment"),
            ("intent-default", ["oos", "transfer", "timer", "card_arrival"], "oos"),
        ],
        2,
    ),
)
def test_one_class_for_everything_fails(
    command: Callable, system: Callable, suite: str, labels: list[str], constant: str
) -> None:
    folder = SHIPPED / suite
    before, after = system(folder, labels), system(folder, labels, f"label = {constant!r}")
    actual = judged(command, before, after, suite, *FEW)
    assert actual.code == REGRESSION
    assert re.match("(REGRESSION|COLLAPSE): one prediction for nearly every input", actual.out)


@pytest.mark.parametrize("task", first_daily(["ner", "boolq", "re"]))
@pytest.mark.parametrize("label", first_daily([0, 1]))
def test_a_checkpoint_of_one_class_fails(
    command: Callable, tmp_path: Path, task: str, label: int
) -> None:
    good = CHECKPOINTS / f"{task}-baseline"
    run = ("run", "--task", task, "--sources", "400")
    assert command(*run, "--checkpoint", good, "--out", "before").code == PASS
    assert command("baseline", "record", "before", "--name", "base").code == PASS
    constant = predict_one_label(good, tmp_path / "constant", label)
    actual = command(*run, "--checkpoint", constant, "--baseline", "baselines/base.json")
    assert actual.code == REGRESSION


def predict_one_label(checkpoint: Path, folder: Path, label: int) -> Path:
    """Write a copy of a checkpoint whose logits favour one label for everything."""
    onnx = pytest.importorskip("onnx")
    np = pytest.importorskip("numpy")
    shutil.copytree(checkpoint, folder)
    model = onnx.load(folder / "model.onnx")
    out = model.graph.output[0]
    for node in model.graph.node:
        node.output[:] = ["before_bias" if one == out.name else one for one in node.output]
    bias = np.zeros(out.type.tensor_type.shape.dim[-1].dim_value, np.float32)
    bias[label] = 50
    model.graph.initializer.append(onnx.numpy_helper.from_array(bias, "bias_of_one"))
    adding = onnx.helper.make_node("Add", ["before_bias", "bias_of_one"], [out.name])
    model.graph.node.append(adding)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    card = json.loads((folder / "checkpoint.json").read_text())
    del card["files"], card["fingerprint"]
    (folder / "checkpoint.json").write_text(json.dumps(card))
    return folder


def test_answers_in_labels_that_a_checkpoint_lacks_are_skipped(command: Callable) -> None:
    run = ("run", "--task", "text", "--suite", "intent-default", "--sources", "200")
    actual = command(*run, "--checkpoint", CHECKPOINTS / "text-baseline", "--out", "out")
    assert actual.code == PASS
    [known] = [one for one in result(Path("out"))["relations"] if one["id"] == "text/known-answer"]
    assert known["not_applicable"] == {"other-labels": known["groups"]}
    assert "Recognises" not in actual.out


def test_own_labelled_examples_are_a_suite(
    command: Callable, system: Callable, tmp_path: Path
) -> None:
    labels = ("refund", "delivery", "other")
    rows = [
        {"text": f"message number {i} about {labels[i % 3]}", "label": labels[i % 3]}
        for i in range(120)
    ]
    (tmp_path / "mine.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    build = ("suite", "build", "--kind", "labelled", "--sources", "mine.jsonl", "--name", "mine")
    assert command(*build, "--out", "suites/mine").code == PASS
    assert command("suite", "verify", "suites/mine").code == PASS
    mine = tmp_path / "suites" / "mine"
    forgets = 'label = "other" if "refund" in text else label'
    before, after = system(mine, labels), system(mine, labels, forgets)
    actual = judged(command, before, after, mine)
    assert actual.code == REGRESSION
    assert re.search(r"Gets \d+ → \d+ of 120 known answers right", actual.out.splitlines()[2])
    assert "Worst: label refund" in actual.out.splitlines()[2]


@pytest.mark.parametrize("name", first_daily(["offensive_language", "neither"]))
def test_a_label_map_that_makes_no_sense_is_refused(command: Callable, name: str) -> None:
    run = ("run", "--task", "text", "--suite", "moderation-default", "--out", "out")
    checkpoint = ("--checkpoint", CHECKPOINTS / "text-baseline")
    actual = command(*run, *checkpoint, "--label-map", f"hateful={name}")
    assert actual.code == CANNOT_JUDGE
    assert "The label map is probably wrong" in actual.err
    assert "hateful=hate_speech" in actual.err
    assert not Path("out", "result.json").exists()
    assert command(*run, *checkpoint, "--label-map", "hateful=hate_speech").code == PASS


def test_a_checkpoint_that_confuses_labels_is_measured(command: Callable, tmp_path: Path) -> None:
    """One label for everything is a bad model, not a wrong label map."""
    for label in range(3):
        folder = predict_one_label(CHECKPOINTS / "text-baseline", tmp_path / f"c{label}", label)
        run = ("run", "--task", "text", "--suite", "moderation-default", "--sources", "300")
        flags = ("--label-map", "hateful=hate_speech", "--out", f"out{label}")
        assert command(*run, "--checkpoint", folder, *flags).code == PASS


@pytest.mark.parametrize("flags", [(), ("--label-map", "hateful=hateful")])
def test_labels_matched_by_name_are_measured(
    command: Callable, system: Callable, flags: tuple[str, ...]
) -> None:
    """A system with the suite's label is wrong more often than right, and than by chance."""
    wrong_mostly = "label = labels[at % 10 < 7] if text in gold else labels[at % 2]"
    wrong = system(SHIPPED / "moderation-default", ("hateful", "neither"), wrong_mostly)
    run = ("run", "--task", "text", "--suite", "moderation-default", "--sources", "300", *flags)
    assert command(*run, "--system", wrong, "--out", "out").code == PASS
    [known] = [one for one in result(Path("out"))["relations"] if one["id"] == "text/known-answer"]
    assert known["violated"] > known["applicable"] / 2


@pytest.mark.parametrize(
    ("task", "suite", "flags"),
    first_daily(
        [
            ("text", "moderation-default", ("--label-map", "hateful=hate_speech")),
            ("boolq", "boolq-default", ()),
        ]
    ),
)
def test_rates_agree_with_those_of_evaluate(
    command: Callable, tmp_path: Path, task: str, suite: str, flags: tuple[str, ...]
) -> None:
    """The demo's checkpoints on the labels that the suite stores, read by another command."""
    gold = {source["id"]: source.get("gold") for source in sources(SHIPPED / suite)}
    key = {"boolq": "answer", "text": "label"}[task]
    for which in ("baseline", "candidate"):
        arguments = ("--checkpoint", CHECKPOINTS / f"{task}-{which}", "--task", task, *flags)
        run = ("run", *arguments, "--suite", suite, "--sources", "600", "--out", which)
        assert command(*run).code == PASS
        judged = gzip.decompress((tmp_path / which / "groups.jsonl.gz").read_bytes()).splitlines()
        known = [
            row
            for row in map(json.loads, judged)
            if row["relation"] == f"{task}/known-answer" and row["verdict"] != "not-applicable"
        ]
        lines = (json.dumps({**row["source"], key: gold[row["source_id"]][0]}) for row in known)
        (tmp_path / "labels.jsonl").write_text("\n".join(lines))
        labels = ("--labels", "labels.jsonl", "--out", f"{which}-labels")
        assert command("evaluate", *arguments, *labels).code == PASS
        measured = json.loads((tmp_path / f"{which}-labels" / "evaluation.json").read_text())
        satisfied = sum(row["verdict"] == "satisfied" for row in known)
        assert (satisfied, len(known)) == (
            measured["accuracy"]["count"],
            measured["accuracy"]["of"],
        )
