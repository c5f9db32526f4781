"""Read tables of cases: one line a case, under a head that names its columns."""

from __future__ import annotations

import csv
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"


def read_cases(name: str) -> list[dict[str, str]]:
    """Return the lines of ``cases/<name>.tsv`` by the names of their columns."""
    with (FOLDER / f"{name}.tsv").open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
