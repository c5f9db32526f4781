"""Put a mutation analysis next to the conclusions of Chen et al., Table 2, into results/boolq.md.

mt-gate mutate CHECKPOINT --mutants N --task boolq --labels FILE --out analysis ...
python benchmarks/mutation_table.py analysis
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from mt_gate.mutating.analysis import ANALYSIS, Analysis, analysis_notes, analysis_table
from mt_gate.reporting.table import Cell, markdown_table
from page_tables import put

ROOT = Path(__file__).parents[1]
PAPER = ROOT / "tests" / "cases" / "mutating" / "table_2.tsv"
RELATIONS = {
    "antonym-adjective": "MR1-1",
    "tense-change": "MR1-2",
    "before-after": "MR1-3",
    "negation-tag": "MR1-4",
    "synonym-adjective": "MR2-1",
    "adverbial-position": "MR2-2",
    "voice-change": "MR2-3",
}


def main() -> None:
    """Read the analysis in the folder of the first argument, and write the table."""
    analysis = msgspec.json.decode((Path(sys.argv[1]) / ANALYSIS).read_bytes(), type=Analysis)
    lines = PAPER.read_text(encoding="utf-8").splitlines()[1:]
    rows = csv.DictReader(lines, delimiter="\t")
    paper = {(row["operator"], row["relation"]): row["conclusion"] for row in rows}
    table = analysis_table(analysis)
    shown: list[Sequence[Cell]] = []
    operator = ""
    for row in table.rows:
        title = str(row[0])
        operator = title.partition(":")[0] if ":" in title else operator
        shown.append(row)
        if title == "conclusion":
            cells = (paper.get((operator, RELATIONS.get(name, "")), "") for name in table.head[2:])
            shown.append(("paper", "", *cells))
    notes = "\n".join(f"- {note}" for note in analysis_notes(analysis))
    text = f"{markdown_table(table._replace(rows=shown))}\n\n{notes}"
    put(ROOT / "benchmarks" / "results" / "boolq.md", "mutation analysis", text)


if __name__ == "__main__":
    main()
