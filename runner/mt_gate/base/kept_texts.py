"""Texts by key: few in memory, many in a database of the process's own that has no name.

A run of a million groups has as many answers; who looks them up needs few of them at a time.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

FEW = 1 << 14
"""Texts that are held in memory."""
_AT_ONCE = 500
_MEMORY = 8 << 10
"""Of the database, in KiB."""
_SET_UP = f"""
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -{_MEMORY};
CREATE TABLE texts (place INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, text BLOB NOT NULL);
BEGIN;
"""
_NEW = "INSERT INTO texts (key, text) VALUES (?, ?) ON CONFLICT (key) DO "
_PUT = f"{_NEW}UPDATE SET text = excluded.text"
_PUT_NEW = f"{_NEW}NOTHING"


class KeptTexts(Mapping[bytes, bytes]):
    """Texts by key, in the order in which keys came first."""

    def __init__(self) -> None:
        """Start empty."""
        self._held: dict[bytes, bytes] = {}
        self._database: sqlite3.Connection | None = None

    def add(self, texts: Iterable[tuple[bytes, bytes]]) -> None:
        """Add texts, or put them in the place of those of the same keys.

        Raises:
            OSError: there is no room in the temporary folder.
        """
        if self._database is None:
            self._held.update(texts)
        self._keep(_PUT, texts)

    def add_new(self, texts: Iterable[tuple[bytes, bytes]]) -> None:
        """Add texts; of a key that has one that text stays.

        Raises:
            OSError: there is no room in the temporary folder.
        """
        if self._database is None:
            for key, text in texts:
                self._held.setdefault(key, text)
        self._keep(_PUT_NEW, texts)

    def _keep(self, statement: str, texts: Iterable[tuple[bytes, bytes]]) -> None:
        """Put texts into the database; into a new one where those held, and these, are many."""
        if self._database is None:
            if len(self._held) <= FEW:
                return
            self._database, texts, self._held = _new(), self._held.items(), {}
        with _as_os_error():
            self._database.executemany(statement, texts)

    def __getitem__(self, key: bytes) -> bytes:
        """Return the text of a key."""
        if self._database is None:
            return self._held[key]
        with _as_os_error():
            found = self._database.execute("SELECT text FROM texts WHERE key = ?", (key,))
            row = found.fetchone()
        if row is None:
            raise KeyError(key)
        text: bytes = row[0]
        return text

    def among(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the texts of those of the keys that have one."""
        if self._database is None:
            return {key: self._held[key] for key in keys if key in self._held}
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, text FROM texts WHERE key IN ({marks})"
            with _as_os_error():
                found.update(self._database.execute(query, some).fetchall())
        return found

    def __iter__(self) -> Iterator[bytes]:
        """Yield the keys."""
        return (key for key, _ in self.pairs())

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield keys and texts, without looking each up."""
        if self._database is None:
            yield from self._held.items()
            return
        with _as_os_error():
            yield from self._database.execute("SELECT key, text FROM texts ORDER BY place")

    def __len__(self) -> int:
        """Return how many texts there are."""
        if self._database is None:
            return len(self._held)
        with _as_os_error():
            # None is ever taken away, so that places are as many as texts.
            last = self._database.execute("SELECT max(place) FROM texts").fetchone()[0]
        return int(last)


def _new() -> sqlite3.Connection:
    # SQLite would choose another temporary folder than Python does, and tell none.
    handle, name = tempfile.mkstemp(prefix="mt-gate-")
    os.close(handle)
    try:
        with _as_os_error():
            # Threads may take turns with it: who asks need not be who read the suite.
            database = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
            database.executescript(_SET_UP)
            return database
    finally:
        os.unlink(name)  # it is open, and ends with the connection


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Tell what the database cannot do as what it is: the temporary folder is full, or gone."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.ProgrammingError):
            raise
        folder = tempfile.gettempdir()
        raise OSError(errno.ENOSPC, f"a temporary file: {error}", folder) from error
