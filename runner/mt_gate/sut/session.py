"""ONNX Runtime: the only place that imports it.

What was asked for is not trusted: the providers that the session really has
decide what a run says it ran on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate.errors import CannotJudge
from mt_gate.sut.cpu import usable_cores

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime

_CUDA = "CUDAExecutionProvider"
_CPU = "CPUExecutionProvider"
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class Session:
    """A model that turns token ids into logits."""

    def __init__(self, model: Path, device: str) -> None:
        """Load ``model``.

        Raises:
            CannotJudge: broken model, inputs that are no tokens, or no such device.
        """
        import onnxruntime

        self.model = model
        self.version: str = onnxruntime.__version__
        self._session = _open(onnxruntime, model, device)
        active = self._session.get_providers()
        self.provider: str = active[0]
        self.device = "cuda" if self.provider == _CUDA else "cpu"
        if device == "cuda" and self.device != "cuda":
            raise CannotJudge(
                f"device cuda: ONNX Runtime {self.version} fell back to {', '.join(active)}; "
                "expected an NVIDIA GPU with its driver and onnxruntime-gpu "
                "(pip install 'mt-gate[gpu]'), or --device cpu"
            )
        self.inputs = _token_inputs(model, self._session)

    def logits(self, feeds: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        """Return the first output for int64 feeds of shape (batch, length).

        Raises:
            CannotJudge: the model fails on them.
        """
        wanted = {name: feeds[name] for name in self.inputs}
        try:
            return self._session.run(None, wanted)[0]  # type: ignore[no-any-return]
        except Exception as error:  # ONNX Runtime's errors share no base class but Exception
            text = " ".join(str(error).split())[:300]
            raise CannotJudge(
                f"{self.model}: fails on token ids of shape {feeds['input_ids'].shape} ({text}); "
                "expected a model and a tokenizer of one checkpoint; export it anew"
            ) from None


def _open(ort: Any, model: Path, device: str) -> onnxruntime.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = usable_cores()
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    available = ort.get_available_providers()
    use_cuda = device != "cpu" and _CUDA in available
    if device == "cuda" and not use_cuda:
        raise CannotJudge(
            f"device cuda: ONNX Runtime {ort.__version__} here has {', '.join(available)}; "
            "expected CUDAExecutionProvider: pip install 'mt-gate[gpu]' without onnxruntime, "
            "or --device cpu"
        )
    providers = [_CUDA, _CPU] if use_cuda else [_CPU]
    try:
        return ort.InferenceSession(str(model), options, providers=providers)
    except Exception as error:  # ONNX Runtime's errors share no base class but Exception
        text = " ".join(str(error).split())[:300]
        raise CannotJudge(
            f"{model}: ONNX Runtime cannot load it ({text}); "
            "expected a whole ONNX model of standard operators; export the checkpoint anew"
        ) from None


def _token_inputs(model: Path, session: onnxruntime.InferenceSession) -> tuple[str, ...]:
    names = tuple(item.name for item in session.get_inputs())
    if "input_ids" not in names or not set(names) <= _KNOWN_INPUTS:
        raise CannotJudge(
            f"{model}: inputs are {', '.join(names)}; expected input_ids, and at most "
            "attention_mask and token_type_ids beside it; export the checkpoint anew"
        )
    return names
