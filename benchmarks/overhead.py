"""What a run costs beyond the model: its time against the floor, in one process.

    python benchmarks/overhead.py CHECKPOINT [--task ner] [--sentences 3000] [--rounds 3]

The floor is what ONNX Runtime needs for the distinct inputs, encoded beforehand,
in batches of inputs of equal length, without padding. A run is everything from reading
the suite to writing the five files, with an empty cache. Both are measured in turn,
``--rounds`` times; machines are noisy, so compare medians and their ratio.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mt_gate import gate
from mt_gate.base.jsonio import canonical
from mt_gate.domain import Source
from mt_gate.settings.record import Settings
from mt_gate.suites.format import find_suite, read_suite, write_suite
from mt_gate.sut.batching import exact_length_batches
from mt_gate.sut.onnx import TOKENS_A_BATCH, OnnxSystem
from mt_gate.sut.reader import InputRefusal


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkpoint", type=Path, help="exported checkpoint")
    parser.add_argument("--task", default="ner")
    parser.add_argument("--suite", help="name or folder [default: TASK-default]")
    parser.add_argument("--sentences", type=int, default=3000, help="distinct inputs")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    task = arguments.task
    with tempfile.TemporaryDirectory() as folder:
        name = arguments.suite or f"{task}-default"
        suite = cut_suite(name, arguments.sentences, Path(folder) / "suite")
        inputs = inputs_of(suite)
        floors, runs = [], []
        for number in range(arguments.rounds):
            floors.append(floor(arguments.checkpoint, task, inputs))
            runs.append(run(arguments.checkpoint, task, suite, Path(folder) / f"round-{number}"))
            print(f"round {number + 1}: floor {floors[-1]:.2f} s, run {runs[-1]:.2f} s", flush=True)
    best, whole = statistics.median(floors), statistics.median(runs)
    print(f"{len(inputs)} distinct inputs: floor {best:.2f} s, run {whole:.2f} s, medians")
    print(f"ratio {whole / best:.3f}")


def cut_suite(name: str, inputs: int, folder: Path) -> Path:
    """Write the part of a suite with about ``inputs`` distinct inputs, built groups only."""
    suite = read_suite(find_suite(name))
    groups = suite.groups[: inputs // 2]
    counts = Counter(group.relation for group in groups)
    used = {group.source for group in groups}
    sources = [
        Source(id=source.id, input=source.input, origin=source.origin)
        for source in suite.sources
        if source.id in used
    ]
    relations = tuple(
        replace(item, groups=counts[item.id], sources=len(used), precision=None)
        for item in suite.head.relations
        if counts[item.id]
    )
    write_suite(folder, replace(suite.head, relations=relations), sources, groups)
    return folder


def inputs_of(folder: Path) -> list[Mapping[str, Any]]:
    """Return the distinct inputs that a run of the suite asks for."""
    suite = read_suite(folder)
    inputs = [item.input for item in suite.sources] + [item.follow_up for item in suite.groups]
    return list({canonical(item): item for item in inputs}.values())


def floor(checkpoint: Path, task: str, inputs: list[Mapping[str, Any]]) -> float:
    """Return the seconds that the session alone needs for ``inputs``."""
    system = OnnxSystem(checkpoint, task, "cpu")
    reader = system.reader
    items = [item for item in reader.encode(inputs) if not isinstance(item, InputRefusal)]
    batches = exact_length_batches([reader.lengths(item) for item in items], TOKENS_A_BATCH["cpu"])
    feeds = [reader.feeds([items[index] for index in batch]) for batch in batches]
    start = time.perf_counter()
    for feed in feeds:
        system.session.logits(feed)
    return time.perf_counter() - start


def run(checkpoint: Path, task: str, suite: Path, folder: Path) -> float:
    """Return the seconds of a whole run with an empty cache."""
    settings = Settings(
        checkpoint=str(checkpoint),
        task=task,
        suite=str(suite),
        out=folder / "out",
        cache=folder / "cache",
        device="cpu",
    )
    start = time.perf_counter()
    gate.run(settings, lambda _: None, lambda _done, _total: None)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
