"""The two commands, on a small checkpoint with random weights."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Answer
from making import SENTENCES
from mt_gate.mutating.sensitivity import JSON, MARKDOWN, MUTANTS
from mt_gate.results.out_folder import held
from mt_gate.sut.card import read_card
from mt_gate.sut.onnx import OnnxSystem


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
def study(
    command: Callable[..., Answer], exported: Path, suite: Path, labels: Path, tmp_path: Path
) -> Callable[..., Answer]:
    """Study three mutants of an operator that ruins the small checkpoint."""

    def run(*flags: object, **named: object) -> Answer:
        values = {
            "task": "ner",
            "suite": suite,
            "operators": "neuron-block",
            "ratio": 0.9,
            "mutants": 3,
            "labels": labels,
            "out": tmp_path / "out",
            "cache": tmp_path / "cache",
        } | named
        pairs = [(f"--{key}", value) for key, value in values.items() if value is not None]
        return command("sensitivity", exported, *(part for pair in pairs for part in pair), *flags)

    return run


def found_in(folder: Path) -> dict:
    return json.loads((folder / JSON).read_text())


def test_a_ruined_checkpoint_is_caught(study: Callable[..., Answer], tmp_path: Path) -> None:
    done = study()
    assert done.code == 0, done.err
    found = found_in(tmp_path / "out")
    assert [m["mutation"]["seed"] for m in found["mutants"]] == [0, 1, 2]
    assert len({m["fingerprint"] for m in found["mutants"]}) == 3
    (operator,) = found["operators"]
    assert operator["caught_by_accuracy"] == 3
    assert operator["mean_accuracy_ratio"] == pytest.approx(
        sum(
            m["accuracy"]["newly_wrong"]["failing"] / m["accuracy"]["newly_wrong"]["passed"]
            for m in found["mutants"]
        )
        / 3
    )
    assert set(operator["tests"]) == {"ner/structural", "ner/entity-shuffle"}
    assert found["labels"]["samples"] == 80
    assert found["sources"] == {"used": 60, "of": 60, "seed": 0}
    assert operator["caught_by_gate"] == sum(
        m["gate"]["verdict"] in ("regression", "collapse") for m in found["mutants"]
    )
    assert "neuron-block" in (tmp_path / "out" / MARKDOWN).read_text()
    assert "neuron-block" in done.out


def test_the_counts_are_those_of_the_gate(
    study: Callable[..., Answer],
    command: Callable[..., Answer],
    exported: Path,
    suite: Path,
    tmp_path: Path,
) -> None:
    """The mutant made by the other command, run by the gate against a baseline."""
    study(mutants=1, seed=5)
    shown = found_in(tmp_path / "out")["mutants"][0]
    mutant = tmp_path / "mutant"
    flags = ("--operator", "neuron-block", "--ratio", 0.9, "--seed", 5, "--out", mutant)
    assert command("mutate", exported, *flags).code == 0
    assert read_card(mutant).fingerprint == shown["fingerprint"]
    shared = ("--task", "ner", "--suite", suite, "--cache", tmp_path / "other")
    first = ("--checkpoint", exported, "--out", tmp_path / "first")
    command("run", *shared, *first)
    command(
        "baseline",
        "record",
        tmp_path / "first" / "result.json",
        "--name",
        "first",
        "--dir",
        tmp_path,
    )
    second = ("--checkpoint", mutant, "--out", tmp_path / "second")
    done = command("run", *shared, *second, "--baseline", tmp_path / "first.json")
    assert done.code in (0, 1), done.err
    result = json.loads((tmp_path / "second" / "result.json").read_text())
    assert result["verdict"] == shown["gate"]["verdict"]
    assert result["checkpoint"]["fingerprint"] == shown["fingerprint"]
    (structural,) = [item for item in result["relations"] if item["id"] == "ner/structural"]
    new = structural["comparison"]["new_violations"]
    assert shown["relations"]["ner/structural"]["failing"] == new


def test_a_study_goes_on_where_it_was(study: Callable[..., Answer], tmp_path: Path) -> None:
    study(mutants=2)
    kept = tmp_path / "out" / MUTANTS / "neuron-block-1.json"
    first = found_in(tmp_path / "out")
    value = json.loads(kept.read_text())
    value["mutant"]["gate"]["reasons"] = ["kept"]
    kept.write_text(json.dumps(value))
    study(mutants=3)
    found = found_in(tmp_path / "out")
    assert found["mutants"][1]["gate"]["reasons"] == ["kept"]
    assert found["mutants"][0] == first["mutants"][0]
    kept.write_text("{")  # half a file
    study(mutants=3)
    assert found_in(tmp_path / "out")["mutants"][1] == first["mutants"][1]
    study(mutants=2, alpha=0.2)  # another question is not answered from what was kept
    assert found_in(tmp_path / "out")["settings"]["alpha"] == 0.2


def test_a_draw_of_sources_is_seeded_and_told(study: Callable[..., Answer], tmp_path: Path) -> None:
    done = study(mutants=1, sources=20, seed=3)
    assert "20 of 60 sources, sampled with seed 3" in done.out
    first = found_in(tmp_path / "out")
    assert first["relations"][1]["groups"] >= 20
    assert first["relations"][0]["groups"] == 20
    study(mutants=1, sources=20, seed=3, out=tmp_path / "again", cache=tmp_path / "new-cache")
    assert found_in(tmp_path / "again") == first


def test_without_labels_the_gate_alone_is_measured(
    study: Callable[..., Answer], tmp_path: Path
) -> None:
    assert study(mutants=1, labels=None).code == 0
    (operator,) = found_in(tmp_path / "out")["operators"]
    assert operator["caught_by_accuracy"] is None
    assert operator["tests"] == {}


@pytest.mark.parametrize(
    ("named", "code", "told"),
    [
        ({"operators": "fuzz"}, 2, "operator 'fuzz': unknown"),
        ({"mutants": 0}, 2, "--mutants is 0"),
        ({"sources": 0}, 2, "--sources is '0'"),
        ({"seed": -1}, 2, "--seed is -1"),
        ({"labels": "none.jsonl"}, 3, "none.jsonl: no such file"),
    ],
)
def test_bad_arguments_are_told(
    study: Callable[..., Answer], tmp_path: Path, named: dict, code: int, told: str
) -> None:
    done = study(**named)
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_labels_that_nothing_answers_right_are_told(
    study: Callable[..., Answer], tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"text": "Anna was here.", "entities": [[0, 4, "person"]]}\n')
    done = study(labels=other)
    assert done.code == 3
    assert "answers none of 1 samples right" in done.err


def test_one_study_at_a_time(study: Callable[..., Answer], tmp_path: Path) -> None:
    with held(tmp_path / "out"):
        done = study()
    assert done.code == 2
    assert "another mt-gate is writing there" in done.err


def test_a_taken_folder_is_left_alone(
    command: Callable[..., Answer], exported: Path, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine").write_text("mine")
    done = command("mutate", exported, "--operator", "neuron-block", "--out", taken)
    assert done.code == 2
    assert "exists already" in done.err
    assert [path.name for path in taken.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_what_is_no_checkpoint_is_told(
    command: Callable[..., Answer], tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    done = command("mutate", tmp_path / name, "--operator", "neuron-block", "--out", "out")
    assert done.code == (2 if name == "nowhere" else 3)
    assert "expected a checkpoint made by 'mt-gate export'" in done.err


def test_a_study_of_an_export_loads_no_training_library(
    exported: Path, suite: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "mt_gate", "sensitivity", exported]
    flags = ["--task", "ner", "--suite", suite, "--operators", "neuron-block", "--mutants", 1]
    folders = ["--out", tmp_path / "out", "--cache", tmp_path / "cache"]
    done = subprocess.run(
        [*map(str, command), *map(str, flags), *map(str, folders)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert "onnx" in loaded
    assert not loaded & {"torch", "transformers", "spacy", "nltk", "scipy"}


def test_a_hugging_face_folder_is_exported_once_and_its_export_mutated(
    command: Callable[..., Answer], hugging_face: Path, suite: Path, tmp_path: Path
) -> None:
    flags = ("--task", "ner", "--suite", suite, "--operators", "weight-shuffle", "--mutants", 1)
    folders = ("--out", tmp_path / "out", "--cache", tmp_path / "cache")
    done = command("sensitivity", hugging_face, *flags, *folders)
    assert done.code == 0, done.err
    assert found_in(tmp_path / "out")["checkpoint"]["runtime"]["precision"] == "fp32"
    assert len(list((tmp_path / "cache" / "exports").iterdir())) == 1
