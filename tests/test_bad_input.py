"""Bad input: one clear line, the right exit code, nothing written."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from making import LABELS, SENTENCES, make_suite, save_bert
from mt_gate.errors import CANNOT_JUDGE, USAGE
from mt_gate.suites.format import GROUPS, HEAD, SOURCES


@pytest.fixture
def refused(run_gate: Callable, tmp_path: Path) -> Callable:
    """Run the gate, expecting one line that holds ``words`` and no report."""

    def check(code: int, *words: str, flags: tuple = (), **named: object) -> str:
        answer = run_gate(*flags, **named)
        lines = answer.err.strip().splitlines()
        assert answer.code == code, answer
        assert len(lines) == 1, lines
        assert lines[0].startswith("mt-gate: ")
        for word in words:
            assert word in lines[0]
        assert answer.out == ""
        assert not (tmp_path / "out").exists()
        return lines[0]

    return check


def test_no_such_checkpoint(refused: Callable) -> None:
    refused(USAGE, "models/nowhere", "no such folder", checkpoint="models/nowhere")


def test_checkpoint_is_a_file(refused: Callable, exported: Path) -> None:
    refused(USAGE, "expected the folder", checkpoint=exported / "model.onnx")


def test_empty_folder(refused: Callable, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    refused(CANNOT_JUDGE, "neither checkpoint.json nor", checkpoint=tmp_path / "empty")


def test_pickle_only_checkpoint(refused: Callable, hugging_face: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(hugging_face, tmp_path / "pickled"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    refused(CANNOT_JUDGE, "pickled", "safe_serialization", checkpoint=folder)


def test_custom_code(refused: Callable, hugging_face: Path, tmp_path: Path, edit_json) -> None:
    folder = Path(shutil.copytree(hugging_face, tmp_path / "custom"))
    edit_json(folder / "config.json", lambda c: c.update(auto_map={"AutoModel": "evil.Model"}))
    refused(CANNOT_JUDGE, "auto_map", checkpoint=folder)


def test_hugging_face_checkpoint_of_another_task(
    refused: Callable, hugging_face: Path, tmp_path: Path, edit_json: Callable
) -> None:
    folder = Path(shutil.copytree(hugging_face, tmp_path / "other"))
    edit_json(
        folder / "config.json",
        lambda c: c.update(architectures=["BertForSequenceClassification"]),
    )
    refused(CANNOT_JUDGE, "BertForSequenceClassification", "ForTokenClass", checkpoint=folder)


def test_exported_checkpoint_of_another_task(
    refused: Callable, checkpoint: Path, edit_json: Callable
) -> None:
    edit_json(checkpoint / "checkpoint.json", lambda c: c.update(task="boolq"))
    refused(CANNOT_JUDGE, "task boolq", checkpoint=checkpoint)


@pytest.mark.parametrize(
    "labels", [("negative", "positive"), ("O", "B-PER", "PLACE"), ("LABEL_0", "LABEL_1"), ("O",)]
)
def test_labels_that_are_no_tag_scheme(
    refused: Callable, checkpoint: Path, edit_json: Callable, labels: tuple[str, ...]
) -> None:
    edit_json(checkpoint / "checkpoint.json", lambda c: c.update(labels=labels))
    refused(CANNOT_JUDGE, "tag scheme", labels[0], checkpoint=checkpoint)


def test_labels_of_a_hugging_face_checkpoint(refused: Callable, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    folder = save_bert(tmp_path / "bert", ("bad", "good"))
    refused(CANNOT_JUDGE, "tag scheme", "id2label", checkpoint=folder)


def test_more_labels_than_scores(refused: Callable, checkpoint: Path, edit_json: Callable) -> None:
    edit_json(checkpoint / "checkpoint.json", lambda c: c.update(labels=[*LABELS, "B-X", "I-X"]))
    refused(CANNOT_JUDGE, "logits of shape", checkpoint=checkpoint)


@pytest.mark.parametrize("content", [b"", b"not onnx", b"\x08\x07\x12" * 50])
def test_broken_onnx(
    refused: Callable, checkpoint: Path, edit_json: Callable, content: bytes
) -> None:
    (checkpoint / "model.onnx").write_bytes(content)
    edit_json(checkpoint / "checkpoint.json", lambda c: c.pop("files"))
    refused(CANNOT_JUDGE, "model.onnx", "cannot load", checkpoint=checkpoint)


def test_truncated_onnx(refused: Callable, checkpoint: Path, edit_json: Callable) -> None:
    model = checkpoint / "model.onnx"
    model.write_bytes(model.read_bytes()[:-1000])
    edit_json(checkpoint / "checkpoint.json", lambda c: c.pop("files"))
    refused(CANNOT_JUDGE, "model.onnx", checkpoint=checkpoint)


def test_exchanged_onnx(refused: Callable, checkpoint: Path) -> None:
    with (checkpoint / "model.onnx").open("ab") as file:
        file.write(b"\0")
    refused(CANNOT_JUDGE, "is not the file", checkpoint=checkpoint)


def test_onnx_with_data_outside_its_folder(
    refused: Callable, checkpoint: Path, edit_json: Callable, tmp_path: Path
) -> None:
    onnx = pytest.importorskip("onnx")
    (tmp_path / "secret.bin").write_bytes(np.zeros(1 << 16, np.float32).tobytes())
    model = onnx.load(checkpoint / "model.onnx")
    tensor = max(model.graph.initializer, key=lambda item: len(item.raw_data))
    size = len(tensor.raw_data)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", "../secret.bin"), ("offset", "0"), ("length", str(size))):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    (checkpoint / "model.onnx").write_bytes(model.SerializeToString())
    edit_json(checkpoint / "checkpoint.json", lambda c: c.pop("files"))
    refused(CANNOT_JUDGE, "model.onnx", checkpoint=checkpoint)


def test_tokenizer_missing(refused: Callable, checkpoint: Path) -> None:
    (checkpoint / "tokenizer.json").unlink()
    refused(CANNOT_JUDGE, "tokenizer.json", "no such file", checkpoint=checkpoint)


def test_tokenizer_missing_from_a_hugging_face_folder(
    refused: Callable, hugging_face: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(hugging_face, tmp_path / "bare"))
    for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).unlink(missing_ok=True)
    refused(CANNOT_JUDGE, "no tokenizer", "save_pretrained", checkpoint=folder)


def test_broken_tokenizer(refused: Callable, checkpoint: Path, edit_json: Callable) -> None:
    (checkpoint / "tokenizer.json").write_text("{}")
    edit_json(checkpoint / "checkpoint.json", lambda c: c.pop("files"))
    refused(CANNOT_JUDGE, "tokenizer.json", "not a tokenizer", checkpoint=checkpoint)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"task": 3}', '{"task": "ner"}', '"ner"'])
def test_broken_card(refused: Callable, checkpoint: Path, content: str) -> None:
    (checkpoint / "checkpoint.json").write_text(content)
    refused(CANNOT_JUDGE, "checkpoint.json", checkpoint=checkpoint)


def test_card_of_a_later_format(refused: Callable, checkpoint: Path, edit_json: Callable) -> None:
    edit_json(checkpoint / "checkpoint.json", lambda c: c.update(format=99))
    refused(CANNOT_JUDGE, "format 99", checkpoint=checkpoint)


def test_unknown_relation(refused: Callable) -> None:
    refused(USAGE, "ner/nonsense", "ner/structural", relations="ner/nonsense")


def test_unknown_suite(refused: Callable) -> None:
    refused(USAGE, "no-such-suite", "ner-default", suite="no-such-suite")


def test_unknown_device(refused: Callable) -> None:
    refused(USAGE, "tpu", "auto, cpu, cuda", device="tpu")


def test_device_that_is_not_there(refused: Callable) -> None:
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("ONNX Runtime here lists CUDA")
    refused(CANNOT_JUDGE, "device cuda", "mt-gate[gpu]", "--device cpu", device="cuda")


def test_unknown_task(refused: Callable) -> None:
    refused(USAGE, "task", "'poetry'", task="poetry")


def test_suite_of_another_task(refused: Callable) -> None:
    refused(USAGE, "for task ner", "boolq", task="boolq")


@pytest.mark.parametrize("name", [SOURCES, GROUPS])
def test_suite_edited(refused: Callable, suite: Path, name: str) -> None:
    lines = gzip.decompress((suite / name).read_bytes()).decode().splitlines()
    lines[3] = lines[3].replace("Boris", "Bolis").replace("Oslo", "Olso") + " "
    (suite / name).write_bytes(gzip.compress("\n".join(lines).encode() + b"\n"))
    refused(CANNOT_JUDGE, name, "sha256")


@pytest.mark.parametrize("name", [SOURCES, GROUPS])
def test_suite_truncated(refused: Callable, suite: Path, name: str) -> None:
    (suite / name).write_bytes((suite / name).read_bytes()[:-40])
    refused(CANNOT_JUDGE, name, "truncated")


@pytest.mark.parametrize("name", [SOURCES, GROUPS])
def test_suite_file_missing(refused: Callable, suite: Path, name: str) -> None:
    (suite / name).unlink()
    refused(CANNOT_JUDGE, name, "no such file")


def test_suite_head_truncated(refused: Callable, suite: Path) -> None:
    (suite / HEAD).write_text((suite / HEAD).read_text()[:200])
    refused(CANNOT_JUDGE, HEAD)


def test_suite_of_a_later_format(refused: Callable, suite: Path, edit_json: Callable) -> None:
    edit_json(suite / HEAD, lambda head: head.update(format=99))
    refused(CANNOT_JUDGE, "suite format 99", "newer mt-gate")


def test_suite_with_an_unknown_relation(
    refused: Callable, suite: Path, edit_json: Callable
) -> None:
    edit_json(
        suite / HEAD,
        lambda head: head["relations"].append({"id": "ner/later", "groups": 0, "sources": 0}),
    )
    refused(CANNOT_JUDGE, "ner/later", "newer mt-gate")


def test_baseline_missing(refused: Callable, tmp_path: Path) -> None:
    refused(CANNOT_JUDGE, "nowhere.json", baseline=tmp_path / "nowhere.json")


@pytest.fixture
def baseline(run_gate: Callable, command: Callable, tmp_path: Path) -> Path:
    """A baseline of the small suite; the run's reports are taken away."""
    assert run_gate(out=tmp_path / "first").code == 0
    answer = command(
        "baseline", "record", tmp_path / "first" / "result.json", "--name", "ner", "--dir", tmp_path
    )
    assert answer.code == 0, answer
    return tmp_path / "ner.json"


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "null", '{"format": 1}', "\0\0"])
def test_baseline_unreadable(refused: Callable, baseline: Path, content: str) -> None:
    baseline.write_text(content)
    refused(CANNOT_JUDGE, "ner.json", baseline=baseline)


def test_baseline_truncated(refused: Callable, baseline: Path) -> None:
    baseline.write_text(baseline.read_text()[:-300])
    refused(CANNOT_JUDGE, "ner.json", baseline=baseline)


def test_baseline_of_another_suite(refused: Callable, baseline: Path, tmp_path: Path) -> None:
    other = make_suite(tmp_path / "other", SENTENCES[70:140])
    refused(CANNOT_JUDGE, "suite", baseline=baseline, suite=other)


def test_baseline_of_another_task(refused: Callable, baseline: Path, edit_json: Callable) -> None:
    edit_json(baseline, lambda value: value["suite"].update(task="boolq"))
    refused(CANNOT_JUDGE, "task", "boolq", baseline=baseline)


def test_baseline_of_a_later_format(refused: Callable, baseline: Path, edit_json: Callable) -> None:
    edit_json(baseline, lambda value: value.update(format=99))
    refused(CANNOT_JUDGE, "99", baseline=baseline)


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


def test_empty_sentence(run_gate: Callable, tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "empty", ["Anna was here.", " "])
    answer = run_gate(suite=suite)
    assert answer.code == CANNOT_JUDGE
    assert "no usable text" in answer.err
    assert not (tmp_path / "out").exists()
