"""Tables that a benchmark prints, put into a page of the docs between their marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

END = "<!-- end -->"


def put(page: Path, name: str, text: str) -> None:
    """Replace the text between a table's mark on a page and the next end.

    Raises:
        SystemExit: the page lacks one of the two marks; it is as it was.
    """
    mark = f"<!-- table: {name} -->\n"
    before, found, rest = page.read_text(encoding="utf-8").partition(mark)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise SystemExit(f"{page}: no mark {mark.strip()} with {END} after it; add them")
    page.write_text(f"{before}{mark}{text.rstrip()}\n{END}{after}", encoding="utf-8")


def standing(page: str, name: str) -> str:
    """Return the text between a table's mark in a page's text and the next end, if any."""
    _, _, rest = page.partition(f"<!-- table: {name} -->\n")
    return rest.partition(END)[0]


def cells(text: str) -> Iterator[dict[str, str]]:
    """Yield the rows of all tables of a text in Markdown, each cell by its column's name."""
    head: list[str] = []
    for line in text.splitlines():
        row = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            head = []
        elif not head:
            head = row
        elif not all(set(cell) <= {"-", ":"} for cell in row):
            yield dict(zip(head, row, strict=False))


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
