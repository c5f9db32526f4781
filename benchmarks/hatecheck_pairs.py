"""Table of results/text.md: which of HateCheck's pairs are in the suite, and why the rest is not.

    python benchmarks/hatecheck_pairs.py [--write]

Reads the shipped suite alone, whose head counts what was built and left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hatecheck_derived import DERIVED
from mt_gate.suites.format import find_suite, read_head
from page_tables import markdown, put

PAGE = Path(__file__).parents[1] / "benchmarks" / "results" / "text.md"
REASONS = {
    "case with a fault of its own": "faulty",
    "groups of one source": "beyond two cases of an original text",
    "refused by a reader": "rejected by an LLM reviewer",
}
"""Plain words for the suite's reasons why a pair is omitted; others stay."""
COLUMNS = ("relation", "the label", "pairs", "cases", "sources", "omitted")


def pairs() -> str:
    """Return a row per relation, and one of their sums."""
    head = read_head(find_suite("moderation-default"))
    by_id = {one.id: one for one in head.relations}
    rows = []
    total = groups = 0
    for derived in DERIVED:
        one = by_id[derived.id]
        every = one.groups + sum(one.left_out.values())
        why = ", ".join(
            f"{count} {REASONS.get(words, words)}" for words, count in sorted(one.left_out.items())
        )
        label = "stays" if derived.keeps else "is gone"
        rows.append(
            (f"`{one.id}`", label, f"{every:,}", f"{one.groups:,}", f"{one.sources:,}", why)
        )
        total, groups = total + every, groups + one.groups
    rows.append(("all", "", f"{total:,}", f"{groups:,}", "", ""))
    return markdown(COLUMNS, rows)


def main() -> None:
    """Print the table, or put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="put the table into benchmarks/results/text.md"
    )
    if parser.parse_args().write:
        put(PAGE, "hatecheck", pairs())
    else:
        print(pairs())


if __name__ == "__main__":
    main()
