"""Tables of cases: one TSV file below ``tests/cases`` for each rule, one row for each case."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).with_suffix("")


def read_cases(name: str) -> list[dict[str, str]]:
    """Return the rows of ``tests/cases/NAME.tsv`` by column; its first line names the columns.

    Lines that begin with ``#`` say what the rows below them show.
    """
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
    return [dict(row) for row in rows]


def cases(name: str) -> pytest.MarkDecorator:
    """Call a test with each row: its parameters are the columns, its id is the first cell."""
    rows = read_cases(name)
    values = [
        pytest.param(*row.values(), id=f"{at}-{next(iter(row.values()))}")
        for at, row in enumerate(rows, start=1)
    ]
    return pytest.mark.parametrize(list(rows[0]), values)


def table(file: str, name: str) -> list[Any]:
    """Return the rows of a test from the JSON file below ``tests/cases`` named as the test's file.

    Args:
        file: the test's ``__file__``.
        name: of the test, without ``test_``.
    """
    path = FOLDER / Path(file).relative_to(FOLDER.parent).with_suffix(".json")
    rows = json.loads(path.read_text(encoding="utf-8"))[name]
    assert isinstance(rows, list)
    return rows
