"""Predictions kept from run to run, one SQLite file a system under test.

SQLite because a killed run must leave a file that the next run can use, and
because two runs may share it. A file that cannot be used is set aside, never
trusted and never in the way: a cache is only ever a saving. Each row has a
checksum, so that one that a disk or a hand has changed, or that another version
of this file wrote, is asked again and replaced.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base.errors import UsageError
from mt_gate.base.redaction import hide_bytes
from mt_gate.sut.protocol import Prediction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS predictions (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_PATIENCE, _PAUSE = 10.0, 0.05
"""Seconds to wait for other processes, and between two tries."""
_AT_ONCE = 500
_CHECKSUM = 16


def default_folder() -> Path:
    """Return the user's cache folder for mt-gate.

    Raises:
        UsageError: the user has no home folder, and names no other.
    """
    try:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    except RuntimeError:  # no HOME, and a user that no list of users has
        raise UsageError(
            "the cache: this user has no home folder; name a folder with --cache, or set HOME"
        ) from None
    return Path(base) / "mt-gate"


def input_key(text: bytes) -> bytes:
    """Return the key of an input, from its canonical JSON."""
    return hashlib.sha256(text).digest()[:16]


class Cache:
    """Predictions of one system; every method is safe to call on a broken file."""

    def __init__(self, folder: Path, system: str) -> None:
        """Open, or make, the file for the system that ``system`` describes."""
        self._system = hashlib.sha256(system.encode()).digest()
        self.path = folder / "predictions" / f"{self._system.hex()[:32]}.sqlite"
        self._database = _open(self.path)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Prediction]:
        """Return what is known of ``keys``."""
        known: dict[bytes, Prediction] = {}
        with self._forgiving() as database:
            for start in range(0, len(keys) if database else 0, _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM predictions WHERE key IN ({marks})"
                for key, value in database.execute(query, some):
                    if (packed := self._believed(key, value)) is not None:
                        known[key] = unpacked(packed)
        return known

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Keep predictions; they are on disk when this returns.

        One with the value of a secret is not kept: a cache may be uploaded.
        """
        texts = ((key, packed_text(prediction)) for key, prediction in items)
        rows = [(key, self._sealed(key, text)) for key, text in texts if hide_bytes(text) == text]
        with self._forgiving() as database, database:
            database.executemany("INSERT OR REPLACE INTO predictions VALUES (?, ?)", rows)

    def fact(self, name: str) -> Mapping[str, float] | None:
        """Return numbers kept about the system."""
        with self._forgiving() as database:
            row = database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
            packed = self._believed(name.encode(), row[0]) if row else None
            return None if packed is None else _NUMBERS.decode(packed)
        return None

    def keep_fact(self, name: str, value: Mapping[str, float]) -> None:
        """Keep numbers about the system."""
        with self._forgiving() as database, database:
            sealed = self._sealed(name.encode(), msgspec.json.encode(value))
            database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, sealed))

    def close(self) -> None:
        """Close the file."""
        if self._database:
            self._database.close()
            self._database = None

    def _sealed(self, key: bytes, packed: bytes) -> bytes:
        """Return what is kept under a key, its checksum before it: of system, key and value."""
        parts = self._system, hashlib.sha256(key).digest(), packed
        return hashlib.sha256(b"".join(parts)).digest()[:_CHECKSUM] + packed

    def _believed(self, key: bytes, value: object) -> bytes | None:
        """Return the value without its checksum; None where that does not fit."""
        if not isinstance(value, bytes):
            return None
        packed = value[_CHECKSUM:]
        return packed if self._sealed(key, packed) == value else None

    @contextlib.contextmanager
    def _forgiving(self) -> Iterator[sqlite3.Connection]:
        """Go on without a cache where the file fails."""
        try:
            yield self._database or sqlite3.connect(":memory:")
        except (sqlite3.Error, msgspec.DecodeError, ValueError, TypeError):
            self.close()


def _open(path: Path) -> sqlite3.Connection | None:
    """Open the file, a new one in the place of a broken one; None where there can be none."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return _opened(path)
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _BROKEN and not _set_aside(path):
                return None
            # One who makes the file keeps others from it, whatever patience they ask SQLite for.
            if code not in (*_BROKEN, *_BUSY) or time.monotonic() > until:
                return None
            time.sleep(_PAUSE)
        except OSError:
            return None


def _opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_PATIENCE)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.executescript(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database


def _set_aside(path: Path) -> bool:
    """Put a broken file aside, with what SQLite keeps beside it; say whether that worked."""
    aside = path.with_suffix(".broken")
    with contextlib.suppress(OSError):
        path.replace(aside)
        for beside in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + beside).replace(aside.with_name(aside.name + beside))
        return True
    return False


def packed_text(prediction: Prediction) -> bytes:
    """Return an answer as the JSON text that it is kept as."""
    margin = None if prediction.margin == float("inf") else prediction.margin
    return msgspec.json.encode([prediction.output, margin, prediction.reason])


_NUMBERS = msgspec.json.Decoder(dict[str, float])
_DECODER = msgspec.json.Decoder(tuple[Mapping[str, Any] | None, float | None, str])


def unpacked(value: bytes) -> Prediction:
    """Return the answer of a text that ``packed_text`` made.

    Raises:
        msgspec.DecodeError: it did not.
    """
    output, margin, reason = _DECODER.decode(value)
    return Prediction(output, float("inf") if margin is None else margin, reason)
