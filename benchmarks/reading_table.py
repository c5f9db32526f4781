"""The tables of benchmarks/results/reviews.md: what LLM reviewers found in the built-in suites.

    python benchmarks/reading_table.py [--write]

Reads the settled sheets in docs/audits, the samples' reviews of cases that had
been rejected before (``known-faults``), a stricter review of other cases (``strict``), and a
sample of the cases that a language model wrote. With ``--write`` the tables are put into the page.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import mt_gate_suites
from mt_gate.base.figures import UNDEFINED, percent
from mt_gate.judging.statistics import wilson
from mt_gate.suites.format import find_suite, read_suite, shipped_suites
from mt_gate_suites.audit.marked import ACCEPTED, Agreement
from mt_gate_suites.audit.sheet import SheetLine, read_sheet
from mt_gate_suites.text.catalogue import RELATIONS
from page_tables import markdown, put

DOCS = Path(__file__).parents[1] / "docs"
SHEETS, PAGE = DOCS / "audits", Path(__file__).parent / "results" / "reviews.md"
KNOWN, STRICT = SHEETS / "known-faults", SHEETS / "strict"
WRITTEN, RECIPES = SHEETS / "written-sample.tsv", Path(mt_gate_suites.__file__).parent / "recipes"
SURFACE = frozenset(f"text/{one.name}" for one in RELATIONS if one.surface)
"""Relations that are read once for all suites: they change letters, whatever the text says."""
LARGE = 60
"""Groups from which on a stratum has a row of its own."""
COLUMNS = ("", "cases", "read", "first", "second", "alike", "kappa", "accepted", "95% CI")
RULE_SINCE = "only the end mark changes"
"""How the one kind of fault begins that the builders do not make any more."""


def readers() -> str:
    """Return a row per relation and large stratum, in the order of the suites."""
    every = lines_of(SHEETS)
    rows: list[tuple[str, ...]] = []
    pooled: dict[str, Pooled] = {}
    for name in shipped_suites():
        suite = read_suite(find_suite(name))
        found = lines_of(SHEETS / name) or every
        groups = Counter((group.relation, group.stratum) for group in suite.groups)
        for item in suite.head.relations:
            lines = found.get(item.id, [])
            if found is not every and lines and item.id in SURFACE:
                of_suite = Pooled([name], item.groups, lines)
                pooled[item.id] = pooled[item.id] + of_suite if item.id in pooled else of_suite
            elif lines:
                size = f"{item.groups:,}" if not item.bound else "run time"
                of = f" of {name}" if found is not every else ""
                rows.append(row(f"`{item.id}`{of}", size, lines))
                rows += strata(item.id, groups, lines)
    rows += [
        row(f"`{relation}` of {len(of.suites)} suites", f"{of.groups:,}", of.lines)
        for relation, of in pooled.items()
    ]
    return markdown(COLUMNS, rows)


class Pooled(NamedTuple):
    """What was read of a relation that several suites have, made by one rule."""

    suites: list[str]
    groups: int
    lines: list[SheetLine]

    def __add__(self, other: Pooled) -> Pooled:  # type: ignore[override]
        return Pooled(
            self.suites + other.suites, self.groups + other.groups, self.lines + other.lines
        )


def lines_of(folder: Path) -> dict[str, list[SheetLine]]:
    """Return the read lines of a folder's sheets, by relation.

    Suites that share relations have a folder each, and what was read of groups that are not in
    the suite, of texts that it does not have, is in its folder ``fresh``.
    """
    found: dict[str, list[SheetLine]] = {}
    for path in sorted([*folder.glob("*.csv"), *folder.glob("fresh/*.csv")]):
        for line in read_sheet(path)[0]:
            if line.reader_1:  # what the labels of a benchmark say of a run is no reading
                found.setdefault(line.relation, []).append(line)
    return found


def strata(
    relation: str, groups: Counter[tuple[str, str]], lines: Sequence[SheetLine]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a relation's large strata."""
    for (of, stratum), count in sorted(groups.items()):
        read = [line for line in lines if line.stratum == stratum]
        if of == relation and stratum and count >= LARGE and read:
            yield row(f"- {stratum}", f"{count:,}", read)


def row(name: str, groups: str, lines: Sequence[SheetLine]) -> tuple[str, ...]:
    """Return the cells of a row."""
    accepted = sum(line.mark == ACCEPTED for line in lines)
    low, high = map(percent, wilson(accepted, len(lines)))
    agreed = Agreement.of(lines)
    two = (UNDEFINED,) * 4
    if agreed:
        kappa = UNDEFINED if agreed.kappa is None else f"{agreed.kappa:.2f}"
        shares = (agreed.both + agreed.first_only, agreed.both + agreed.second_only)
        first, second = (percent(share / len(lines)) for share in shares)
        two = (first, second, percent(agreed.alike), kappa)
    return (name, groups, f"{len(lines)}", *two, percent(accepted / len(lines)), f"{low} to {high}")


def known_faults() -> str:
    """Return how many of the cases that had been rejected before each reviewer rejected again."""
    rows = []
    for path in sorted(KNOWN.glob("*.csv")):
        lines = cells_of(path)
        again = [
            percent(sum(line[reader] != ACCEPTED for line in lines) / len(lines))
            for reader in ("reader_1", "reader_2")
        ]
        rows.append((path.stem, f"{len(lines)}", *again))
    return markdown(("sample", "rejected before", "first rejected", "second rejected"), rows)


def strict_reading() -> str:
    """Return how many cases a reviewer rejected who was instructed to expect errors."""
    rows = []
    for path in sorted(STRICT.glob("*.csv")):
        lines = cells_of(path)
        refused = [line["fault"] for line in lines if line["mark"] != ACCEPTED]
        since = sum(fault.startswith(RULE_SINCE) for fault in refused)
        rows.append((path.stem, f"{len(lines)}", f"{len(refused)}", f"{since}"))
    return markdown(("sample", "read", "rejected", "of them a rule since"), rows)


def written() -> str:
    """Return what the reviews of a sample accepted of the cases that a language model wrote."""
    sizes = Counter(
        f"{path.name.partition('-')[0]}/{json.loads(line)['relation']}"
        for path in sorted(RECIPES.glob("*.written.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    with WRITTEN.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = []
    for relation, size in sizes.items():
        pairs = [(it["first"], it["second"]) for it in lines if it["relation"] == relation]
        if not pairs:  # not read again
            continue
        both = sum(set(pair) == {ACCEPTED} for pair in pairs)
        accepted = both + sum(
            it["settled"] == ACCEPTED for it in lines if it["relation"] == relation
        )
        first, second = (
            percent(sum(mark == ACCEPTED for mark in marks) / len(pairs))
            for marks in zip(*pairs, strict=True)
        )
        low, high = map(percent, wilson(accepted, len(pairs)))
        shares = (percent(both / len(pairs)), percent(accepted / len(pairs)), f"{low} to {high}")
        rows.append((f"`{relation}`", f"{size:,}", f"{len(pairs)}", first, second, *shares))
    header = ("", "written", "read again", "first", "second", "both", "accepted", "95% CI")
    return markdown(header, rows)


def cells_of(sheet: Path) -> list[dict[str, str]]:
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


TABLES = {
    "readers": readers,
    "written": written,
    "known-faults": known_faults,
    "strict": strict_reading,
}


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="put the tables into benchmarks/results/reviews.md"
    )
    write = parser.parse_args().write
    for name, table in TABLES.items():
        if write:
            put(PAGE, name, table())
        else:
            print(f"{name}\n\n{table()}")


if __name__ == "__main__":
    main()
