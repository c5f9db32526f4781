"""How fast a run is: against its floor, and against what people would use in its place.

    python benchmarks/speed.py --model ner=DIR --model boolq=DIR --model re=DIR --model text=DIR
                               [--langtest PYTHON] [--write]
    python benchmarks/speed.py --device cuda --model ner=DIR ...

``DIR`` is a Hugging Face checkpoint, exported once and kept in ``--work``. Each contender is a
process of its own (``speed_contenders.py``, ``speed_langtest.py``, ``mt-gate run``), all measured
in turn, round by round, so that what else the machine does falls on all of them; ratios are of one
round each. Rounds are kept in ``--work``, so that tasks may be measured one at a time: tables are
of all that is there, also where no ``--model`` is named. ``--write`` puts them into
results/speed.md.
On a GPU see ``speed_gpu.py``.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from operator import truediv
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from mt_gate.base import figures
from mt_gate.base.errors import MtGateError
from mt_gate.base.files import canonical
from mt_gate.baselines.schema import BaselineSource
from mt_gate.results.result import CheckpointHead, Result
from mt_gate.results.store import RESULT, read_result, read_rows
from mt_gate.running.evaluation import ask
from mt_gate.running.predicting import Cache, Clock, Predictor, input_key
from mt_gate.running.preparing import prepare
from mt_gate.settings.loading import merged
from mt_gate.settings.record import CONFIG, Settings
from mt_gate.sut.processes import cpu_name, usable_cores
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.tasks.table import TASKS
from page_tables import markdown, put
from speed_contenders import CONTENDERS, Spec, Time

HERE = Path(__file__).parent
PAGE = HERE.parent / "benchmarks" / "results" / "speed.md"
SUITES = {"text": "intent-default"}
"""Suites of tasks that do not use ``TASK-default``."""
LANGTEST = {"ner": "ner", "text": "text-classification"}
"""LangTest's names of the tasks that it can test such a checkpoint on."""
STAGES = ("load", "export", "predict", "judge", "compare", "report")
PEERS = {
    "one_by_one": "pipeline, one by one",
    "batched": "pipeline, batches of 32",
    "by_group": "pipeline, original again for each case",
    "langtest": "LangTest",
}
"""What people would use, as the table calls it."""
GROUPWISE = ("by_group", "langtest")
"""Contenders that run cases; the others run distinct inputs."""


Item = TypeVar("Item")


class Plan(NamedTuple):
    """What is measured of a task."""

    task: str
    model: Path
    checkpoint: Path
    suite: str
    sources: int | None
    arguments: argparse.Namespace


class Whole(NamedTuple):
    """One ``mt-gate run``: seconds of its whole process, of processors, and by stage."""

    seconds: float
    cpu: float
    result: Result


class Round(NamedTuple):
    """One time of each contender, and how busy the machine was: its load average after it."""

    load: float
    floor: Time
    side_by_side: Time
    tokenised: Time
    cold: Whole
    warm: Whole
    peers: Mapping[str, Time]


def main() -> None:
    """Measure, print, and write with ``--write``."""
    arguments = _arguments()
    models = dict(pair.split("=", 1) for pair in arguments.model)
    if arguments.device == "cuda":
        import speed_gpu

        sys.exit(speed_gpu.main(models, arguments.work, arguments.write))
    for task, model in models.items():
        measured: list[Round] = []
        for each in _rounds(_plan(task, Path(model), arguments), arguments.rounds):
            measured.append(each)
            _kept(arguments.work, task).write_bytes(msgspec.json.encode(measured))
    rounds = {task: read_rounds(_kept(arguments.work, task)) for task in TASKS}
    rounds = {task: found for task, found in rounds.items() if found}
    tables = {
        "speed-floor": f"{cpu_name()}, {usable_cores()} cores.\n\n{floor_table(rounds)}",
        "speed-stages": stages_table(rounds),
        "speed-peers": peers_table(rounds),
    }
    for name, table in tables.items():
        print(f"\n{table}", end="")
        if arguments.write:
            put(PAGE, name, table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", action="append", default=[], metavar="TASK=DIR")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument(
        "--sources", action="append", default=[], metavar="TASK=N", help="of the suite [all]"
    )
    parser.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="TASK=NAME|DIR",
        help="[of each task its own]",
    )
    parser.add_argument("--sample", type=int, default=400, help="inputs of slow contenders")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=usable_cores())
    parser.add_argument("--langtest", type=Path, help="python of an environment that has it")
    parser.add_argument("--work", type=Path, default=Path("speed-work"), help="kept between calls")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    return parser.parse_args()


def _kept(work: Path, task: str) -> Path:
    """Return where the rounds of a task are kept, for tables of all tasks."""
    return work / f"rounds-{task}.json"


def read_rounds(path: Path) -> list[Round]:
    """Return the rounds that were kept of a task; none where it was not measured."""
    return msgspec.json.decode(path.read_bytes(), type=list[Round]) if path.is_file() else []


def _plan(task: str, model: Path, arguments: argparse.Namespace) -> Plan:
    """Export a checkpoint, once."""
    checkpoint = arguments.work / "exported" / task
    suite = dict(pair.split("=", 1) for pair in arguments.suite).get(task) or suite_of(task)
    if not (checkpoint / "checkpoint.json").is_file():
        command = ["export", model, "--task", task, "--suite", suite, "--out", checkpoint]
        run_gate(command, subprocess.DEVNULL)
    sources = dict(pair.split("=", 1) for pair in arguments.sources).get(task)
    return Plan(task, model, checkpoint, suite, sources and int(sources), arguments)


def suite_of(task: str) -> str:
    """Return the name of the suite that is run."""
    return SUITES.get(task, f"{task}-default")


def _rounds(plan: Plan, count: int) -> Iterator[Round]:
    with tempfile.TemporaryDirectory() as name, ExitStack() as started:
        folder = Path(name).resolve()
        cache = folder / "cache"
        _run(plan, folder / "cold", cache)  # what a run asks is known when one was made
        contenders = {
            each: started.enter_context(closing(contender))
            for each, contender in _started(plan, folder)
        }
        for contender in contenders.values():
            contender.wait()
        for number in range(1, count + 1):
            shutil.rmtree(cache)
            # On both sides of the run: a machine that slows down meanwhile would flatter one.
            before = contenders["floor"].time()
            cold, warm = (_run(plan, folder / way, cache) for way in ("cold", "warm"))
            times = {each: contender.time() for each, contender in contenders.items()}
            floor = mean_time(before, times.pop("floor"))
            side_by_side, tokenised = times.pop("side_by_side"), times.pop("tokenised")
            yield Round(os.getloadavg()[2], floor, side_by_side, tokenised, cold, warm, times)
            print(f"{plan.task}: round {number} of {count}", file=sys.stderr)


def mean_time(one: Time, other: Time) -> Time:
    """Return the mean of two times for the same work."""
    return msgspec.structs.replace(
        one, seconds=(one.seconds + other.seconds) / 2, cpu=(one.cpu + other.cpu) / 2
    )


def _started(plan: Plan, folder: Path) -> Iterator[tuple[str, Contender]]:
    """Start the others, once it is known what a run asks."""
    path, spec = folder / "spec.json", _spec(plan, folder / "cold", folder / "cache")
    path.write_bytes(msgspec.json.encode(spec))
    script = (HERE / "speed_contenders.py").resolve()
    for name in CONTENDERS:
        yield name, Contender(name, [sys.executable, script, name, path], folder)
    if plan.arguments.langtest and plan.task in LANGTEST:
        yield "langtest", _langtest(plan, spec, folder)


class Contender:
    """A process that measures on request."""

    def __init__(self, name: str, command: Sequence[Any], folder: Path) -> None:
        """Start it in a folder, which keeps its other output."""
        self._name, self._errors = name, folder / f"{name}.txt"
        pipe = subprocess.PIPE
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [*map(str, command)], stdin=pipe, stdout=pipe, stderr=errors, cwd=folder
            )

    def wait(self) -> None:
        """Wait until it has loaded what it needs: none is timed while others load."""
        self._line()

    def time(self) -> Time:
        """Have it measure once."""
        stream = self._process.stdin
        assert stream
        with suppress(BrokenPipeError):
            stream.write(b"\n")
            stream.flush()
        return msgspec.json.decode(self._line(), type=Time)

    def _line(self) -> bytes:
        assert self._process.stdout
        found = self._process.stdout.readline()
        if not found:
            sys.exit(f"{self._name}: ended\n{self._errors.read_text(errors='replace')}")
        return bytes(found)

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


def _run_settings(plan: Plan, out: Path, cache: Path) -> dict[str, Any]:
    """Return the settings of a run, by name."""
    return {
        "checkpoint": str(plan.checkpoint),
        "task": plan.task,
        "suite": plan.suite,
        "out": out,
        "cache": cache,
        "device": "cpu",
        "threads": plan.arguments.threads,
        **({"sources": plan.sources} if plan.sources else {}),
    }


def _run(plan: Plan, out: Path, cache: Path) -> Whole:
    """Run the gate as a user does, in a process of its own."""
    settings = _run_settings(plan, out, cache)
    options = [word for name, value in settings.items() for word in (f"--{name}", value)]
    start = time.perf_counter()
    cpu = run_gate(["run", *options], subprocess.DEVNULL)
    return Whole(time.perf_counter() - start, cpu, read_result(out / RESULT))


def run_gate(arguments: Sequence[Any], output: int) -> float:
    """Run mt-gate; return the seconds of processors, those of its checkpoint's process too."""
    command = [sys.executable, "-m", "mt_gate", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=output, stderr=output)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}; run it by hand to see why")
    return used.ru_utime + used.ru_stime


def _spec(plan: Plan, out: Path, cache: Path) -> Spec:
    """Return the others' inputs: all of the run's, or an even sample."""
    groups = [
        (dict(row.source), dict(row.follow_up))
        for row in read_rows(out / RESULT, read_result(out / RESULT))
        if row.follow_up is not None and row.source_output and row.follow_up_output
    ]
    inputs = answered_inputs(merged(_run_settings(plan, out, cache), {}, CONFIG))
    size = plan.arguments.sample
    return Spec(
        plan.task,
        str(plan.model.resolve()),
        str(plan.checkpoint.resolve()),
        plan.arguments.threads,
        inputs,
        even_part(inputs, size),
        even_part(groups, size // 2),
    )


class Noting:
    """A system to the cache, which records the inputs that have a stored prediction."""

    cache_key = "noting"

    def __init__(self, head: CheckpointHead, cache: Cache) -> None:
        """Take the cache of a run."""
        self.head = head
        self.inputs: list[dict[str, Any]] = []
        self._cache = cache

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input as the run was answered."""
        keys = [input_key(canonical(item)) for item in inputs]
        known = self._cache.get(keys)
        self.inputs += (
            dict(item)
            for key, item in zip(keys, inputs, strict=True)
            if known[key].output is not None
        )
        yield [(at, known[key]) for at, key in enumerate(keys)]

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002 - of a system
        """Return nothing: no verdict is read."""
        return {}

    def close(self) -> None:
        """Nothing is to be freed."""


def answered_inputs(settings: Settings) -> list[dict[str, Any]]:
    """Return the distinct inputs that a run was answered, those of sources without a group, too.

    Args:
        settings: of a run whose answers are all in its cache.
    """
    prepared = prepare(settings, lambda _: None, Clock(), BaselineSource())
    with (
        closing(prepared.system) as system,
        closing(Cache(prepared.cache, system.cache_key)) as cache,
        tempfile.TemporaryDirectory() as empty,
        closing(Cache(Path(empty), Noting.cache_key)) as nothing,
    ):
        noting = Noting(system.head, cache)
        predictor = Predictor(noting, nothing, lambda *_: None)
        ask(prepared.suite, prepared.relations, predictor, prepared.context)
    return noting.inputs


def even_part(items: Sequence[Item], size: int) -> list[Item]:
    """Return ``size`` items, or all, in their order and evenly from the first to the last."""
    if len(items) <= size:
        return [*items]
    return [items[number * len(items) // size] for number in range(size)]


def _langtest(plan: Plan, spec: Spec, folder: Path) -> Contender:
    """Have LangTest run its own tests on sources of the run."""
    sources = list(dict.fromkeys(source["text"] for source, _ in spec.groups))
    texts = even_part(sources, plan.arguments.sample // 6)
    data = folder / ("data.conll" if plan.task == "ner" else "data.csv")
    with data.open("w", encoding="utf-8", newline="") as file:
        if plan.task == "ner":
            for text in texts:
                file.write("".join(f"{word} -X- -X- O\n" for word in text.split()) + "\n")
        else:
            csv.writer(file).writerows([("text", "label"), *((text, "0") for text in texts)])
    # Not resolved: an environment's python is a link that must be called by its name.
    python, script = plan.arguments.langtest.absolute(), (HERE / "speed_langtest.py").resolve()
    command = [python, script, spec.model, LANGTEST[plan.task], data, spec.threads]
    return Contender("langtest", command, folder)


def floor_table(rounds: Mapping[str, Sequence[Round]]) -> str:
    """Return the table of whole runs against their floors."""
    columns = ["task", "rounds", "threads", "load average", "distinct inputs", "tokens", "floor"]
    columns += ["cold run", "run / floor", "in processor time", "side by side / floor"]
    columns += ["warm run", "tokenising / floor"]
    return markdown(columns, [_floor_row(task, found) for task, found in rounds.items()])


def _floor_row(task: str, found: Sequence[Round]) -> tuple[str, ...]:
    first = found[0]
    return (
        f"`{task}`",
        figures.count(len(found)),
        f"{first.cold.result.checkpoint.runtime.threads}",
        f"{statistics.median(each.load for each in found):.1f}",
        figures.count(first.floor.units),
        figures.count(first.floor.tokens),
        _seconds([each.floor.seconds for each in found]),
        _seconds([each.cold.seconds for each in found]),
        _ratio([each.cold.seconds / each.floor.seconds for each in found]),
        _ratio([each.cold.cpu / each.floor.cpu for each in found]),
        _ratio([each.side_by_side.seconds / each.floor.seconds for each in found]),
        _seconds([each.warm.seconds for each in found]),
        f"{100 * statistics.median(e.tokenised.cpu / e.floor.cpu for e in found):.1f}%",
    )


def stages_table(rounds: Mapping[str, Sequence[Round]]) -> str:
    """Return the table of the stages of whole runs; what is in none is start and end."""
    rows = []
    for task, found in rounds.items():
        for way, runs in (
            ("cold", [each.cold for each in found]),
            ("warm", [each.warm for each in found]),
        ):
            timings = [run.result.timing for run in runs]
            stages = [[getattr(timing, stage) for timing in timings] for stage in STAGES]
            others = [
                run.seconds - sum(getattr(run.result.timing, stage) for stage in STAGES)
                for run in runs
            ]
            rows.append((f"`{task}`", way, *map(_seconds, [*stages, others])))
    return markdown(("task", "run", *STAGES, "start and end"), rows)


def peers_table(rounds: Mapping[str, Sequence[Round]]) -> str:
    """Return the table of what people would use, by input or group, against the cold run."""
    rows = [
        _peer_row(task, name, found) for task, found in rounds.items() for name in found[0].peers
    ]
    columns = ("task", "contender", "sample", "each", "`mt-gate run`, each", "ratio")
    return markdown((*columns, "in processor time"), rows)


def _peer_row(task: str, name: str, found: Sequence[Round]) -> tuple[str, ...]:
    units = [_units(each.cold.result, name) for each in found]
    theirs = [each.peers[name] for each in found]
    own = [each.cold for each in found]
    took = [time.seconds / time.units for time in theirs]
    own_took = [run.seconds / count for run, count in zip(own, units, strict=True)]
    used = [time.cpu / time.units for time in theirs]
    own_used = [run.cpu / count for run, count in zip(own, units, strict=True)]
    unit = "group" if name in GROUPWISE else "input"
    return (
        f"`{task}`",
        PEERS[name],
        figures.counted(theirs[0].units, unit),
        *(f"{1000 * statistics.median(each):.1f} ms" for each in (took, own_took)),
        _ratio(map(truediv, took, own_took)),
        _ratio(map(truediv, used, own_used)),
    )


def _units(result: Result, name: str) -> int:
    """Return what a run's seconds are shared among: its distinct inputs, or applicable groups."""
    return result.overall.applicable if name in GROUPWISE else result.predictions.unique


def _seconds(found: Sequence[float]) -> str:
    return f"{statistics.median(found):.1f} s"


def _ratio(ratios: Iterable[float]) -> str:
    """Return the median of ratios, with the lowest and the highest."""
    found = [*ratios]
    return f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


if __name__ == "__main__":
    try:
        main()
    except MtGateError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
