"""How well a GPU is used, for ``benchmarks/speed.py --device cuda``.

Of each task's checkpoint, in fp32 and fp16: distinct inputs and real tokens (padding is none) a
second, and the share of what the same GPU multiplies square half-precision matrices with. For
comparison: PyTorch in half precision with its fused attention, on the same batches, and ONNX
Runtime's TensorRT provider if this build has it. Then whole runs on the GPU and on the processor of
the same machine, and the number of cases with another outcome there.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mt_gate.base import figures
from mt_gate.base.errors import MtGateError
from mt_gate.domain import Verdict
from mt_gate.results.result import Result
from mt_gate.results.store import RESULT, read_result, read_rows
from mt_gate.suites.format import find_suite, read_suite
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import PROVIDER
from mt_gate.sut.reader import InputRefusal
from mt_gate.sut.session import load_cuda, runtime, trial
from page_tables import markdown, put
from speed import PAGE, run_gate, suite_of

PRECISIONS = ("fp32", "fp16")
SIDE, REPEATS = 8192, 5
"""Side of the matrices that measure the peak, and repeats of each measurement."""
RUNS = 3
"""Whole runs of each kind, all with an empty cache."""
KINDS = (("fp32", "cpu"), ("fp32", "cuda"), ("fp16", "cuda"))
"""Precision and device of whole runs; by the first the others are judged."""
TENSORRT = "TensorrtExecutionProvider"

Feeds = Mapping[str, np.ndarray[Any, Any]]


class Whole(NamedTuple):
    """Whole runs of one kind: the median of their seconds, and what the last of them says."""

    seconds: float
    result: Result
    verdicts: Mapping[str, Verdict]


class Work(NamedTuple):
    """Batches of all distinct inputs; ``tokens`` are without padding."""

    inputs: int
    tokens: int
    feeds: Sequence[Feeds]


def main(models: Mapping[str, str], work: Path, write: bool = False) -> int:
    """Measure and print; return the exit code, 2 where there is no GPU to measure on."""
    try:
        trial("cuda")
    except MtGateError as error:
        print(f"speed.py --device cuda: {error}", file=sys.stderr)
        return 2
    import torch

    peak = matrix_peak("cuda", SIDE)
    rows = [row for task, model in models.items() for row in rows_of(task, Path(model), work, peak)]
    heading = (
        f"{torch.cuda.get_device_name()}, matrices multiplied with {peak / 1e12:.0f} TFLOP/s in "
    )
    columns: tuple[str, ...]
    columns = ("task", "what", "inputs a second", "tokens a second", "share of the peak")
    tables = {"speed-gpu": f"{heading}half precision.\n\n{markdown(columns, rows)}"}
    print(tables["speed-gpu"], flush=True)
    columns = ("task", "precision", "device", "threads", "distinct inputs", "whole run")
    columns += ("in `predict`", "scores move", "cases", "other outcome")
    rows = [row for task in models for row in whole_rows(runs_of(task, work))]
    tables["speed-gpu-runs"] = markdown(columns, rows)
    print(tables["speed-gpu-runs"], end="")
    for name, table in tables.items() if write else ():
        put(PAGE, name, table)
    return 0


def runs_of(task: str, work: Path) -> Mapping[tuple[str, str], Whole]:
    """Run the gate on what was exported, by precision and device; each run is a process."""
    found = {}
    for precision, device in KINDS:
        out, cache = work / "runs" / f"{task}-{precision}-{device}", work / "runs" / "cache"
        options = ["--checkpoint", work / "exported" / f"{task}-{precision}", "--task", task]
        options += ["--suite", suite_of(task), "--out", out, "--device", device, "--cache", cache]
        took = []
        for _ in range(RUNS):
            shutil.rmtree(cache, ignore_errors=True)
            start = time.perf_counter()
            run_gate(["run", *options], subprocess.DEVNULL)
            took.append(time.perf_counter() - start)
        result = read_result(out / RESULT)
        verdicts = {row.id: row.verdict for row in read_rows(out / RESULT, result)}
        found[precision, device] = Whole(statistics.median(took), result, verdicts)
    return found


def whole_rows(runs: Mapping[tuple[str, str], Whole]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a task's whole runs; groups are those in the first run and in this."""
    first = next(iter(runs.values()))
    for (precision, device), run in runs.items():
        both = [group for group in run.verdicts if group in first.verdicts]
        otherwise = sum(run.verdicts[each] is not first.verdicts[each] for each in both)
        moved = run.result.noise.get(PROVIDER)
        yield (
            f"`{run.result.suite.task}`",
            precision,
            device,
            f"{run.result.checkpoint.runtime.threads}" if device == "cpu" else "",
            figures.count(run.result.predictions.unique),
            f"{run.seconds:.1f} s",
            f"{run.result.timing.predict:.1f} s",
            "" if moved is None else figures.significant(moved),
            figures.count(len(both)),
            "" if run is first else figures.count(otherwise),
        )


def matrix_peak(device: str, side: int) -> float:
    """Return the operations a second of products of square matrices in half precision."""
    import torch

    one = torch.randn(side, side, device=device, dtype=torch.float16)
    seconds = median_seconds(lambda: one @ one, device)
    return 2 * side**3 / seconds


def rows_of(task: str, model: Path, work: Path, peak: float) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a task's checkpoint."""
    for precision in PRECISIONS:
        system = OnnxSystem(_exported(task, model, work, precision), task, "cuda")
        batches = batches_of(system, _inputs(task))
        each = operations(model)
        yield _row(
            task, f"mt-gate's session, {precision}", batches, each, peak, system.session.logits
        )
    yield _row(task, "PyTorch, fp16, SDPA", batches, each, peak, torch_model(model, "cuda"))
    if ask := tensorrt(work / "exported" / f"{task}-fp16"):
        yield _row(task, "ONNX Runtime's TensorRT provider, fp16", batches, each, peak, ask)


def _exported(task: str, model: Path, work: Path, precision: str) -> Path:
    """Export a checkpoint, once."""
    folder = work / "exported" / f"{task}-{precision}"
    if not (folder / "checkpoint.json").is_file():
        command = ["export", model, "--task", task, "--suite", suite_of(task)]
        command += ["--precision", precision, "--out", folder]
        subprocess.run([sys.executable, "-m", "mt_gate", *map(str, command)], check=True)
    return folder


def _inputs(task: str) -> list[Mapping[str, Any]]:
    """Return the distinct inputs that stand in a suite."""
    suite = read_suite(find_suite(suite_of(task)))
    inputs = [source.input for source in suite.sources] + [each.follow_up for each in suite.groups]
    return list({repr(each): each for each in inputs}.values())


def batches_of(system: OnnxSystem, inputs: Sequence[Mapping[str, Any]]) -> Work:
    """Return inputs in the batches of a run, as arrays."""
    reader = system.reader
    items = [item for item in reader.encode(inputs) if not isinstance(item, InputRefusal)]
    feeds = [reader.feeds([items[at] for at in batch]) for batch in system.batches(items)]
    return Work(len(items), sum(sum(reader.lengths(item)) for item in items), feeds)


def operations(model: Path) -> float:
    """Return the operations a token takes in a BERT's products with weights: two a weight.

    Those of attention, whose number grows with the length, are not counted: less than one in ten
    at a hundred tokens.
    """
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(model)
    wide, inner = int(config.hidden_size), int(config.intermediate_size)
    return 2.0 * int(config.num_hidden_layers) * (4 * wide * wide + 2 * wide * inner)


def torch_model(model: Path, device: str) -> Callable[[Feeds], object]:
    """Return what answers a batch with PyTorch, in half precision with its fused attention."""
    import torch
    from transformers import AutoConfig, AutoModel

    # The head is a thousandth of the work; the encoder alone is the same for all tasks.
    made = AutoModel.from_pretrained(
        model,
        config=AutoConfig.from_pretrained(model),
        dtype=torch.float16,
        attn_implementation="sdpa",
    )
    made = made.to(device).eval()
    names = ("input_ids", "attention_mask", "token_type_ids")

    @torch.inference_mode()
    def run_torch(feeds: Feeds) -> object:
        tensors = {name: torch.from_numpy(feeds[name]).to(device) for name in names}
        return made(**tensors).last_hidden_state[:, 0].float().cpu()

    return run_torch


def tensorrt(folder: Path) -> Callable[[Feeds], object] | None:
    """Return what answers a batch with TensorRT; None where this build of the runtime has none."""
    onnxruntime = runtime()
    load_cuda(onnxruntime)
    if TENSORRT not in onnxruntime.get_available_providers():
        return None
    options = {"trt_fp16_enable": True, "trt_engine_cache_enable": True}
    session = onnxruntime.InferenceSession(
        folder / "model.onnx", providers=[(TENSORRT, options), "CUDAExecutionProvider"]
    )
    if session.get_providers()[0] != TENSORRT:
        return None
    names = [item.name for item in session.get_inputs()]
    return lambda feeds: session.run(None, {name: feeds[name] for name in names})


def _row(
    task: str,
    what: str,
    work: Work,
    each: float,
    peak: float,
    ask: Callable[[Feeds], object],
) -> tuple[str, ...]:
    seconds = median_seconds(lambda: [ask(feeds) for feeds in work.feeds])
    return (
        f"`{task}`",
        what,
        figures.count(round(work.inputs / seconds)),
        figures.count(round(work.tokens / seconds)),
        figures.percent(work.tokens * each / seconds / peak),
    )


def median_seconds(work: Callable[[], object], device: str = "cpu") -> float:
    """Return the median of ``REPEATS`` times, after one that does not count.

    Args:
        work: to be timed; what it leaves running on ``device`` is waited for.
        device: cpu where the work itself waits.
    """
    import torch

    def once() -> float:
        start = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    once()
    return statistics.median(once() for _ in range(REPEATS))
