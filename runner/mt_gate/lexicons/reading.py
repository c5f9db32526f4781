"""The format of lexicons, and its parser.

A file starts with a head, followed by sections with one entry per line::

    # title: Words that say when and how often
    # origin: Written by hand for mt-gate.
    # licence: Apache-2.0
    # made: From what reviewers rejected in re/coarser-type.

    [days]
    # Before these, "on" is no place.
    friday
    monday

    [states: code, name]
    AK<tab>Alaska
    AL<tab>Alabama

Entries are unique and sorted by code points, unless an ``# order:`` line right below the section's
name gives a reason for another order. A section with columns is a table, with cells separated by
tabs; a cell may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from mt_gate.base.errors import MtGateError

DATA = Path(__file__).parent / "data"
SECTION = re.compile(r"\[([a-z][a-z0-9-]*)(?:: ([a-z]+(?:, [a-z]+)*))?\]")

Row = tuple[str, ...]


class LexiconSection(NamedTuple):
    """A list or a table; ``columns`` is empty for a list, whose rows have one cell."""

    columns: Row
    rows: tuple[Row, ...]


class Lexicons(NamedTuple):
    """The lexicons of several folders; a file is read from the first folder that has it."""

    folders: tuple[Path, ...]

    def word_set(self, lexicon: str, section: str) -> frozenset[str]:
        """Return the entries of a list."""
        return frozenset(self.ordered(lexicon, section))

    def ordered(self, lexicon: str, section: str) -> Row:
        """Return the entries of a list in the order of the file."""
        return tuple(entry for (entry,) in self._section(lexicon, section, columns=0).rows)

    def rows(self, lexicon: str, section: str, columns: int) -> tuple[Row, ...]:
        """Return the rows of a table, each with ``columns`` cells."""
        return self._section(lexicon, section, columns).rows

    def mapping(self, lexicon: str, section: str) -> Mapping[str, str]:
        """Return a table of two columns as a mapping; the cells of the first must be distinct."""
        table = self.rows(lexicon, section, 2)
        by_key = {row[0]: row[1] for row in table}
        if len(by_key) < len(table):
            raise _fault(self.folders[0] / lexicon, f"[{section}]: an entry with two answers")
        return MappingProxyType(by_key)

    def _section(self, lexicon: str, name: str, columns: int) -> LexiconSection:
        paths = [folder / f"{lexicon}.txt" for folder in self.folders]
        path = next((path for path in paths if path.is_file()), paths[0])
        section = read(path).get(name)
        if section is None or len(section.columns) != columns:
            shape = f"a table of {columns} columns" if columns else "a list"
            raise _fault(path, f"no section [{name}] that is {shape}")
        return section


@cache
def read(path: Path) -> Mapping[str, LexiconSection]:
    """Return the sections of a file, by name.

    The format is checked by a test (``tests/lexicons/test_data.py``), not here. Raises MtGateError:
    the file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise _fault(path, "cannot be read as UTF-8 text") from error
    columns: dict[str, Row] = {}
    rows: dict[str, list[Row]] = {}
    name = ""
    for line in lines:
        if match := SECTION.fullmatch(line):
            name = match[1]
            columns[name], rows[name] = tuple(match[2].split(", ")) if match[2] else (), []
        elif line and not line.startswith("# "):
            rows[name].append(tuple(line.split("\t")))
    return MappingProxyType(
        {name: LexiconSection(columns[name], tuple(rows[name])) for name in columns}
    )


def _fault(path: Path, what: str) -> MtGateError:
    return MtGateError(f"{path}: {what}. Fix the file, or install mt-gate again.")


_LEXICONS = Lexicons((DATA,))
word_set = _LEXICONS.word_set
ordered = _LEXICONS.ordered
rows = _LEXICONS.rows
mapping = _LEXICONS.mapping
