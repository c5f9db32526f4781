"""Labels of one scheme put as those of another: merged, renamed, deleted, by a table.

A table is TSV or CSV, a label and what becomes of it a line, or a JSON object;
an empty second part deletes the label, which then counts as no relation. A
third part, ``file`` or ``system``, says whose labels a line is about, where
not both. Each label is looked up once: what it becomes is not looked up again.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.base.jsonio import decode_json, read_bytes
from mt_gate.base.redaction import shorten
from mt_gate.tasks.relation_extraction import NO_RELATION, is_none

MAX_MAPPING = 1 << 20
_LONGEST = 200
_SIDES = ("file", "system")
_CAUSE = "expected one label and its new label per line (tab or comma), or a JSON object"


class LabelMapping(NamedTuple):
    """A table of labels; ``file`` and ``system`` are what becomes of each side's labels."""

    name: str = ""
    sha256: str = ""
    file: Mapping[str, str] = {}
    system: Mapping[str, str] = {}

    def of_file(self, label: str) -> str:
        """Return what becomes of a label of the file."""
        return _mapped(self.file, label)

    def of_system(self, label: str) -> str:
        """Return what becomes of a label of the system."""
        return _mapped(self.system, label)

    def unused(self, file: Iterable[str], system: Iterable[str]) -> list[str]:
        """Return the labels of the table that neither side has."""
        known = {*file, *system}
        return [label for label in {**self.file, **self.system} if label not in known]


UNMAPPED = LabelMapping()


def read_mapping(path: Path) -> LabelMapping:
    """Read a table of labels.

    Raises:
        CannotJudge: missing, too large, of another form, or a label on two lines.
    """
    data = read_bytes(path, limit=MAX_MAPPING, cause=_CAUSE)
    sides: dict[str, dict[str, str]] = {side: {} for side in _SIDES}
    for where, label, other, side in _entries(path, data):
        if not label or max(len(label), len(other)) > _LONGEST:
            raise CannotJudge(
                f"{path}: {where}: label {quoted(label, 40)} to {quoted(other, 40)}; expected 1 to "
                f"{_LONGEST} characters for the first, and as many at most for the second"
            )
        for name in (side,) if side else _SIDES:
            if label in sides[name]:
                raise CannotJudge(
                    f"{path}: {where}: {quoted(label)} occurs twice; expected each label once; "
                    "remove one line"
                )
            sides[name][label] = other
    if not any(sides.values()):
        raise CannotJudge(f"{path}: no label; {_CAUSE}")
    return LabelMapping(path.name, hashlib.sha256(data).hexdigest(), **sides)


def _mapped(table: Mapping[str, str], label: str) -> str:
    found = table.get(label, label)
    return NO_RELATION if not found or is_none(found) else found


def _entries(path: Path, data: bytes) -> Iterator[tuple[str, str, str, str]]:
    """Yield where an entry stands, the label, what becomes of it, and its side or nothing."""
    if path.suffix.lower() == ".json":
        yield from _of_json(path, data)
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotJudge(f"{path}: not UTF-8 ({error.reason}); {_CAUSE}") from None
    reader = csv.reader(io.StringIO(text), delimiter="," if path.suffix.lower() == ".csv" else "\t")
    try:
        for row in reader:
            if any(cell.strip() for cell in row) and not row[0].startswith("#"):
                yield (f"line {reader.line_num}", *_cells(path, reader.line_num, row))
    except csv.Error:
        raise CannotJudge(f"{path}: line {reader.line_num}: not CSV; {_CAUSE}") from None


def _cells(path: Path, number: int, row: list[str]) -> tuple[str, str, str]:
    label, other, side, *more = [*(cell.strip() for cell in row), "", ""]
    if len(row) < 2 or any(more) or side not in ("", *_SIDES):
        raise CannotJudge(
            f"{path}: line {number}: {len(row)} parts; {_CAUSE}; a third part "
            f"may be {' or '.join(_SIDES)}"
        )
    return label, other, side


def _of_json(path: Path, data: bytes) -> Iterator[tuple[str, str, str, str]]:
    found = decode_json(data, dict[str, str | dict[str, str] | None], path=path, cause=_CAUSE)
    for key, value in found.items():
        if not isinstance(value, dict):
            yield quoted(key, 40), key, value or "", ""
        elif key in _SIDES:
            yield from ((quoted(a, 40), a, b, key) for a, b in value.items())
        else:
            raise CannotJudge(
                f"{path}: {quoted(key, 40)} holds an object; only {' and '.join(_SIDES)} may"
            )


def named(labels: Iterable[str], most: int = 40) -> str:
    """Return labels for a note, the first so many by name."""
    every = sorted(labels)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(shorten(label, 60) for label in every[:most]) + more
