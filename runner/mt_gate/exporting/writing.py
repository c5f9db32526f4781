"""Writing ``model.onnx``: by PyTorch's exporter, then in the precision asked for."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate.errors import CannotJudge

if TYPE_CHECKING:
    import torch

OPSET = 18


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the exporters' chatter off the user's terminal."""
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


def write_onnx(model: torch.nn.Module, config: Any, path: Path) -> None:
    """Write a model of token ids, for batches of any size and length.

    Args:
        model: takes ``input_ids``, ``attention_mask`` and, where ``config`` has
            more than one type, ``token_type_ids``; gives logits.
        config: the checkpoint's configuration.
        path: file to write.

    Raises:
        CannotJudge: PyTorch cannot export this architecture.
    """
    import torch

    example = {
        "input_ids": torch.ones((2, 7), dtype=torch.int64),
        "attention_mask": torch.ones((2, 7), dtype=torch.int64),
    }
    if getattr(config, "type_vocab_size", 0) > 1:
        example["token_type_ids"] = torch.zeros((2, 7), dtype=torch.int64)
    # A batch axis called "batch" and one called "length", whatever the example's.
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            program = torch.onnx.export(
                model,
                (),
                kwargs=example,
                dynamo=True,
                opset_version=OPSET,
                dynamic_shapes=dict.fromkeys(example, axes),
                output_names=["logits"],
                verbose=False,
            )
    except torch.onnx.OnnxExporterError as error:
        text = " ".join(str(error.__cause__ or error).split())[:300]
        name = (getattr(config, "architectures", None) or [type(model).__name__])[0]
        raise CannotJudge(
            f"architecture {name}: PyTorch cannot export it to ONNX ({text}); "
            "export it yourself and write a checkpoint.json beside model.onnx"
        ) from None
    assert program is not None
    program.save(str(path), external_data=False)


def set_precision(path: Path, precision: str) -> None:
    """Convert the model at ``path`` to fp16 or int8; fp32 stays as it is."""
    if precision == "fp32":
        return
    import onnx

    from mt_gate.exporting import precision as precisions

    convert = {"fp16": precisions.half, "int8": precisions.int8_weights}[precision]
    onnx.save(convert(onnx.load(path)), path)
