"""What ``mt-gate suite bite`` prints: a table for people, JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from mt_gate.base.figures import count, percent
from mt_gate.base.jsonio import readable
from mt_gate.reporting.words.tables import stratum_in_words
from mt_gate.results.result import short_fingerprint
from mt_gate_suites.audit.suite_texts import printable
from mt_gate_suites.measures.bite import Bite, Figures, RelationBite

_HEAD = ("", "groups", "violated", "flip", "never violated")
_WIDEST = 60
"""Characters of an edit that are shown."""


def as_json(found: Bite) -> str:
    """Return the figures for scripts."""
    return readable(found).decode()


def as_table(found: Bite, edits: int) -> str:
    """Return the figures for people, with so many of each relation's most frequent edits."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for relation in found.relations:
        rows += _rows(relation, edits)
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = [
        f"{found.suite}, version {found.version}: {found.use} set of "
        + ", ".join(
            f"{one.name} ({short_fingerprint(one.fingerprint, 12)})" for one in found.checkpoints
        ),
        "",
        *(_line(row, widths) for row in rows),
        "",
        "groups: applicable in a run or more; violated: of all runs' applicable groups; flip: "
        "violated in one run and satisfied in another, of the groups applicable in both",
    ]
    return "\n".join(printable(line) for line in lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join([row[0].ljust(widths[0]), *cells])


def _rows(relation: RelationBite, edits: int) -> Iterator[tuple[str, ...]]:
    yield _row(relation.id, relation.figures)
    for name, figures in relation.strata.items():
        yield _row(f"  {stratum_in_words(name)}", figures)
    by_size = sorted(relation.edits.items(), key=lambda item: (-item[1].groups, item[0]))
    for name, figures in islice(by_size, edits):
        yield _row(f"    {name if len(name) <= _WIDEST else name[: _WIDEST - 1] + '…'}", figures)


def _row(name: str, figures: Figures) -> tuple[str, ...]:
    return (
        name,
        count(figures.groups),
        percent(figures.violation_rate),
        percent(figures.flip_share),
        f"{count(figures.never)} ({percent(figures.never_share)})",
    )
