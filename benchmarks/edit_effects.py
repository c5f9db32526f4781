"""Count how often each relation, subtype and edit of a suite is violated in stored runs.

    python benchmarks/edit_effects.py SUITE RUN... [--edits 3]

An edit that no checkpoint ever violates costs time and shows nothing. One row each:

- cases: testable in one run or more
- violated: share of the testable cases of all runs
- flip: violated in one run and satisfied in another, of the cases testable in several
- never: violated in no run
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from mt_gate.base.escaping import one_line
from mt_gate.base.figures import count, percent
from mt_gate.domain import Verdict
from mt_gate.reporting.words.tables import stratum_in_words
from mt_gate.results.store import read_result, read_rows, result_file
from mt_gate.suites.format import find_suite, read_suite
from mt_gate.tasks.table import TASKS
from mt_gate_suites.measures.changed_words import edit_of

Label = tuple[str, str, str]
"""Relation, subtype and edit; the last, or both, are empty for a row of all of them."""
HEAD = ("", "cases", "violated", "flip", "never")


def count_violations(name: str, runs: Sequence[Path]) -> dict[Label, list[list[bool]]]:
    """Return, for each label, whether each of a case's testable runs violates it, case by case."""
    suite = read_suite(find_suite(name))
    task = TASKS[suite.head.task]
    cases: dict[str, list[bool]] = defaultdict(list)
    labels: dict[str, Label] = {}
    for path in map(result_file, runs):
        result = read_result(path)
        if result.suite.name != suite.head.name:
            raise SystemExit(f"{path} is a run of {result.suite.name}, not of {suite.head.name}")
        for row in read_rows(path, result):
            if row.follow_up is not None and row.verdict is not Verdict.NOT_APPLICABLE:
                edit = edit_of(task, row.source, row.follow_up).name
                labels[row.id] = (row.relation, row.stratum, edit)
                cases[row.id].append(row.verdict is Verdict.VIOLATED)
    counted: dict[Label, list[list[bool]]] = defaultdict(list)
    for case, violations in cases.items():
        relation, stratum, edit = labels[case]
        for label in {(relation, "", ""), (relation, stratum, ""), (relation, "", edit)}:
            counted[label].append(violations)
    return counted


def figures(cases: Sequence[Sequence[bool]]) -> tuple[str, ...]:
    """Return the cells of a row."""
    several = [case for case in cases if len(case) > 1]
    flips = sum(any(case) and not all(case) for case in several)
    never, judged = sum(not any(case) for case in cases), sum(map(len, cases))
    return (
        count(len(cases)),
        percent(sum(map(sum, cases)) / judged if judged else None),
        percent(flips / len(several) if several else None),
        percent(never / len(cases) if cases else None),
    )


def rows(counted: dict[Label, list[list[bool]]], edits: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows: a relation, its subtypes, and its most frequent edits."""
    yield HEAD
    for relation in dict.fromkeys(label[0] for label in counted):
        own = {label: cases for label, cases in counted.items() if label[0] == relation}
        yield relation, *figures(own[relation, "", ""])
        for label in sorted(label for label in own if label[1]):
            yield f"  {stratum_in_words(label[1])}", *figures(own[label])
        by_size = sorted(
            (label for label in own if label[2]), key=lambda label: (-len(own[label]), label)
        )
        for label in by_size[:edits]:
            yield f"    {label[2]:.60}", *figures(own[label])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite")
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=3)
    options = parser.parse_args()
    table = list(rows(count_violations(options.suite, options.runs), options.edits))
    width = max(len(row[0]) for row in table)
    for name, *cells in table:
        line = "".join(f"{cell:>10}" for cell in cells)
        sys.stdout.write(one_line(f"{name:<{width}}{line}") + "\n")


if __name__ == "__main__":
    main()
