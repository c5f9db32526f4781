"""What teams do to an exported model to make it smaller or faster, as faults of rising strength."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fault_bench.exported import Change
from fault_bench.faults import Fault
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting import precision
from mt_gate.exporting.hugging_face import quiet
from mt_gate.sut.card import MODEL, read_card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.reader import InputRefusal, open_reader

BLOCK = 32
"""Weights of a neuron that share one scale, as in 4-bit formats."""

Inputs = Sequence[Mapping[str, Any]]


def change_of(fault: Fault, inputs: Inputs) -> Change:
    """Return what a fault does to a folder and its card; ``inputs`` show a checkpoint's range."""
    act = _ACTS[fault.kind]

    def change(folder: Path, card: dict[str, Any]) -> None:
        if card.get("precision", "fp32") != "fp32":
            raise CannotJudge(f"its weights are {card['precision']} already")
        with quiet():
            act(folder, card, fault, inputs)

    return change


def _int8_weights(folder: Path, card: dict[str, Any], *_: Any) -> None:
    precision.set_precision(folder / MODEL, "int8")
    card["precision"] = "int8"


def _fp16(folder: Path, card: dict[str, Any], *_: Any) -> None:
    import onnx

    onnx.save(precision.half(onnx.load(folder / MODEL)), folder / MODEL)
    card["precision"] = "fp16"


def _int8_dynamic(folder: Path, *_: Any) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    full = _aside(folder)
    quantize_dynamic(full, folder / MODEL, weight_type=QuantType.QInt8)
    full.unlink()


def _int8_static(folder: Path, _: Any, fault: Fault, inputs: Inputs) -> None:
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    class Shown(CalibrationDataReader):  # type: ignore[misc]  # the package has no types
        """Gives the feeds of one input after another."""

        def __init__(self, feeds: Iterator[Mapping[str, Any]]) -> None:
            self._feeds = feeds

        def get_next(self) -> Mapping[str, Any] | None:
            return next(self._feeds, None)

    full = _aside(folder)
    shown = Shown(_feeds(folder, full, inputs[: int(fault.strength)]))
    quantize_static(
        full,
        folder / MODEL,
        shown,
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["MatMul", "Gemm"],
    )
    full.unlink()


def _feeds(folder: Path, model: Path, inputs: Inputs) -> Iterator[Mapping[str, Any]]:
    """Yield what a model is fed for each input that it takes, by the names of its inputs."""
    import onnx

    names = {item.name for item in onnx.load(str(model), load_external_data=False).graph.input}
    reader = open_reader(CheckpointFolder(folder), read_card(folder))
    for item in reader.encode(inputs):
        if not isinstance(item, InputRefusal):
            yield {name: value for name, value in reader.feeds([item]).items() if name in names}


def _low_bit(folder: Path, _: Any, fault: Fault, __: Inputs) -> None:
    import onnx
    from onnx import numpy_helper

    path = folder / MODEL
    model = onnx.load(str(path))
    by_neuron = _neurons_first(model.graph.node)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if (
            tensor.name in by_neuron
            and values.ndim == 2
            and values.size >= precision.LEAST_ELEMENTS
        ):
            turned = values.T if by_neuron[tensor.name] else values
            rounded = rounded_in_blocks(turned, int(fault.strength))
            rounded = np.ascontiguousarray(rounded.T if by_neuron[tensor.name] else rounded)
            tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))
    onnx.save(model, str(path))


def _neurons_first(nodes: Iterable[Any]) -> dict[str, bool]:
    """Return of each factor of a matrix product whether it has a neuron a row, or a column."""
    found: dict[str, bool] = {}
    for node in nodes:
        if node.op_type not in ("MatMul", "Gemm"):
            continue
        turned = {item.name: bool(item.i) for item in node.attribute}
        left, right = node.input[:2]
        found.setdefault(left, not turned.get("transA", False))
        found.setdefault(right, turned.get("transB", False))
    return found


def rounded_in_blocks(
    values: np.ndarray[Any, np.dtype[np.float32]], steps: int
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return weights rounded to whole steps of their block's scale.

    Args:
        values: shape (inputs, neurons); a block is ``BLOCK`` weights of a neuron.
        steps: on either side of 0; 7 are those of 4 bits.
    """
    found = np.empty_like(values)
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        scale = np.abs(block).max(axis=0, keepdims=True) / np.float32(steps)
        scale = np.where(scale == 0, np.float32(1), scale)
        found[start : start + BLOCK] = np.rint(block / scale) * scale
    return found


def _aside(folder: Path) -> Path:
    """Put the model aside, where the quantised one is to stand."""
    return (folder / MODEL).rename(folder / "full-precision.onnx")


_ACTS: dict[str, Callable[..., None]] = {
    "int8-weights": _int8_weights,
    "int8-dynamic": _int8_dynamic,
    "int8-static": _int8_static,
    "fp16": _fp16,
    "low-bit-weights": _low_bit,
}
KINDS = tuple(_ACTS)
