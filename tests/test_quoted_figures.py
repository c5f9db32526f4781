"""Pages quote only figures that a command has put into a table."""

from __future__ import annotations

import re

import pytest

import documents

DOCS = documents.ROOT / "docs"
RESULTS = documents.ROOT / "benchmarks" / "results"


def figures(text: str) -> set[str]:
    """Return the decimal numbers of a text."""
    return {*re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)", text)}


@pytest.mark.parametrize("page", ["quality.md", "speed.md", "trust.md", "why.md"])
def test_quoted_figures_are_where_their_commands_put_them(page: str) -> None:
    quoted = figures((DOCS / page).read_text(encoding="utf-8"))
    measured = figures(
        "".join(path.read_text("utf-8") for path in (*RESULTS.glob("*.md"), DOCS / "mutation.md"))
    )
    assert quoted <= measured | {"0.05"}, (
        f"docs/{page} quotes what no table says: {quoted - measured}"
    )
