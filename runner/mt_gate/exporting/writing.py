"""Writing ``model.onnx`` by PyTorch's exporter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.sut.reader import TOKENS, Inputs

if TYPE_CHECKING:
    import torch

OPSET = 20
"""The first that has GELU as one operator. In 23 attention is one, too, but ONNX Runtime 1.31
refuses its rotary embeddings, and computes it in fp16 with too few digits."""
_SIZES: Mapping[str, int] = {"batch": 2, "length": 7}
"""The free axes, and their sizes in the example that is traced."""
_TYPES = "token_type_ids"


def write_onnx(model: torch.nn.Module, config: Any, path: Path, inputs: Inputs = TOKENS) -> None:
    """Write a model of token ids to a file, for batches of any size and length.

    It takes ``inputs``, types of tokens only where ``config`` has more than one, and gives logits.

    Raises CannotJudge: PyTorch cannot export this architecture.
    """
    import torch

    has_types = getattr(config, "type_vocab_size", 0) > 1
    # Axes are called "batch" and "length", whatever the example's sizes.
    free = {name: torch.export.Dim(name) for name in _SIZES}
    example, axes = {}, {}
    for name in (*inputs.required, *inputs.optional):
        if name.endswith(_TYPES) and not has_types:
            continue
        shape = inputs.shapes.get(name, tuple(_SIZES))
        size = [_SIZES[axis] if isinstance(axis, str) else axis for axis in shape]
        make = torch.zeros if name.endswith(_TYPES) else torch.ones
        example[name] = make(size, dtype=torch.int64)
        axes[name] = {
            index: free[axis] for index, axis in enumerate(shape) if isinstance(axis, str)
        }
    try:
        program = torch.onnx.export(
            model,
            (),
            kwargs=example,
            dynamo=True,
            opset_version=OPSET,
            dynamic_shapes=axes,
            output_names=["logits"],
            verbose=False,
        )
    except torch.onnx.OnnxExporterError as error:
        text = reported(error.__cause__ or error, 300)
        name = (getattr(config, "architectures", None) or [type(model).__name__])[0]
        raise CannotJudge(
            f"architecture {name}: PyTorch cannot export it to ONNX ({text}); export it yourself "
            "and write a checkpoint.json next to model.onnx"
        ) from None
    assert program is not None
    program.save(str(path), external_data=False)
    _forget_traces(path)


def _forget_traces(path: Path) -> None:
    """Take the exporter's stack traces out of a model: they name the paths of this machine.

    They also are as large as a small model's layer.
    """
    import onnx

    model = onnx.load(path)
    for graph in (model.graph, *model.functions):
        for node in graph.node:
            del node.metadata_props[:]
            node.doc_string = ""
        del graph.metadata_props[:]
    del model.metadata_props[:]
    onnx.save(model, path)
