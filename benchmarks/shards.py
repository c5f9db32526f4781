"""What shards cost: throughput of workers of a cluster, and merging many groups.

    python benchmarks/shards.py workers CHECKPOINT [--task ner] [--sentences 2000] [--workers 2]
    python benchmarks/shards.py merge [--groups 100000] [--shards 10]

``workers`` needs the extra ``ray``. It asks the same inputs by one run and by so many workers of a
Ray cluster of this machine, in turn, and prints inputs per second: what one worker does, with
opening the checkpoint, against the one run. Starting Ray is left out.

``merge`` makes up a suite and a system that answers at once, so that nothing but merging is
measured, in a process of its own: seconds, memory, and bytes on disk for a group. It merges twice:
once without a baseline, which is recorded then, and once judged by it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cutting_suites import cut_suite
from mt_gate import gate
from mt_gate.baselines.schema import BaselineSource
from mt_gate.domain import Group, Source
from mt_gate.relations.base import Context
from mt_gate.relations.stated import OutputRelation
from mt_gate.results.result import CheckpointHead, Runtime
from mt_gate.running.predicting import Clock
from mt_gate.running.preparing import RunInputs, load_suite, prepare
from mt_gate.settings.record import Settings
from mt_gate.sharding.answering import Part, WatchedCache, answer_shard, asking, read_shard
from mt_gate.sharding.distributing import connected, room_in, run_shards, write_files
from mt_gate.suites.format import (
    FORMAT,
    Corpus,
    SuiteFile,
    SuiteRelation,
    group_id,
    write_suite,
)
from mt_gate.sut.protocol import Noise, Prediction
from process_cost import Took, took

A_CLUSTER = 5
"""Groups of a made-up source."""
BASELINE_RATE, CANDIDATE_RATE = 0.10, 0.11
WORDS = "one two three four five six seven eight nine ten eleven twelve".split()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="what", required=True)
    workers = commands.add_parser("workers")
    workers.add_argument("checkpoint", type=Path, help="exported checkpoint")
    workers.add_argument("--task", default="ner")
    workers.add_argument("--sentences", type=int, default=2000, help="distinct inputs")
    workers.add_argument("--workers", type=int, default=2)
    workers.add_argument("--threads", type=int, default=1, help="of each, and of the one run")
    workers.add_argument("--rounds", type=int, default=5)
    merging = commands.add_parser("merge")
    merging.add_argument("--groups", type=int, nargs="+", default=[100_000])
    merging.add_argument("--shards", type=int, default=10)
    arguments = parser.parse_args()
    if arguments.what == "workers":
        measure_workers(arguments)
    else:
        for groups in arguments.groups:
            measure_merge(groups, arguments.shards)


def measure_workers(arguments: argparse.Namespace) -> None:
    """Print inputs per second of a worker against one run, in turn."""
    task, threads = arguments.task, arguments.threads
    with tempfile.TemporaryDirectory() as name, connected("") as ray:
        folder = Path(name)
        suite = cut_suite(f"{task}-default", arguments.sentences, folder / "suite")
        alone, each = [], []
        for number in range(arguments.rounds):
            settings = Settings(
                checkpoint=str(arguments.checkpoint.absolute()),
                task=task,
                suite=str(suite),
                device="cpu",
                threads=threads,
                out=folder / f"out-{number}",
                cache=folder / f"cache-{number}",
            )
            alone.append(of_one_run(settings))
            separate = msgspec.structs.replace(settings, cache=folder / f"cache-ray-{number}")
            each.append(of_a_worker(ray, separate, arguments.workers))
            print(
                f"round {number + 1}: one run {alone[-1]:.1f}, a worker of {arguments.workers} "
                f"{each[-1]:.1f} inputs a second, ratio {each[-1] / alone[-1]:.3f}",
                flush=True,
            )
    ratios = sorted(one / other for one, other in zip(each, alone, strict=True))
    print(
        f"medians: one run {statistics.median(alone):.1f}, a worker of {arguments.workers} "
        f"{statistics.median(each):.1f} inputs a second; ratio {statistics.median(ratios):.3f}, "
        f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
    )


def of_one_run(settings: Settings) -> float:
    """Return the inputs that one run asks a second, while it asks and judges."""
    result = gate.run(settings, lambda _: None, lambda *_: None).result
    return result.predictions.unique / (result.timing.predict + result.timing.judge)


def of_a_worker(ray: Any, settings: Settings, workers: int) -> float:
    """Return the inputs that a worker of a cluster predicts a second, its start included."""
    room = room_in(ray.nodes(), settings)
    if room.workers < workers:
        raise SystemExit(f"room for {room.workers} workers here; give --workers or --threads")
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        inputs = 0
        for part, files in run_shards(ray, room, asking(settings), workers):
            folder = Path(name, str(part.number))
            write_files(files, folder)
            inputs += read_shard(folder).answers.lines
    return inputs / (time.perf_counter() - begin) / workers


class MadeUp(NamedTuple):
    """A system that answers at once: a share of texts is called otherwise than its source."""

    rate: float

    @property
    def head(self) -> CheckpointHead:
        runtime = Runtime(
            provider="made up", precision="fp32", device="cpu", onnxruntime="none", cpu="none"
        )
        return CheckpointHead(name="made-up", fingerprint=f"made up {self.rate}", runtime=runtime)

    @property
    def cache_key(self) -> str:
        return f"made up {self.rate}"

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        yield [(at, self._answer(item["text"])) for at, item in enumerate(inputs)]

    def _answer(self, text: str) -> Prediction:
        drawn = int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48
        label = "other" if " and " in text and drawn < self.rate else "usual"
        return Prediction({"labels": [label], "scores": {label: 0.5 + drawn / 2}}, 0.4)

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002 - none
        return {}

    def close(self) -> None:
        pass


def measure_merge(groups: int, shards: int) -> None:
    """Print what merging so many groups takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_suite(folder / "suite", groups)
        for place, rate in (("before", BASELINE_RATE), ("now", CANDIDATE_RATE)):
            write_shards(folder, place, MadeUp(rate), shards)
            took = merged(folder, place, shards)
            result = json.loads((folder / f"{place}-out" / "result.json").read_text())
            print(
                f"{groups} groups in {shards} shards, {result['verdict']}: merged in "
                f"{took.seconds:.1f} s, {took.computing:.1f} s of them computing "
                f"({1e6 * took.computing / groups:.0f} us a group), {took.memory / 2**30:.2f} GiB "
                f"({took.memory / groups:.0f} bytes a group)",
                flush=True,
            )
        sizes = {
            "suite": size(folder / "suite"),
            "shards": sum(size(folder / f"now-{n}") for n in range(1, shards + 1)),
            "baseline": size(folder / "baselines"),
            "results": size(folder / "now-out"),
        }
        sizes_text = ", ".join(f"{what} {found / groups:.1f}" for what, found in sizes.items())
        print(f"bytes on disk per case: {sizes_text}", flush=True)


def make_suite(folder: Path, count: int, first: int = 0) -> None:
    """Write a suite of so many groups, a cluster for every ``A_CLUSTER`` of them."""
    sources, groups = [], []
    for number in range(first, first + count // A_CLUSTER):
        text = f"Entry {number} is about {WORDS[number % len(WORDS)]}."
        source = Source(id=f"s-{number}", input={"text": text}, origin="made up")
        sources.append(source)
        for word in WORDS[:A_CLUSTER]:
            after = {"text": f"{text[:-1]} and {word}."}
            groups.append(
                Group(
                    id=group_id("text/made-up", source.input, after),
                    relation="text/made-up",
                    source=source.id,
                    follow_up=after,
                )
            )
    relation = SuiteRelation(
        id="text/made-up",
        groups=len(groups),
        sources=len(sources),
        title="Made up",
        description="The label stays.",
        paper="none",
        before="before",
        after="after",
        output=msgspec.convert({"kind": "same"}, OutputRelation),
    )
    corpus = Corpus(name="made up", licence="CC0", attribution="none", sentences=len(sources))
    head = SuiteFile(
        format=FORMAT,
        name="made-up",
        task="text",
        version="1",
        seed=1,
        description="made up by benchmarks/shards.py",
        relations=(relation,),
        sources=(corpus,),
        tools={},
        thresholds={},
        files={},
    )
    write_suite(folder, head, sources, groups)


def write_shards(folder: Path, place: str, system: MadeUp, shards: int) -> None:
    """Write what each shard leaves."""
    settings = Settings(
        checkpoint="made-up", task="text", suite=str(folder / "suite"), cache=folder / place
    )
    inputs = RunInputs(load_suite(settings), (system, Context()))
    prepared = prepare(settings, print, Clock(), BaselineSource(), inputs)
    for number in range(1, shards + 1):
        into = folder / f"{place}-{number}"
        into.mkdir()
        with closing(WatchedCache(prepared.cache / str(number), system.cache_key)) as cache:
            answer_shard(prepared, Part(number, shards), cache, into, lambda *_: None)


def merged(folder: Path, place: str, shards: int) -> Took:
    """Merge in a process of its own: the first one records the baseline that the next has."""
    command = [sys.executable, "-m", "mt_gate", "merge"]
    command += [str(folder / f"{place}-{number}") for number in range(1, shards + 1)]
    command += ["--out", str(folder / f"{place}-out"), "--record-missing"]
    command += ["--baseline", str(folder / "baselines" / "made-up.json")]
    done = took(command)
    if done.code > 1:
        raise SystemExit(f"the merge ended with {done.code}: {done.output}")
    return done


def size(folder: Path) -> int:
    """Return the bytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
