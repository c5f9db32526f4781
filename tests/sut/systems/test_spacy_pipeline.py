"""A real spaCy pipeline, and folders that are none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from making import SENTENCES
from mt_gate.base.errors import PASS
from mt_gate.sut.systems.spacy_pipeline import SpacyPipeline, fingerprint

spacy = pytest.importorskip("spacy", reason="needs mt-gate[spacy]")

NAME = os.environ.get("MT_GATE_SPACY_PIPELINE", "en_core_web_sm")
TEXTS = [
    *SENTENCES[:40],
    "😀 Zoë met   Angela Merkel in New York City on 3 May 2019.",
    "",
    "  ",
    "Apple hired him. He left Microsoft; Paris was calling!",
]


@pytest.fixture(scope="module")
def pipeline() -> str:
    if not spacy.util.is_package(NAME):
        pytest.skip(f"no spaCy pipeline {NAME} (set MT_GATE_SPACY_PIPELINE)")
    return NAME


@pytest.fixture
def result(tmp_path: Path) -> Callable[[], dict]:
    return lambda: json.loads((tmp_path / "out" / "result.json").read_text())


def test_a_run_a_baseline_and_a_second_run(
    run_system: Callable, command: Callable, result: Callable, pipeline: str, tmp_path: Path
) -> None:
    baseline = tmp_path / "baselines" / "ner.json"
    answer = run_system(f"spacy:{pipeline}", "--record-missing", baseline=baseline)
    assert answer.code == PASS, answer
    first = result()["checkpoint"]
    assert first["name"].startswith(pipeline)
    assert first["fingerprint"].startswith("sha256:")
    assert first["runtime"]["provider"] == f"spaCy {spacy.__version__}"
    assert "notes" not in result()
    assert "entities per sentence: PERSON" in result()["profile"]["candidate"]
    shown = command("baseline", "show", baseline).out
    assert f"spaCy {spacy.__version__}, on cpu" in shown
    assert run_system(f"spacy:{pipeline}", baseline=baseline).code in (PASS, 0)
    second = result()
    assert second["verdict"] == "pass"
    assert second["predictions"]["cached"] == second["predictions"]["unique"]
    report = (tmp_path / "out" / "report.html").read_text()
    assert f"spaCy {spacy.__version__}" in report
    assert "ONNX" not in report


def test_answers_are_the_whole_pipeline_s(pipeline: str) -> None:
    system = SpacyPipeline(pipeline, "cpu")
    batches = system.predict([{"text": text} for text in TEXTS])
    answers = dict(pair for batch in batches for pair in batch)
    nlp = spacy.load(pipeline)
    for at, text in enumerate(TEXTS):
        wanted = [[ent.start_char, ent.end_char, ent.label_] for ent in nlp(text).ents]
        assert answers[at].output == {"entities": wanted}


def test_the_fingerprint_covers_names_bytes_and_version(tmp_path: Path) -> None:
    (tmp_path / "a" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a" / "x").write_text("1")
    one = fingerprint(tmp_path, "3.8")
    (tmp_path / "a" / "__pycache__" / "x.pyc").write_text("2")
    assert fingerprint(tmp_path, "3.8") == one
    assert fingerprint(tmp_path, "3.9") != one
    (tmp_path / "a" / "x").rename(tmp_path / "a" / "y")
    assert fingerprint(tmp_path, "3.8") != one
