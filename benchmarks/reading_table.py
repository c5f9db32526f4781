"""The table of docs/quality.md: what readers found in the shipped suites.

    python benchmarks/reading_table.py [--write]

Reads the settled sheets in docs/audits; with ``--write`` the table is put into the page.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from mt_gate.audits.agreement import ACCEPTED, Agreement
from mt_gate.audits.sheet import SheetLine, read_sheet
from mt_gate.base.figures import UNDEFINED, percent
from mt_gate.judging.statistics import wilson
from mt_gate.suites.format import find_suite, read_suite, shipped_suites

DOCS = Path(__file__).parents[1] / "docs"
SHEETS, PAGE = DOCS / "audits", DOCS / "quality.md"
LARGE = 60
"""Groups from which on a stratum has a row of its own."""
COLUMNS = ("", "groups", "read", "first", "second", "alike", "kappa", "accepted", "95 % interval")


def table(sheets: Path = SHEETS) -> str:
    """Return the table as Markdown: a row per relation and large stratum, as in the suites."""
    found: dict[str, list[SheetLine]] = {}
    for path in sorted(sheets.glob("*.csv")):
        for line in read_sheet(path)[0]:
            if not line.reader_1:
                continue  # what the labels of a benchmark say of a run is no reading
            found.setdefault(line.relation, []).append(line)
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    for name in shipped_suites():
        suite = read_suite(find_suite(name))
        groups = Counter((group.relation, group.stratum) for group in suite.groups)
        for item in suite.head.relations:
            lines = found.get(item.id, [])
            if lines:
                size = f"{item.groups:,}" if not item.bound else "run time"
                rows.append(row(f"`{item.id}`", size, lines))
                rows += strata(item.id, groups, lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


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
    readers = Agreement.of(lines)
    two = (UNDEFINED,) * 4
    if readers:
        kappa = UNDEFINED if readers.kappa is None else f"{readers.kappa:.2f}"
        shares = (readers.both + readers.first_only, readers.both + readers.second_only)
        first, second = (percent(share / len(lines)) for share in shares)
        two = (first, second, percent(readers.alike), kappa)
    return (name, groups, f"{len(lines)}", *two, percent(accepted / len(lines)), f"{low} to {high}")


def main() -> None:
    """Print the table, or put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/quality.md")
    found = table()
    if not parser.parse_args().write:
        print(found, end="")
        return
    mark, end = "<!-- table: readers -->\n", "<!-- end -->"
    before, rest = PAGE.read_text(encoding="utf-8").split(mark)
    PAGE.write_text(f"{before}{mark}{found}{end}{rest.split(end, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
