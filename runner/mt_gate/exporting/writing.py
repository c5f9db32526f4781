"""Writing ``model.onnx``: by PyTorch's exporter, then in the precision asked for."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
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
_OFFLINE = (
    ("huggingface_hub.constants", "HF_HUB_OFFLINE"),
    ("transformers.utils.hub", "_is_offline_mode"),
)
"""Where the libraries keep what the environment said when they were imported."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the exporters' chatter off the user's terminal: logs, warnings, progress bars."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    heard = io.StringIO()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(heard),
            contextlib.redirect_stderr(heard),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


@contextlib.contextmanager
def offline() -> Iterator[None]:
    """Keep the libraries of Hugging Face off the network, whether they are imported yet or not."""
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    told = [
        (sys.modules[module], name)
        for module, name in _OFFLINE
        if hasattr(sys.modules.get(module), name)  # transformers 5 asks huggingface_hub
    ]
    values = [getattr(module, name) for module, name in told]
    for module, name in told:
        setattr(module, name, True)
    try:
        yield
    finally:
        for (module, name), value in zip(told, values, strict=True):
            setattr(module, name, value)
        for name, text in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: text} if text is not None else {})


def write_onnx(model: torch.nn.Module, config: Any, path: Path, inputs: Inputs = TOKENS) -> None:
    """Write a model of token ids, for batches of any size and length.

    Args:
        model: takes ``inputs``, types of tokens only where ``config`` has more
            than one; gives logits.
        config: the checkpoint's configuration.
        path: file to write.
        inputs: names and shapes of the tensors.

    Raises:
        CannotJudge: PyTorch cannot export this architecture.
    """
    import torch

    shapes = _shapes(inputs, has_types=getattr(config, "type_vocab_size", 0) > 1)
    # Axes are called "batch" and "length", whatever the example's sizes.
    free = {name: torch.export.Dim(name) for name in _SIZES}
    example, axes = {}, {}
    for name, shape in shapes.items():
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
            f"architecture {name}: PyTorch cannot export it to ONNX ({text}); "
            "export it yourself and write a checkpoint.json next to model.onnx"
        ) from None
    assert program is not None
    program.save(str(path), external_data=False)
    _forget_traces(path)


def _forget_traces(path: Path) -> None:
    """Take the exporter's stack traces out of a model: they tell the paths of this machine.

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


def _shapes(inputs: Inputs, *, has_types: bool) -> dict[str, tuple[str | int, ...]]:
    """Return the shape of each tensor that the model takes."""
    names = (*inputs.required, *inputs.optional)
    taken = [name for name in names if has_types or not name.endswith(_TYPES)]
    return {name: inputs.shapes.get(name, tuple(_SIZES)) for name in taken}


def set_precision(path: Path, precision: str) -> None:
    """Finish the model that ``write_onnx`` wrote: fp32 as it is, or converted to fp16 or int8.

    The shapes between its operators go, which only fusing them needs.
    """
    import onnx

    from mt_gate.exporting import fusing
    from mt_gate.exporting import precision as precisions

    model = onnx.load(path)
    if precision == "fp16":  # what a GPU is asked with
        model = fusing.half(model)
    elif precision == "int8":
        model = precisions.int8_weights(model)
    for graph in (model.graph, *model.functions):
        del graph.value_info[:]
    onnx.save(model, path)
