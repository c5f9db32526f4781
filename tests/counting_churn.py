"""What changed between two stored runs, counted from their rows alone: no code of mt-gate."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ANSWERS = {"boolq": "answer", "re": "relation"}
SIDES = ("source", "follow_up", "second")


def rows(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in gzip.decompress((folder / "groups.jsonl.gz").read_bytes()).splitlines()
    ]


def answers(folder: Path) -> dict[str, Any]:
    """Return every distinct input of a run with its answer, None where no group has one."""
    result: dict[str, Any] = {}
    for row in rows(folder):
        if row["relation"].endswith("/labels"):  # no inputs of the suite
            continue
        for side in SIDES:
            if row.get(side) is not None:
                key, output = json.dumps(row[side], sort_keys=True), row.get(f"{side}_output")
                result[key] = output if result.get(key) is None else result[key]
    return result


def entities(output: dict[str, Any]) -> set[tuple[int, int, str]]:
    return {(start, end, label) for start, end, label, *_ in output["entities"]}


def both(base: Path, candidate: Path) -> Iterator[tuple[Any, Any]]:
    """Yield the two answers to each input of the candidate that one of them answered."""
    before, now = answers(base), answers(candidate)
    for key, output in now.items():
        if output is not None or before.get(key) is not None:
            yield before.get(key), output


def counted(task: str, base: Path, candidate: Path) -> dict[str, Any]:
    """Return what ``result.json`` should say of the answers of two runs."""
    number = of = one_side = 0
    labels: dict[str, Counter[str]] = {}
    moves: Counter[tuple[str, ...]] = Counter()
    for before, now in both(base, candidate):
        if before is None or now is None:
            one_side += 1
            continue
        of += 1
        if task == "ner":
            old, new = entities(before), entities(now)
            number += old != new
            items = [(entity[2], entity in new) for entity in old]
            moves["kept",] += len(old & new)
            moves["gone",] += len(old - new)
            moves["come",] += len(new - old)
            spans = {entity[:2] for entity in old - new} & {entity[:2] for entity in new - old}
            moves["relabelled",] += len(spans)
        else:
            one, two = before[ANSWERS[task]], now[ANSWERS[task]]
            number += one != two
            items = [(one, one == two)]
            moves[one, two] += 1
        for label, same in items:
            labels.setdefault(label, Counter()).update(of=1, number=not same)
    return {
        "inputs": (number, of),
        "one_side": one_side,
        "labels": {label: (result["number"], result["of"]) for label, result in labels.items()},
        "moves": +moves,
    }


def expected_counts(task: str, churn: dict[str, Any]) -> dict[str, Any]:
    """Return the same of ``result.json``."""
    result = churn["answers"]
    moves: Counter[tuple[str, ...]] = Counter()
    for move in result["moves"]:
        how, number = move["how"], move["number"]
        if task != "ner":
            moves[move["before"], move["after"]] += number
            continue
        moves["kept",] += number * (how == "kept")
        moves["gone",] += number * (how in ("relabelled", "moved", "lost"))
        moves["come",] += number * (how in ("relabelled", "moved", "found"))
        moves["relabelled",] += number * (how == "relabelled")
    return {
        "inputs": (result["inputs"]["number"], result["inputs"]["of"]),
        "one_side": result.get("one_side", 0),
        "labels": {
            one["label"]: (one["flips"]["number"], one["flips"]["of"]) for one in result["labels"]
        },
        "moves": +moves,
    }


def turned(base: Path, candidate: Path) -> tuple[int, int]:
    """Return how many groups were satisfied and are violated now, of those with both verdicts.

    What is built at run time is left out: its groups are others in each run.
    """
    before, now = (
        {
            (row["relation"], row["id"]): row["verdict"]
            for row in rows(folder)
            if row["verdict"] in ("satisfied", "violated") and not row.get("bound")
        }
        for folder in (base, candidate)
    )
    both_judged = before.keys() & now.keys()
    lost = sum(now[key] == "violated" != before[key] for key in both_judged)
    return lost, len(both_judged)
