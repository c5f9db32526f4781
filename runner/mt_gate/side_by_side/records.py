"""The figures of several stored runs side by side."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.judging.rates import Rate
from mt_gate.results.result import CheckpointHead, SuiteHead


class Column(NamedTuple):
    """One run: its letter, a name that no other has, and where it was read."""

    letter: str
    name: str
    path: str
    created: str
    checkpoint: CheckpointHead


class Row(NamedTuple):
    """The rates of one relation, or, with an empty ``id``, of all together; None if not run."""

    id: str
    rates: tuple[Rate | None, ...]


class SideBySide(NamedTuple):
    """Runs of one suite; the last row is of all relations together."""

    suite: SuiteHead
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
