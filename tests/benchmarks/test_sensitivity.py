"""The bench, on a small checkpoint with random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Answer
from fault_bench.__main__ import exit_code
from fault_bench.exported import write_exported
from fault_bench.records import CANDIDATES, REFERENCE
from fault_bench.sensitivity import JSON, MARKDOWN
from making import SENTENCES
from mt_gate.mutating.operators import mutation
from mt_gate.sut.card import read_card
from mt_gate.sut.onnx import OnnxSystem

BLOCKED = [f"neuron-block-{share:g}" for share in (0.01, 0.05, 0.1, 0.3)]


@pytest.fixture
def labels(exported: Path, tmp_path: Path) -> Path:
    """Sentences labelled as the small checkpoint itself says, one in four labelled otherwise."""
    system = OnnxSystem(exported, "ner", "cpu")
    texts = SENTENCES[:80]
    said = {
        index: prediction.output
        for batch in system.predict([{"text": text} for text in texts])
        for index, prediction in batch
    }
    lines = []
    for index, text in enumerate(texts):
        entities = said[index]["entities"] if index % 4 else [[0, 4, "PER"], [5, 8, "LOC"]]
        lines.append(json.dumps({"text": text, "entities": entities}))
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def bench(capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run the bench as its command line does."""

    def run(*arguments: object) -> Answer:
        capfd.readouterr()
        code = exit_code([str(argument) for argument in arguments])
        return Answer(code, *capfd.readouterr())

    return run


@pytest.fixture
def study(
    bench: Callable[..., Answer], exported: Path, suite: Path, labels: Path, tmp_path: Path
) -> Callable[..., Answer]:
    """Study candidates of a kind that ruins the small checkpoint at last."""

    def run(checkpoint: Path = exported, **named: object) -> Answer:
        values = {
            "task": "ner",
            "suite": suite,
            "kinds": "neuron-block",
            "labels": labels,
            "out": tmp_path / "out",
            "cache": tmp_path / "cache",
        } | named
        pairs = [(f"--{key}", value) for key, value in values.items() if value is not None]
        return bench(checkpoint, *(part for pair in pairs for part in pair))

    return run


def read_study(folder: Path) -> dict:
    return json.loads((folder / JSON).read_text())


def test_a_bench_of_one_kind(study: Callable[..., Answer], tmp_path: Path) -> None:
    done = study()
    assert done.code == 0, done.err
    actual = read_study(tmp_path / "out")
    names = [f"{item['fault']['kind']}-{item['fault']['strength']:g}" for item in actual["faults"]]
    assert names == BLOCKED
    every, choosing = actual["parts"]
    assert (every["half"], choosing["half"]) == (None, "choosing")
    assert every["candidates"] == 4
    assert actual["labels"]["samples"] == 80
    assert actual["labels"]["measure"] == "F1"
    assert 0 < actual["score"] < 1
    for item in actual["faults"]:
        caught = item["gate"]["verdict"] in ("regression", "collapse")
        assert item["gate"]["caught"] == caught
        assert set(item["found"]) == {"80"}
    assert actual["faults"][-1]["cost"] > 0.1
    assert "neuron-block-0.3" in (tmp_path / "out" / MARKDOWN).read_text()
    assert "What is found" in done.out


def test_the_verdict_is_that_of_the_gate(
    study: Callable[..., Answer],
    command: Callable[..., Answer],
    exported: Path,
    suite: Path,
    tmp_path: Path,
) -> None:
    """The candidate made directly, run by the gate against a baseline."""
    study()
    shown = read_study(tmp_path / "out")["faults"][-1]
    stored = json.loads(
        (tmp_path / "out" / CANDIDATES / BLOCKED[-1] / "candidate.json").read_text()
    )
    mutant = tmp_path / "mutant"
    mutant.mkdir()
    write_exported(exported, mutation("neuron-block", 0.3, 0, None), mutant)
    assert read_card(mutant).fingerprint == stored["fingerprint"]
    shared = ("--task", "ner", "--suite", suite, "--cache", tmp_path / "other")
    command("run", *shared, "--checkpoint", exported, "--out", tmp_path / "first")
    first = tmp_path / "first" / "result.json"
    command("baseline", "record", first, "--name", "first", "--dir", tmp_path)
    second = ("--checkpoint", mutant, "--out", tmp_path / "second")
    done = command("run", *shared, *second, "--baseline", tmp_path / "first.json")
    assert done.code in (0, 1), done.err
    result = json.loads((tmp_path / "second" / "result.json").read_text())
    # The study judges relations alone: a shift of the predictions leaves a pass open.
    verdict = "pass" if result.get("shift") else result["verdict"]
    assert verdict == shown["gate"]["verdict"]
    assert result["overall"]["comparison"]["delta"] == shown["gate"]["difference"]


def test_a_killed_bench_goes_on_where_it_was(study: Callable[..., Answer], tmp_path: Path) -> None:
    study()
    first = read_study(tmp_path / "out")
    places = tmp_path / "out" / CANDIDATES
    shutil.rmtree(places / BLOCKED[1])
    (places / ".mt-gate-draft-left").mkdir()
    (tmp_path / "out" / JSON).unlink()
    reference = (tmp_path / "out" / REFERENCE).read_bytes()
    before = {name: (places / name / "candidate.json").stat().st_mtime_ns for name in (BLOCKED[0],)}
    done = study()
    assert "neuron-block-0.01: kept from an earlier run" in done.err
    assert "neuron-block-0.05: cost" in done.err
    assert {
        name: (places / name / "candidate.json").stat().st_mtime_ns for name in before
    } == before
    assert sorted(path.name for path in places.iterdir()) == sorted(BLOCKED)
    assert (tmp_path / "out" / REFERENCE).read_bytes() == reference  # its seconds, too
    again = read_study(tmp_path / "out")
    assert again["parts"] == first["parts"]
    assert again["faults"] == first["faults"]


@pytest.mark.parametrize(
    ("named", "code", "expected"),
    [
        ({"kinds": "fuzz"}, 2, "--kinds 'fuzz': unknown"),
        ({"sources": 0}, 2, "--sources must be a whole number"),
        ({"seed": -1}, 2, "--seed is -1"),
        ({"labels": "none.jsonl"}, 3, "none.jsonl does not exist"),
        ({"candidates": "nowhere"}, 2, "--candidates nowhere: cannot be read"),
        ({"candidates": "."}, 2, "expected 1 to 1000"),
    ],
)
def test_bad_arguments_are_refused(
    study: Callable[..., Answer], tmp_path: Path, named: dict, code: int, expected: str
) -> None:
    if named.get("candidates") == ".":
        named = {"candidates": tmp_path / "nothing"}
        named["candidates"].mkdir()
    done = study(**named)
    assert (done.code, done.out) == (code, "")
    assert expected in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_hugging_face_folder_is_exported_once_and_loses_layers(
    study: Callable[..., Answer], hugging_face: Path, tmp_path: Path
) -> None:
    done = study(hugging_face, kinds="layers-dropped")
    assert done.code == 0, done.err
    actual = read_study(tmp_path / "out")
    assert actual["checkpoint"]["runtime"]["precision"] == "fp32"
    assert [item["fault"]["strength"] for item in actual["faults"]] == [1]
    assert "cannot be dropped" in actual["left_out"]["layers-dropped-2"]
    assert len(list((tmp_path / "cache" / "exports").iterdir())) == 1
