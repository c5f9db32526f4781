"""docs/why.md quotes figures only where a command has put them."""

from __future__ import annotations

import re

import documents

DOCS = documents.ROOT / "docs"


def figures(text: str) -> set[str]:
    """Return the decimal numbers of a text."""
    return {*re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)", text)}


def test_quoted_figures_stand_where_their_commands_are() -> None:
    quoted = figures((DOCS / "why.md").read_text(encoding="utf-8"))
    measured = figures(
        "".join((DOCS / name).read_text("utf-8") for name in ("trust.md", "mutation.md"))
    )
    assert quoted
    assert quoted <= measured, "docs/why.md quotes what docs/trust.md no longer says"
