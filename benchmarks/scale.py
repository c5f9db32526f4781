"""How time and memory grow with the number of groups: whole commands, each a process of its own.

    python benchmarks/scale.py [--groups 10000 100000] [--rounds 1] [--profile 100000] [--write]

Suites are made up: four groups a sentence, three relations. The system is this file as a command
that answers at once, so that what is measured is mt-gate. ``run`` has an empty cache and no
baseline, ``record`` makes a baseline of it, ``warm`` has all answers and is judged by that;
``compare`` reads, judges and writes that result again. Prints seconds of processor time and peak
memory, medians of ``--rounds``, with the slopes of their logarithms, and the three functions that
cost a run the most; with ``--write`` both are put into benchmarks/results/speed.md.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import re
import shlex
import statistics
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mt_gate.domain import Block, Group, Source
from mt_gate.suites.format import FORMAT, Corpus, SuiteFile, SuiteRelation, group_id, write_suite
from page_tables import markdown, put
from process_cost import took

PAGE = Path(__file__).parents[1] / "benchmarks" / "results" / "speed.md"
TIMES, COSTS = "one machine", "one machine costs"
RELATIONS = (
    "ner/token-replacement",
    "ner/phrase-replacement",
    "ner/structural",
)
PER_SOURCE = 4
NAMES = "Anna Boris Clara David Elena Farid Greta Hugo Irina Jonas".split()
PLACES = "Oslo Paris Quito Rome Seoul Tunis Utrecht Vienna Warsaw Zagreb".split()
VERBS = "visited left reached praised".split()
CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")
STEPS = ("run", "record", "warm", "compare")
ONE_IN = 400
"""Texts of which a system misses a name, so that of a thousand groups five are violated."""


class Cost(NamedTuple):
    """What a process and its children took: seconds of processor time, peak memory in bytes."""

    seconds: float
    memory: int


# The system: entities are the words in capitals, of which a few are missed.


def answer_lines(lines: Iterable[str], seed: str) -> Iterator[str]:
    """Yield the answers to the requests of a command; see docs/systems.md."""
    yield json.dumps({"system": {"name": f"made up {seed}", "fingerprint": f"made-up-{seed}"}})
    for line in lines:
        request = json.loads(line)
        yield json.dumps({"id": request["id"], "entities": entities_of(request["text"], seed)})


def entities_of(text: str, seed: str) -> list[tuple[int, int, str]]:
    """Return words in capitals; of one text in ``ONE_IN``, others for each seed, not the first."""
    found = [
        (match.start(), match.end(), "LOC" if match[0] in PLACES else "PER")
        for match in CAPITAL.finditer(text)
    ]
    return found[(zlib.crc32(f"{seed} {text}".encode()) % ONE_IN == 0) :]


# The suite


def made_up(folder: Path, groups: int) -> Path:
    """Write a suite of so many groups."""
    sources, made = [], []
    for number in range(groups // PER_SOURCE):
        text = _sentence(number)
        source = Source(id=f"made-up-{number}", input={"text": text}, origin="made up")
        sources.append(source)
        made += [_group(source, text, turn) for turn in range(PER_SOURCE)]
    counts = {name: sum(group.relation == name for group in made) for name in RELATIONS}
    head = SuiteFile(
        format=FORMAT,
        name="made-up",
        task="ner",
        version="1",
        seed=1,
        description="made up",
        relations=tuple(
            SuiteRelation(id=name, groups=number, sources=len(sources))
            for name, number in counts.items()
        ),
        sources=(Corpus(name="made up", licence="CC0", attribution="", sentences=len(sources)),),
        tools={},
        thresholds={},
        files={},
    )
    write_suite(folder, head, sources, made)
    return folder


def _sentence(number: int) -> str:
    one, two = NAMES[number % 10], NAMES[number // 10 % 10]
    place = PLACES[number // 100 % 10]
    return f"{one} saw {two} on day {number} of a long journey through {place}, and was glad."


def _group(source: Source, text: str, turn: int) -> Group:
    """Return a group whose follow-up has another verb."""
    at = text.index("saw")
    verb = VERBS[turn]
    after = {"text": f"{text[:at]}{verb}{text[at + 3 :]}"}
    rest = len(text) - at - 3
    relation = RELATIONS[(zlib.crc32(text.encode()) + turn) % len(RELATIONS)]
    return Group(
        id=group_id(relation, source.input, after),
        relation=relation,
        source=source.id,
        follow_up=after,
        alignment=(Block(0, 0, at), Block(at + 3, at + len(verb), rest)),
    )


# What is measured


def measured(groups: int, folder: Path) -> dict[str, Cost]:
    """Return what each step costs at a size, in the order of ``STEPS``."""
    suite = made_up(folder / "suite", groups)
    baseline = folder / "baseline.json"
    first, second = (_run(suite, folder / name, seed) for name, seed in (("1", "a"), ("2", "b")))
    found = {"run": _cost(first)}
    recorded = ["baseline", "record", f"{folder}/1/result.json", "--name", "baseline"]
    found["record"] = _cost([*recorded, "--dir", f"{folder}"])
    _cost(second)  # all that it asks is in the cache after
    found["warm"] = _cost([*second, "--baseline", f"{baseline}"])
    compared = ["compare", f"{folder}/2/result.json", "--baseline", f"{baseline}"]
    found["compare"] = _cost([*compared, "--out", f"{folder}/again"])
    return found


def _run(suite: Path, out: Path, seed: str) -> list[str]:
    command = shlex.join([sys.executable, __file__, "--answer", seed])
    words = ["run", "--task", "ner", "--suite", f"{suite}", "--system", f"command:{command}"]
    return [*words, "--out", f"{out}", "--cache", f"{out.parent / 'cache'}"]


def _cost(arguments: Sequence[str]) -> Cost:
    """Run a command of mt-gate; SystemExit where it comes to no verdict."""
    done = took([sys.executable, "-m", "mt_gate", *arguments])
    if done.code not in (0, 1):
        raise SystemExit(f"mt-gate {shlex.join(arguments)}\n{done.output}")
    return Cost(done.computing, done.memory)


def slope(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return the slope of the logarithm of values over that of sizes, by least squares."""
    found = float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
    return round(found, 6) + 0.0  # so that none is -0


def table(found: Mapping[int, Mapping[str, Cost]]) -> str:
    """Return seconds and peak memory of each step, a size a column, slopes last."""
    sizes = [*found]
    rows = []
    for step in STEPS:
        costs = [found[size][step] for size in sizes]
        seconds = [cost.seconds for cost in costs]
        memory = [cost.memory / 1e6 for cost in costs]
        rows.append(_row(f"{step}, s", sizes, seconds, 1))
        rows.append(_row(f"{step}, MB", sizes, memory, 0))
    columns = ["", *(f"{size:,} cases" for size in sizes), "log-log slope"]
    return markdown(columns, rows)


def _row(name: str, sizes: Sequence[int], values: Sequence[float], digits: int) -> list[str]:
    grows = f"{slope(sizes, values):.2f}" if len(sizes) > 1 else ""
    return [name, *(f"{value:.{digits}f}" for value in values), grows]


def median_costs(rounds: Sequence[Mapping[str, Cost]]) -> dict[str, Cost]:
    """Return the medians of several rounds, of time and memory each."""
    return {
        step: Cost(
            statistics.median(of[step].seconds for of in rounds),
            round(statistics.median(of[step].memory for of in rounds)),
        )
        for step in STEPS
    }


def costs(groups: int, folder: Path) -> str:
    """Return the functions of a run with an empty cache that take the most time themselves."""
    from mt_gate.cli import exit_code

    command = _run(made_up(folder / "suite", groups), folder / "out", "a")
    profile = cProfile.Profile()
    profile.enable()
    exit_code(command)
    profile.disable()
    statistics_of: Mapping[tuple[str, int, str], tuple[int, int, float, float, object]]
    statistics_of = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(own for _, _, own, _, _ in statistics_of.values())
    largest = sorted(statistics_of.items(), key=lambda item: -item[1][2])
    rows = [
        (f"`{_called(name)}`", _place(file), f"{own:.1f}", f"{100 * own / whole:.0f}%")
        for (file, _, name), (_, _, own, _, _) in largest[:MOST_COSTS]
    ]
    return markdown(("function", "of", "seconds", "share"), rows)


MOST_COSTS = 3


def _called(name: str) -> str:
    """Return a function's name, without where it lay in memory that day."""
    return re.sub(r" at 0x[0-9a-f]+", "", name.strip("<>"))


def _place(file: str) -> str:
    _, found, rest = file.rpartition("mt_gate/")
    return f"`{rest}`" if found else Path(file).name


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--groups", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--profile", type=int, help="cases of the run whose costs are listed")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into benchmarks/results/speed.md"
    )
    parser.add_argument("--answer", metavar="SEED", help="be the system instead")
    options = parser.parse_args()
    if options.answer:
        for line in answer_lines(sys.stdin, options.answer):
            print(line, flush=True)
        return
    found = {size: median_costs(_rounds(size, options.rounds)) for size in options.groups}
    shown = {TIMES: table(found)} if found else {}
    if options.profile:
        with tempfile.TemporaryDirectory() as folder:
            shown[COSTS] = costs(options.profile, Path(folder))
    for name, text in shown.items():
        print(text)
        if options.write:
            put(PAGE, name, text)


def _rounds(size: int, rounds: int) -> list[dict[str, Cost]]:
    found = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            found.append(measured(size, Path(folder)))
            shown = {
                step: f"{c.seconds:.1f} s {c.memory >> 20} MB" for step, c in found[-1].items()
            }
            print(size, shown, file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    main()
