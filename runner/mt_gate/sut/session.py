"""ONNX Runtime: the only place that imports it.

A run reports the providers that the session really has, not the requested ones.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.base.escaping import shorten
from mt_gate.sut.folder import Model
from mt_gate.sut.processes import usable_cores
from mt_gate.sut.reader import MASK, Inputs

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime

_CUDA = "CUDAExecutionProvider"
_CPU = "CPUExecutionProvider"
_EXACT_PRODUCTS = {"use_tf32": "0"}
"""By default a GPU multiplies fp32 matrices with the precision of fp16 (TF32). Then scores move a
thousand times as far as on a CPU, and a run saves only seconds. For speed, use fp16."""
_PLACE_OF_WEIGHTS = "session.model_external_initializers_file_folder_path"
_EXACT_INTEGERS = "session.x64quantprecision"
_SCORES = ("tensor(float)", "tensor(float16)", "tensor(double)")
_INTEGERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
BATCH, LENGTH = TOKEN_AXES = ("batch", "length")
TOKEN_SCORES = 2
"""Number of axes of scores, if each input has them; scores of tokens have one more."""
TRIAL = (
    b'\x08\x08:6\n\x0b\n\x01x\x12\x01y"\x03Neg\x12\x05trial'
    b"Z\x0f\n\x01x\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01"
    b"b\x0f\n\x01y\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01B\x04\n\x00\x10\x11"
)
"""A whole ONNX model of one node, y = -x, as bytes: the runtime cannot write one, and ``onnx``
belongs to an extra (tests/sut/test_session.py rewrites it)."""


def trial(device: str) -> tuple[str, tuple[str, ...], str]:
    """Compute with a session opened like a run's; return version, providers, and the used one.

    If a provider cannot be loaded, the runtime itself writes the reason to standard error. Raises
    ImportError and CannotJudge.
    """
    import numpy as np

    onnxruntime = runtime()
    session = _open(
        onnxruntime, Model(Path("a model of one node"), TRIAL, {}), device, usable_cores()
    )
    try:
        (answer,) = session.run(None, {"x": np.array([2], np.float32)})
    except Exception as error:  # ONNX Runtime's errors share no base class but Exception
        text = reported(error, 300)
        raise CannotJudge(f"ONNX Runtime cannot run a model ({text}). Reinstall it.") from None
    if answer.tolist() != [-2.0]:
        raise CannotJudge(f"ONNX Runtime computes -(2) as {answer.tolist()}. Reinstall it.")
    available = tuple(onnxruntime.get_available_providers())
    return onnxruntime.__version__, available, session.get_providers()[0]


class Session:
    """A model that turns ids into logits."""

    def __init__(
        self,
        model: Model,
        device: str,
        inputs: Inputs,
        threads: int | None = None,
        fused: bool = True,
    ) -> None:
        """Load a model, which must take ``inputs`` and nothing else. Raises CannotJudge."""
        onnxruntime = runtime()
        self.model = model.where
        self.version: str = onnxruntime.__version__
        self.threads = threads or usable_cores()
        self._session = _open(onnxruntime, model, device, self.threads, fused)
        active = self._session.get_providers()
        self.provider: str = active[0]
        self.device = "cuda" if self.provider == _CUDA else "cpu"
        # Predictions depend on this, so keys of caches contain it.
        self.computing = f"{_CUDA} {_EXACT_PRODUCTS}" if self.device == "cuda" else self.provider
        if device == "cuda" and self.device != "cuda":
            raise CannotJudge(
                f"--device cuda: ONNX Runtime {self.version} fell back to {', '.join(active)}. "
                "Install an NVIDIA GPU's driver and pip install 'mt-gate[gpu]', or pass --device "
                "cpu."
            )
        taken = self._session.get_inputs()
        names = tuple(item.name for item in taken)
        required, optional = set(inputs.required), set(inputs.optional)
        if not required <= set(names) <= required | optional:
            besides = f", optionally also {' and '.join(inputs.optional)}" if optional else ""
            raise CannotJudge(
                f"{model.where}: its inputs are {shorten(', '.join(names), 200)}. Expected "
                f"{' and '.join(inputs.required)}{besides}. Export the checkpoint again."
            )
        self.inputs = names
        self._types = {item.name: _integers_of(item, model.where) for item in taken}
        self._axes = {name: inputs.shapes.get(name, TOKEN_AXES) for name in names}
        self.fixed = _fixed_axes(taken, self._axes, model.where)
        outputs = [(item.name, item.type) for item in self._session.get_outputs()[:1]]
        if not outputs or outputs[0][1] not in _SCORES:
            raise CannotJudge(
                f"{model.where}: its first output is {outputs[0][1] if outputs else 'missing'}. "
                "Expected scores, a tensor of floating-point numbers. Export the checkpoint again."
            )
        self._output = str(outputs[0][0])
        self._on_device = onnxruntime.OrtValue.ortvalue_from_numpy

    def logits(self, feeds: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        """Return the first output for int64 feeds of the shapes that ``inputs`` have.

        If the model has a fixed batch or length, the feeds are split and padded to it.
        """
        wanted = {name: feeds[name].astype(self._types[name], copy=False) for name in self.inputs}
        if not self.fixed:
            return self._run(wanted)
        import numpy as np

        rows, length = wanted[self.inputs[0]].shape
        at_once, longest = self.fixed.get(BATCH, rows), self.fixed.get(LENGTH, length)
        if length > longest:
            raise CannotJudge(f"{self.model} takes {longest} tokens, but an input has {length}.")
        sizes = {BATCH: -rows % at_once, LENGTH: longest - length}
        padded = {
            name: np.pad(values, [(0, sizes.get(str(axis), 0)) for axis in self._axes[name]])
            for name, values in wanted.items()
        }
        starts = range(0, rows, at_once)
        parts = ({n: v[at : at + at_once] for n, v in padded.items()} for at in starts)
        scores = np.concatenate([self._run(part) for part in parts])[:rows]
        return scores[:, :length] if scores.ndim > TOKEN_SCORES else scores

    def _run(self, wanted: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        try:
            if self.provider == _CUDA:
                return self._bound(wanted)
            return self._session.run(None, wanted)[0]  # type: ignore[no-any-return]
        except Exception as error:  # ONNX Runtime's errors share no base class but Exception
            text = reported(error, 300)
            shape = wanted[self.inputs[0]].shape
            raise CannotJudge(
                f"{self.model} fails on {self.inputs[0]} of shape {shape} ({text}). Check that "
                "model and tokenizer belong together and that max_length fits, or export the "
                "checkpoint again."
            ) from None

    def _bound(self, feeds: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        # Keep outputs in the device's memory: the runtime would copy all of them back, including
        # hidden states.
        binding = self._session.io_binding()
        for name, values in feeds.items():
            binding.bind_ortvalue_input(name, self._on_device(values, self.device, 0))
        binding.bind_output(self._output, self.device)
        self._session.run_with_iobinding(binding)
        binding.synchronize_outputs()
        return binding.get_outputs()[0].numpy()  # type: ignore[no-any-return]


def _integers_of(item: Any, where: Path) -> str:
    if item.type not in _INTEGERS:
        raise CannotJudge(
            f"{where}: its input {item.name[:60]} is {item.type[:60]}. Expected int64 or int32. "
            "Export the checkpoint again."
        )
    return _INTEGERS[item.type]


def _fixed_axes(
    taken: Sequence[Any], axes: Mapping[str, Sequence[str | int]], where: Path
) -> dict[str, int]:
    """Return the sizes of a batch and of a text that the model fixes. Raises CannotJudge."""
    fixed: dict[str, int] = {}
    for item in taken:
        for axis, size in zip(axes[item.name], item.shape, strict=False):
            if not isinstance(size, int) or size < 1 or axis not in TOKEN_AXES:
                continue
            if fixed.setdefault(str(axis), size) != size:
                raise CannotJudge(
                    f"{where}: its inputs have different fixed sizes ({fixed[str(axis)]} and "
                    f"{size}). Export the checkpoint again, with free axes."
                )
    if LENGTH in fixed and MASK not in axes:
        raise CannotJudge(
            f"{where} takes only texts of {fixed[LENGTH]} tokens, and has no {MASK} to pad shorter "
            "ones. Export the checkpoint again, with a free length."
        )
    return fixed


def runtime() -> Any:
    """Import ONNX Runtime with telemetry off, which builds since 1.31 send.

    The builds read the environment variable only during the import.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def has_cuda() -> bool:
    """Return whether this build of the runtime could compute on a GPU."""
    return _CUDA in runtime().get_available_providers()


def load_cuda(ort: Any) -> None:
    """Load CUDA and cuDNN from NVIDIA's packages of mt-gate[gpu], where no loader looks.

    Its output is dropped, because the runtime itself reports what is missing.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        ort.preload_dlls()


def _open(
    ort: Any, model: Model, device: str, threads: int, fused: bool = True
) -> onnxruntime.InferenceSession:
    options = ort.SessionOptions()
    if not fused:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # Without this, CPUs without VNNI add 8-bit products in 16 bits, which may saturate.
    options.add_session_config_entry(_EXACT_INTEGERS, "1")
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # By default, the runtime reads a model's other files from the working folder.
    options.add_session_config_entry(_PLACE_OF_WEIGHTS, os.devnull)
    if model.weights:
        # Pass the bytes, not the names, so that exactly the fingerprinted bytes are loaded.
        names, data = list(model.weights), list(model.weights.values())
        options.add_external_initializers_from_files_in_memory(names, data, [*map(len, data)])
    available = ort.get_available_providers()
    use_cuda = device != "cpu" and _CUDA in available
    if device == "cuda" and not use_cuda:
        raise CannotJudge(
            f"--device cuda: this ONNX Runtime {ort.__version__} has {', '.join(available)}, but "
            "no CUDAExecutionProvider. Run pip install 'mt-gate[gpu]' without onnxruntime, or "
            "pass --device cpu."
        )
    if use_cuda:
        load_cuda(ort)
    providers = [(_CUDA, _EXACT_PRODUCTS), _CPU] if use_cuda else [_CPU]
    try:
        return ort.InferenceSession(model.data, options, providers=providers)
    except Exception as error:  # ONNX Runtime's errors share no base class but Exception
        text = reported(error, 300)
        raise CannotJudge(
            f"{model.where}: ONNX Runtime cannot load it ({text}). Expected a whole ONNX model of "
            "standard operators. Export the checkpoint again."
        ) from None
