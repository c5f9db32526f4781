"""Tables that a benchmark prints, put into a page of the docs between their marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

END = "<!-- end -->"


def put(page: Path, name: str, text: str) -> None:
    """Replace what stands between a table's mark on a page and the next end.

    Raises:
        SystemExit: the page lacks one of the two marks; it is as it was.
    """
    mark = f"<!-- table: {name} -->\n"
    before, found, rest = page.read_text(encoding="utf-8").partition(mark)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise SystemExit(f"{page}: no mark {mark.strip()} with {END} after it; add them")
    page.write_text(f"{before}{mark}{text.rstrip()}\n{END}{after}", encoding="utf-8")


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
