from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mt_gate.doctor.device import CUDA, described, why_not_cuda
from mt_gate.doctor.findings import State
from mt_gate.doctor.trying import Ended, SessionTrial, outcome, reason, try_session
from mt_gate.sut.session import TRIAL, trial

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


def test_the_model_is_one_that_onnx_would_write() -> None:
    onnx = pytest.importorskip("onnx")
    kind = onnx.TensorProto.FLOAT
    x, y = (onnx.helper.make_tensor_value_info(name, kind, [1]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "trial", [x], [y])
    opset = onnx.helper.make_opsetid("", 17)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    assert model.SerializeToString() == TRIAL
    onnx.checker.check_model(model, full_check=True)


def test_a_session_is_really_run() -> None:
    tried = try_session("cpu")
    assert not tried.error
    assert (tried.version, tried.available, tried.provider) == trial("cpu")
    assert tried.provider == CPU


def test_cuda_where_there_is_none() -> None:
    tried = try_session("cuda")
    if tried.provider == CUDA:
        pytest.skip("this machine has a GPU that works")
    found = {item.name: item for item in described("cuda", tried)}
    assert found["run"].state is State.PROBLEM
    assert "cuda" in found["run"].text


def fake_runtime(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> SessionTrial:
    """Try a session where ``import onnxruntime`` finds a module with this code."""
    import mt_gate

    (folder / "onnxruntime.py").write_text(code)
    package = Path(mt_gate.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{package}")
    return try_session("auto")


def test_a_runtime_that_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import os\nos.write(2, b'driver gone\\n')\nos.abort()\n"
    tried = fake_runtime(tmp_path, code, monkeypatch)
    assert tried.error == "ONNX Runtime ended its process (code -6): driver gone"


def test_a_runtime_that_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = fake_runtime(tmp_path, "raise ImportError('libgomp.so.1: missing')", monkeypatch)
    assert tried.error == "ONNX Runtime cannot be imported (libgomp.so.1: missing)"


def test_what_the_runtime_prints_beside_is_no_answer() -> None:
    answer = msgspec.json.encode(SessionTrial("1", (CPU,), CPU)).decode()
    ended = Ended(0, f"*** EP Error ***\nmt-gate-trial:{answer}\n", "")
    assert outcome(ended) == SessionTrial("1", (CPU,), CPU)
    assert outcome(Ended(0, "mt-gate-trial:{", "")).error


def test_the_loaders_reason_is_found() -> None:
    expected = "libcublasLt.so.13: cannot open shared object file: No such file or directory"
    assert reason(UNLOADABLE) == expected
    assert reason("") == ""
    assert reason("CUDA failure 100: no CUDA-capable device is detected\n").endswith("detected")


def test_why_not_the_gpu() -> None:
    without = SessionTrial("1", (CPU,), CPU)
    assert "pip install 'mt-gate[gpu]'" in why_not_cuda("auto", without)
    broken = SessionTrial("1", (CUDA, CPU), CPU, said=reason(UNLOADABLE))
    assert "libcublasLt.so.13" in why_not_cuda("auto", broken)
    assert "cuDNN" in why_not_cuda("auto", broken)
    lost = "libcuda.so.1: cannot open shared object file: No such file or directory"
    undriven = why_not_cuda("auto", SessionTrial("1", (CUDA, CPU), CPU, said=lost))
    assert "install the driver" in undriven
    assert "cuDNN" not in undriven
    assert "asks for none" in why_not_cuda("cpu", broken)
    gone = SessionTrial("1", (CUDA, CPU), CPU, said="no CUDA-capable device is detected")
    assert why_not_cuda("auto", gone).endswith("does not start: no CUDA-capable device is detected")


def test_a_gpu_that_works_needs_no_reason() -> None:
    tried = SessionTrial("1", (CUDA, CPU), CUDA)
    assert [item.name for item in described("auto", tried)][1:] == ["run"]
