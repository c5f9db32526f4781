"""What a GPU makes of a checkpoint by the form of its graph, on batches of one length.

    python benchmarks/gpu_graphs.py --task TASK --model DIR [--opset N] [--write NAME]

``DIR`` is a Hugging Face checkpoint. Thousands of tokens a second as a run asks (arrays to the
device, scores back), and the share of the matrix peak, of each graph that an export could be: fp32
with the GPU's coarse products (TF32) and without, fp16 as PyTorch's exporter writes it, and with
fused operators; the last as a CUDA graph, too, captured before it is timed; and PyTorch in half
precision with its fused attention. ``--write`` puts the table into
results/speed.md, under that name.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch

from mt_gate.base import figures
from mt_gate.base.errors import MtGateError
from mt_gate.exporting import models
from mt_gate.exporting import precision as precisions
from mt_gate.exporting.hugging_face import inspect
from mt_gate.sut.session import load_cuda, runtime
from page_tables import markdown, put
from speed import PAGE
from speed_gpu import SIDE, Feeds, matrix_peak, median_seconds, operations, torch_model

SHAPES = {"cuda": ((32, 30), (273, 30), (4369, 30), (256, 128), (64, 512)), "cpu": ((2, 12),)}
"""Inputs of a batch, and tokens of each."""
COMPARED = (8, 30)
"""The shape of inputs that also run in PyTorch in fp32 on the CPU."""
IDS = (1000, 20_000)
"""Range of the random token ids: words in BERT's vocabulary."""
TENSORS = ("input_ids", "attention_mask", "token_type_ids")

Ask = Callable[[Feeds], Any]


class Graph(NamedTuple):
    """A form of the graph, what answers a batch with it, and the checkpoint in PyTorch, in fp32.

    The last is None where the first gives no logits to compare.
    """

    name: str
    ask: Ask
    whole: torch.nn.Module | None = None

    def moved(self) -> str:
        """Return how far logits are from those of PyTorch in fp32."""
        if not self.whole:
            return ""
        feeds = _feeds(COMPARED)
        taken = {name: torch.from_numpy(values) for name, values in feeds.items()}
        with torch.inference_mode():
            wanted = self.whole(**taken).logits.numpy()
        return figures.significant(float(np.abs(self.ask(feeds) - wanted).max()))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--task", required=True)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--opset", type=int, default=models.OPSET, help="[%(default)s]")
    parser.add_argument("--side", type=int, default=SIDE, help="of the matrices of the peak")
    parser.add_argument("--write", metavar="NAME", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    shapes = SHAPES[arguments.device]
    peak = matrix_peak(arguments.device, arguments.side)
    each = operations(arguments.model)
    with tempfile.TemporaryDirectory() as folder:
        graphs = graphs_of(arguments, Path(folder))
        rows = [
            (graph.name, *(_cell(graph.ask, shape, each / peak) for shape in shapes), graph.moved())
            for graph in graphs
        ]
    sizes = (f"{count} of {length}" for count, length in shapes)
    table = markdown(("graph", *sizes, "logits differ"), rows)
    print(table, end="")
    if arguments.write:
        put(PAGE, arguments.write, table)


def graphs_of(arguments: argparse.Namespace, folder: Path) -> Iterator[Graph]:
    """Yield the forms of a checkpoint's graph, written to a folder."""
    device = arguments.device
    models.OPSET = arguments.opset
    model = models.load_model(inspect(arguments.model, arguments.task))
    plain = folder / "plain.onnx"
    models.write_onnx(model, model.config, plain)
    yield Graph("fp32, TF32", session(plain, device, use_tf32="1"), model)
    yield Graph("fp32, exact", session(plain, device, use_tf32="0"), model)
    half, fused = folder / "half.onnx", folder / "fused.onnx"
    onnx.save(precisions.half(onnx.load(plain)), half)
    onnx.save(precisions.fused_half(onnx.load(plain)), fused)
    yield Graph("fp16, as PyTorch's exporter writes it", session(half, device), model)
    yield Graph("fp16, fused", session(fused, device), model)
    if device == "cuda":
        yield Graph("fp16, fused, as a CUDA graph", replayed(fused, device), model)
    yield Graph("PyTorch, fp16, SDPA", torch_model(arguments.model, device))


def session(path: Path, device: str, **options: str) -> Ask:
    """Return what answers as a run's session does, with options of the CUDA provider."""
    opened, values = _opened(path, device, options), runtime().OrtValue.ortvalue_from_numpy
    names, output = [item.name for item in opened.get_inputs()], opened.get_outputs()[0].name

    def ask(feeds: Feeds) -> Any:
        binding = opened.io_binding()
        for name in names:
            binding.bind_ortvalue_input(name, values(feeds[name], device, 0))
        binding.bind_output(output, device)
        opened.run_with_iobinding(binding)
        binding.synchronize_outputs()
        return binding.get_outputs()[0].numpy()

    return ask


def replayed(path: Path, device: str) -> Ask:
    """Return what answers by replaying a graph captured of each shape, in memory of its own."""
    ort = runtime()
    opened = _opened(path, device, {"enable_cuda_graph": "1"})
    names, output = [item.name for item in opened.get_inputs()], opened.get_outputs()[0]
    captured: dict[tuple[int, ...], Any] = {}

    def capture(feeds: Feeds) -> Any:
        shape = feeds[names[0]].shape
        binding = opened.io_binding()
        bound = {name: ort.OrtValue.ortvalue_from_numpy(feeds[name], device, 0) for name in names}
        for name, value in bound.items():
            binding.bind_ortvalue_input(name, value)
        sizes = [size if isinstance(size, int) else None for size in output.shape]
        free = iter(shape)
        answer = ort.OrtValue.ortvalue_from_shape_and_type(
            [next(free) if size is None else size for size in sizes], np.float32, device, 0
        )
        binding.bind_ortvalue_output(output.name, answer)
        run_options = ort.RunOptions()
        run_options.add_run_config_entry("gpu_graph_id", str(len(captured) + 1))
        return bound, binding, answer, run_options

    def ask(feeds: Feeds) -> Any:
        shape = feeds[names[0]].shape
        if shape not in captured:
            captured[shape] = capture(feeds)
        bound, binding, answer, run_options = captured[shape]
        for name, value in bound.items():
            value.update_inplace(feeds[name])
        opened.run_with_iobinding(binding, run_options)
        return answer.numpy()

    return ask


def _opened(path: Path, device: str, options: dict[str, str]) -> Any:
    ort = runtime()
    if device == "cuda":
        load_cuda(ort)
    quiet = ort.SessionOptions()
    quiet.log_severity_level = 4
    cuda: Sequence[Any] = [("CUDAExecutionProvider", options)] if device == "cuda" else []
    opened = ort.InferenceSession(path, quiet, providers=[*cuda, "CPUExecutionProvider"])
    if cuda and opened.get_providers()[0] != "CUDAExecutionProvider":
        sys.exit("gpu_graphs.py: ONNX Runtime does not start on the GPU: mt-gate doctor says why")
    return opened


def _cell(ask: Ask, shape: tuple[int, int], of_peak: float) -> str:
    """Return thousands of tokens a second, and what share of the GPU's peak they take."""
    count, length = shape
    feeds = _feeds(shape)
    with torch.inference_mode():
        ask(feeds)  # a CUDA graph is captured at the first time, and replayed at the second
        rate = count * length / median_seconds(lambda: ask(feeds))
    return f"{figures.count(round(rate / 1000))} ({figures.percent(rate * of_peak)})"


def _feeds(shape: tuple[int, int]) -> Feeds:
    ids = np.random.default_rng(1).integers(*IDS, shape)
    return dict(zip(TENSORS, (ids, np.ones_like(ids), np.zeros_like(ids)), strict=True))


if __name__ == "__main__":
    try:
        main()
    except MtGateError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
