"""What a run costs beyond the model: its time against the floor, in one process.

    python benchmarks/overhead.py CHECKPOINT [--sentences 3000] [--rounds 3]

The floor is what ONNX Runtime needs for the distinct inputs, encoded beforehand,
in batches of one length each, without padding. A run is everything from reading
the suite to the five files, with an empty cache. Both are measured in turn,
``--rounds`` times; machines are noisy, so medians and their ratio count.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from mt_gate import gate
from mt_gate.domain import Source
from mt_gate.settings import Settings
from mt_gate.suites.format import find_suite, read_suite, write_suite
from mt_gate.sut.batching import exact_length_batches
from mt_gate.sut.onnx import TOKENS_A_BATCH, OnnxSystem
from mt_gate.sut.token_classification import encode


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkpoint", type=Path, help="exported checkpoint for task ner")
    parser.add_argument("--suite", default="ner-default")
    parser.add_argument("--sentences", type=int, default=3000, help="distinct inputs")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        suite = cut_suite(arguments.suite, arguments.sentences, Path(folder) / "suite")
        texts = inputs_of(suite)
        floors, runs = [], []
        for number in range(arguments.rounds):
            floors.append(floor(arguments.checkpoint, texts))
            runs.append(run(arguments.checkpoint, suite, Path(folder) / f"round-{number}"))
            print(f"round {number + 1}: floor {floors[-1]:.2f} s, run {runs[-1]:.2f} s", flush=True)
    best, whole = statistics.median(floors), statistics.median(runs)
    print(f"{len(texts)} distinct inputs: floor {best:.2f} s, run {whole:.2f} s, medians")
    print(f"ratio {whole / best:.3f}")


def cut_suite(name: str, inputs: int, folder: Path) -> Path:
    """Write the part of a suite with about ``inputs`` distinct inputs, built groups only."""
    suite = read_suite(find_suite(name))
    groups = suite.groups[: inputs // 2]
    used = {group.source for group in groups}
    sources = [
        Source(id=source.id, input=source.input, origin=source.origin)
        for source in suite.sources
        if source.id in used
    ]
    relations = tuple(
        type(item)(id=item.id, groups=len(groups), sources=len(used))
        for item in suite.head.relations
        if not item.bound
    )
    head = suite.head
    fields = {name: getattr(head, name) for name in head.__struct_fields__}
    write_suite(folder, type(head)(**{**fields, "relations": relations}), sources, groups)
    return folder


def inputs_of(folder: Path) -> list[str]:
    """Return the distinct texts that a run of the suite asks for."""
    suite = read_suite(folder)
    inputs = [item.input for item in suite.sources] + [item.follow_up for item in suite.groups]
    return list(dict.fromkeys(str(item["text"]) for item in inputs))


def floor(checkpoint: Path, texts: list[str]) -> float:
    """Return the seconds that the session alone needs for ``texts``."""
    system = OnnxSystem(checkpoint, "ner", "cpu")
    encoded = encode(system.tokenizer, texts)
    feeds = []
    for batch in exact_length_batches([len(item.ids) for item in encoded], TOKENS_A_BATCH["cpu"]):
        ids = np.array([encoded[index].ids for index in batch], np.int64)
        feeds.append(
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
        )
    start = time.perf_counter()
    for feed in feeds:
        system.session.logits(feed)
    return time.perf_counter() - start


def run(checkpoint: Path, suite: Path, folder: Path) -> float:
    """Return the seconds of a whole run with an empty cache."""
    settings = Settings(
        checkpoint=str(checkpoint),
        task="ner",
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
