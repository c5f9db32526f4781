"""What the gate sees: faults of reference checkpoints, true costs, and what a run is worth.

    python benchmarks/faults.py --data DATA --out OUT [--tasks ner,boolq,re,text] [--kinds NAME,...]
    python benchmarks/faults.py --out OUT --tables [--write] [--part NAME]

For each task a small reference is trained, and by the same recipe the candidates with a fault of
training (``fault_training.py``); then ``fault_bench`` makes the others, and asks all of
them suite and labels. Kinds, strengths, and which half each kind is of, are those of
``fault_bench/faults.toml``. What is finished is kept: a killed bench goes on where it
was, and one with more kinds adds to it; a checkpoint that another recipe or other data made is
refused. ``OUT/TASK/study`` has ``sensitivity.json`` and
``sensitivity.md``; ``--tables`` prints them from what is stored alone, tasks without a study left
out, and ``--write`` puts them into results/faults.md, and one sentence about them into README.md.
"""

from __future__ import annotations

import argparse
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

from fault_bench import tables
from fault_bench.faults import Family, Fault, Half, planned
from fault_bench.records import REFERENCE as ASKED
from fault_bench.sensitivity import StudyRequest, sensitivity
from fault_bench.summarising import summarised
from mt_gate.base.console import say
from mt_gate.settings.loading import merged
from mt_gate.settings.record import CONFIG
from mt_gate.tasks.table import TASKS as SPECS
from page_tables import cells, put, standing

TASKS = ("ner", "boolq", "re", "text")
SUITES = {"text": "moderation-default"}
"""Suites of tasks that do not use ``TASK-default``."""
ROOT = Path(__file__).parents[1]
PAGE, README = ROOT / "benchmarks" / "results" / "faults.md", ROOT / "README.md"
WHOLE = "faults"
"""Before a task's name, what its tables are called on the page."""
REFERENCE, CANDIDATES, LABELS, STUDY = "reference", "candidates", "labels.jsonl", "study"


def trained(task: str, kinds: Sequence[str]) -> list[Fault]:
    """Return the faults of a task that the trainer makes."""
    return [fault for fault in planned(task, kinds) if fault.family is Family.TRAINING]


def train(task: str, arguments: argparse.Namespace) -> None:
    """Train the reference and the candidates that are not there yet.

    Raises:
        SystemExit: one that is there was trained otherwise.
    """
    import torch

    from fault_examples import write_labelled
    from fault_training import (
        RECIPES,
        Plan,
        check_recipe,
        described,
        other_task,
        plan,
        started_from,
        train_into,
    )

    torch.set_num_threads(arguments.threads)
    folder = arguments.out / task
    folder.mkdir(parents=True, exist_ok=True)
    write_labelled(task, arguments.data, folder / LABELS)
    plans = {folder / REFERENCE: Plan(RECIPES[task])}
    for fault in trained(task, arguments.kinds):
        plans[folder / CANDIDATES / fault.name] = plan(task, fault.kind, fault.strength)
    start = started_from(task, arguments.data)
    taught_by = described(REFERENCE, plans[folder / REFERENCE], start)
    for place, planned_for_it in plans.items():
        source = taught_by if planned_for_it.is_taught else ""
        if planned_for_it.elsewhere:
            source = started_from(other_task(task), arguments.data)
        description = described(place.name, planned_for_it, start, source)
        check_recipe(place, description)
        if not place.is_dir():
            started = time.monotonic()
            train_into(task, arguments.data, planned_for_it, place, description, folder / REFERENCE)
            say(f"{task}: {place.name} trained in {time.monotonic() - started:.0f} s")


def study_request(task: str, arguments: argparse.Namespace) -> StudyRequest:
    """Return the study of a task: for the reference and all candidates."""
    folder = arguments.out / task
    candidates = folder / CANDIDATES
    values = {
        "checkpoint": str(folder / REFERENCE),
        "task": task,
        "suite": arguments.suite or SUITES.get(task, f"{task}-default"),
        "sources": arguments.sources,
        "out": str(folder / STUDY),
        "cache": str(arguments.out / "cache"),
    }
    if (demo := SPECS[task].demo) and demo.label_map:
        values["label_map"] = dict(demo.label_map)
    return StudyRequest(
        settings=merged(values, {}, CONFIG),
        labels=folder / LABELS,
        kinds=arguments.kinds,
        candidates=candidates if candidates.is_dir() else None,
    )


def shown(task: str, folder: Path) -> str:
    """Return the tables of a task's study for the page, worked out of what is stored."""
    found = summarised(folder)
    listed = [f"- {line}" for line in tables.lines(found)]
    parts = ["\n".join(listed) + "\n"]
    for title, table in tables.sections(found):
        if table.rows:
            parts.append(f"*{task}: {title.lower()}*\n\n{tables.markdown_table(table)}")
    return "\n".join(parts)


def worth(page: str) -> str:
    """Return what a run is worth in labels, by the tables of a page: the held-out half.

    Tasks whose table has no such row yet are skipped.
    """
    worths = []
    for task in TASKS:
        worths += [
            f"`{task}` {row['worth in labels']} ({row['cost 1 point or more, found']} found)"
            for row in cells(standing(page, mark(task)))
            if {"worth in labels", "candidates"} <= row.keys()
            and row["kinds"] == Half.HELD_OUT.shown
        ]
    if not worths:
        return ""
    sentence = (
        "A run uses no labels. To find as many held-out faults that cost at least one point of F1 "
        f"or accuracy, a paired test of accuracy needs this many labels: {', '.join(worths)}. See "
        "[faults of known cost](benchmarks/results/faults.md)."
    )
    return textwrap.fill(sentence, 118, break_long_words=False, break_on_hyphens=False) + "\n"


def mark(task: str, part: str = WHOLE) -> str:
    """Return the name of a task's tables on the page."""
    return f"{part}-{task}"


def has_study(folder: Path) -> bool:
    """Whether a task has results to show; print a note if not."""
    found = (folder / ASKED).is_file()
    if not found:
        say(f"{folder}: no study yet; its table stays as it is")
    return found


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    def names(text: str) -> tuple[str, ...]:
        return tuple(name for name in text.split(",") if name)

    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tasks", type=names, default=TASKS)
    parser.add_argument("--kinds", type=names, default=())
    parser.add_argument("--suite", help="instead of the built-in suite of the task")
    parser.add_argument(
        "--sources", type=int, help="sample this many of the suite's original texts"
    )
    parser.add_argument("--threads", type=int, default=2, help="of training")
    parser.add_argument("--tables", action="store_true", help="print what is stored, ask nothing")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    parser.add_argument(
        "--part", default=WHOLE, help="name on the page of a study of fewer kinds [%(default)s]"
    )
    arguments = parser.parse_args(words)
    if not arguments.tables and arguments.data is None:
        parser.error("--data is needed to train and to label")
    unknown = set(arguments.tasks) - set(TASKS)
    if unknown:
        parser.error(f"--tasks {', '.join(sorted(unknown))}: expected some of {', '.join(TASKS)}")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    for task in arguments.tasks:
        if not arguments.tables:
            train(task, arguments)
            sensitivity(study_request(task, arguments), say, lambda *_: None)
        elif not has_study(arguments.out / task / STUDY):
            continue
        text = shown(task, arguments.out / task / STUDY)
        print(text)
        if arguments.write:
            put(PAGE, mark(task, arguments.part), text)
    if arguments.write:
        put(README, "worth", worth(PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
