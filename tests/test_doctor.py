"""The command as a user meets it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import mt_gate
from cases import table
from mt_gate.doctor import (
    CUDA,
    SessionTrial,
    explain_missing_gpu,
    find_reason,
    try_session,
)
from mt_gate.sut.session import TRIAL, trial

Command = Callable[..., Any]


def said(text: str) -> str:
    return " ".join(text.split())


def test_a_machine_that_can_run(command: Command, tmp_path: Path) -> None:
    answer = command("doctor")
    assert answer.code == 0, answer
    text = said(answer.out)
    assert f"mt-gate ok {mt_gate.__version__}" in text
    assert "--device auto: " in text
    assert "tested with a session of one node" in text
    assert f"numpy {metadata.version('numpy')}" in text
    assert f"{tmp_path / 'user-cache' / 'mt-gate'}, created by the first run" in text
    assert "ner-default: task ner" in text
    assert text.endswith("No problem found.")
    assert not (tmp_path / "user-cache").exists()
    assert "\x1b" not in answer.out


def test_a_checkpoint_that_opens(command: Command, small: Path) -> None:
    answer = command("doctor", "--checkpoint", small, "--device", "cpu")
    assert answer.code == 0, answer
    text = said(answer.out)
    assert "task ok ner, input form text" in text
    assert "7: O, B-PER" in text
    assert "opens ok loads and predicts on CPUExecutionProvider" in text


def test_a_checkpoint_that_is_broken(command: Command, checkpoint: Path) -> None:
    (checkpoint / "model.onnx").write_bytes(b"no model")
    answer = command("doctor", "--checkpoint", checkpoint)
    assert answer.code == 3
    assert "model.onnx is not the file that checkpoint.json describes" in said(answer.out)
    assert "1 problem prevents a run." in answer.out


def test_a_hugging_face_folder(command: Command, hugging_face: Path) -> None:
    answer = command("doctor", "--checkpoint", hugging_face)
    assert answer.code == 0, answer
    assert "checkpoint for task ner (BertForTokenClassification, 7 labels)" in said(answer.out)


def test_settings_are_heeded(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mt-gate.toml").write_text('task = "ner"\ndevice = "cpu"\ncache = "kept"\n')
    text = said(command("doctor").out)
    assert "mt-gate.toml sets task, device, cache" in text
    assert "--device cpu: CPUExecutionProvider" in text
    assert "kept, created by the first run" in text
    assert "--device auto" in said(command("doctor", "--device", "auto").out)


CPU = "CPUExecutionProvider"
UNLOADABLE = (
    "\x1b[1;31m2026-01-02 03:04:05.6 [E:onnxruntime:Default, provider_bridge_ort.cc:2458 "
    "operator()] /src/provider_bridge_ort.cc:2043 Get() [ONNXRuntimeError] : 1 : FAIL : Failed to "
    "load library /x/libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open "
    "shared object file: No such file or directory\n\x1b[m\n"
    "\x1b[0;93m2026-01-02 03:04:05.7 [W:onnxruntime:Default, onnxruntime_pybind_state.cc:1295 "
    "Create] Failed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 13.*.\x1b[m\n"
)
"""What ONNX Runtime 1.31 for GPUs writes where CUDA's libraries are not installed."""


def test_the_model_of_the_trial_is_one_that_onnx_would_write() -> None:
    onnx = pytest.importorskip("onnx")
    kind = onnx.TensorProto.FLOAT
    x, y = (onnx.helper.make_tensor_value_info(name, kind, [1]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "trial", [x], [y])
    opset = onnx.helper.make_opsetid("", 17)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    assert model.SerializeToString() == TRIAL


def test_a_session_is_really_run() -> None:
    tried = try_session("cpu")
    assert not tried.error
    assert (tried.version, tried.available, tried.provider) == trial("cpu")


@pytest.mark.parametrize(("code", "error"), table(__file__, "a_broken_runtime"))
def test_a_broken_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, error: str
) -> None:
    (tmp_path / "onnxruntime.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(mt_gate.__file__).parents[1]}")
    assert try_session("auto").error == error


@pytest.mark.parametrize(
    ("device", "available", "stderr", "words"),
    [
        ("auto", (CPU,), "", "pip install 'mt-gate[gpu]'"),
        ("auto", (CUDA, CPU), UNLOADABLE, "libcublasLt.so.13: cannot open shared object file"),
        ("auto", (CUDA, CPU), UNLOADABLE, "Install CUDA and cuDNN"),
        ("auto", (CUDA, CPU), "libcuda.so.1: cannot open shared object", "install the driver"),
        ("cpu", (CUDA, CPU), UNLOADABLE, "because of --device cpu"),
        ("auto", (CUDA, CPU), "no CUDA device", "does not start: no CUDA device"),
    ],
)
def test_why_not_the_gpu(device: str, available: tuple, stderr: str, words: str) -> None:
    tried = SessionTrial("1", available, CPU, stderr=find_reason(stderr))
    assert words in explain_missing_gpu(device, tried)
