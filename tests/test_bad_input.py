"""Bad input: one clear line, the right exit code, nothing written."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from making import make_suite
from making_boolq import INPUTS, make_boolq_suite, save_t5, save_word_pair
from mt_gate.base.errors import CANNOT_JUDGE, USAGE
from mt_gate.suites.format import GROUPS, HEAD, SOURCES
from speeds import Made


@pytest.fixture
def refused(run_gate: Callable, tmp_path: Path) -> Callable:
    """Run the gate, expecting one line that holds ``words`` and no report.

    A line that an export begins may stand before it.
    """

    def check(code: int, *words: str, flags: tuple = (), **named: object) -> str:
        answer = run_gate(*flags, **named)
        lines = answer.err.strip().splitlines()
        if lines[0].startswith("mt-gate: Exporting "):
            del lines[0]
        assert answer.code == code, answer
        assert len(lines) == 1, lines
        assert lines[0].startswith("mt-gate: ")
        for word in words:
            assert word in lines[0]
        assert answer.out == ""
        assert not (tmp_path / "out").exists()
        return lines[0]

    return check


@pytest.mark.parametrize(
    ("code", "words", "named"),
    [
        (USAGE, ("models/nowhere", "Checkpoint folder"), {"checkpoint": "models/nowhere"}),
        (USAGE, ("ner/nonsense", "ner/structural"), {"relations": "ner/nonsense"}),
        (
            USAGE,
            ("No suite named 'no-such-suite'", "mt-gate suite list"),
            {"suite": "no-such-suite"},
        ),
        (USAGE, ("tpu", "auto, cpu, cuda"), {"device": "tpu"}),
        (USAGE, ("task", "'poetry'"), {"task": "poetry"}),
        (USAGE, ("for task ner", "boolq"), {"task": "boolq"}),
        (USAGE, ("--answers", "--answers works only"), {"answers": "yes=a,no=b"}),
        (USAGE, ("--max-length", "whole number"), {"max_length": "12.5"}),
        (USAGE, ("--max-length 4096", "at most 64"), {"max_length": 4096}),
        (CANNOT_JUDGE, ("max_length 3", "too small"), {"max_length": 3}),
        (CANNOT_JUDGE, ("nowhere.json",), {"baseline": "nowhere.json"}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_values_that_name_nothing(
    refused: Callable, code: int, words: tuple[str, ...], named: dict[str, object]
) -> None:
    refused(code, *words, **named)


def test_a_first_baseline_is_forgotten(refused: Callable, tmp_path: Path) -> None:
    path = tmp_path / "baselines" / "names.json"
    words = "mt-gate run ... --out out", "mt-gate baseline record out", "--name names"
    refused(CANNOT_JUDGE, f"{path} does not exist", *words, baseline=path)


def test_exported_checkpoint_of_another_task(
    refused: Callable, checkpoint: Path, edit_json: Callable
) -> None:
    edit_json(checkpoint / "checkpoint.json", lambda c: c.update(task="boolq"))
    refused(CANNOT_JUDGE, "task boolq", checkpoint=checkpoint)


@pytest.mark.parametrize("content", [b"", b"not onnx", b"\x08\x07\x12" * 50])
def test_broken_onnx(
    refused: Callable, checkpoint: Path, edit_json: Callable, content: bytes
) -> None:
    (checkpoint / "model.onnx").write_bytes(content)
    edit_json(checkpoint / "checkpoint.json", lambda c: c.pop("files"))
    refused(CANNOT_JUDGE, "model.onnx: ", "Export the checkpoint again", checkpoint=checkpoint)


def test_exchanged_onnx(refused: Callable, checkpoint: Path) -> None:
    with (checkpoint / "model.onnx").open("ab") as file:
        file.write(b"\0")
    refused(CANNOT_JUDGE, "is not the file", checkpoint=checkpoint)


def test_device_that_is_not_there(refused: Callable) -> None:
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("ONNX Runtime here lists CUDA")
    refused(CANNOT_JUDGE, "device cuda", "mt-gate[gpu]", "--device cpu", device="cuda")


@pytest.mark.parametrize("name", [SOURCES, GROUPS])
def test_suite_edited(refused: Callable, suite: Path, name: str) -> None:
    lines = gzip.decompress((suite / name).read_bytes()).decode().splitlines()
    lines[3] = lines[3].replace("Boris", "Bolis").replace("Oslo", "Olso") + " "
    (suite / name).write_bytes(gzip.compress("\n".join(lines).encode() + b"\n"))
    refused(CANNOT_JUDGE, name, "sha256")


def test_suite_of_a_later_format(refused: Callable, suite: Path, edit_json: Callable) -> None:
    edit_json(suite / HEAD, lambda head: head.update(format=99))
    refused(CANNOT_JUDGE, "suite format 99", "newer mt-gate")


def test_suite_with_a_relation_of_another_task(
    refused: Callable, suite: Path, edit_json: Callable
) -> None:
    """Its output relation would read answers of another form."""
    rename = {"id": "boolq/voice-change"}
    edit_json(suite / "suite.json", lambda head: head["relations"][1].update(rename))
    text = gzip.decompress((suite / "sources.jsonl.gz").read_bytes())
    text = text.replace(b"ner/entity-shuffle", b"boolq/voice-change")
    (suite / "sources.jsonl.gz").write_bytes(gzip.compress(text))
    digest = {"sha256": hashlib.sha256(text).hexdigest()}
    edit_json(suite / "suite.json", lambda head: head["files"]["sources.jsonl.gz"].update(digest))
    refused(CANNOT_JUDGE, "'boolq/voice-change' of task ner")


def test_out_not_writable(run_gate: Callable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    answer = run_gate(out=tmp_path / "file" / "out")
    assert answer.code == USAGE
    assert len(answer.err.strip().splitlines()) == 1
    assert "--out" in answer.err
    assert (tmp_path / "file").read_text() == "kept"


STRANGE = [
    "Anna was " + "very " * 10_000 + "far from Oslo.",
    "Anna was 😀 in Oslo 👩‍👩‍👧‍👦 with Boris.",
    "آنا كانت في أوسلو مع بوريس.",
    "Anna was \x00 in Oslo with Boris.",
    "Anna was \x1b[31m in \u202eOslo\x07 with <b>Boris</b> & ]]> --> \ufffe.",
    "\u200b\u00ad",
    "Anna was here.",
]


def test_strange_sentences(run_gate: Callable, tmp_path: Path) -> None:
    """Over-long, emoji, right to left, NUL and control characters: judged, and reported whole."""
    from xml.etree import ElementTree

    suite = make_suite(tmp_path / "strange", STRANGE)
    answer = run_gate(suite=suite)
    assert answer.code == 0, answer
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    counts = {relation["id"]: relation for relation in result["relations"]}
    assert counts["ner/structural"]["not_applicable"]["truncated"] == 1
    ElementTree.parse(tmp_path / "out" / "junit.xml")
    assert "\0" not in (tmp_path / "out" / "report.html").read_text()
    assert "\x1b" not in (tmp_path / "out" / "summary.md").read_text()


@pytest.fixture
def refused_question(refused: Callable, tmp_path: Path) -> Callable:
    """Run a small suite of boolean questions, expecting one line that holds ``words``."""
    suite = make_boolq_suite(tmp_path / "boolq-suite", INPUTS[:6])

    def check(code: int, *words: str, checkpoint: Path, **named: object) -> None:
        refused(code, *words, checkpoint=checkpoint, task="boolq", **{"suite": suite, **named})

    return check


@pytest.mark.parametrize(
    ("words", "named", "expected"),
    [
        (("Anna",), {}, "'False' and 'True' both begin with the token '▁'"),
        (("True", "False"), {"answers": "yes=да,no=False"}, "cannot output 'да'"),
        (("True", "False"), {"answers": "yes=True,no=True Anna"}, "begin with the token '▁True'"),
    ],
)
def test_text_to_text_without_the_label_words(
    refused_question: Callable, made_once: Made, words: tuple, named: dict, expected: str
) -> None:
    pytest.importorskip("transformers")
    folder = made_once(save_t5, words)
    refused_question(
        CANNOT_JUDGE, expected, "--answers yes=TEXT,no=TEXT", checkpoint=folder, **named
    )


def test_vocabulary_larger_than_the_model_s(refused_question: Callable, tmp_path: Path) -> None:
    folder = save_word_pair(tmp_path / "words")
    with (folder / "vocabulary.txt").open("a") as file:
        file.write("is\noslo's\nthe\ncapital\n")
    refused_question(CANNOT_JUDGE, "fails on question_ids", "vocabulary", checkpoint=folder)


def test_question_longer_than_the_limit(run_gate: Callable, tmp_path: Path) -> None:
    inputs = [*INPUTS[:4], {"question": "was Anna " * 40, "passage": "Anna was in Oslo."}]
    suite = make_boolq_suite(tmp_path / "long", inputs)
    folder = save_word_pair(tmp_path / "words", max_length=20)
    answer = run_gate(checkpoint=folder, task="boolq", suite=suite)
    assert answer.code == 0, answer
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    for relation in result["relations"]:
        assert relation["not_applicable"]["question-too-long"] == 1
    report = (tmp_path / "out" / "report.html").read_text()
    assert "question alone is longer" in report
    assert "skipped: the input is longer" in report
