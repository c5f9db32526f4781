"""Predicting each distinct input once, with the cache of what was predicted before."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from math import isinf
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import canonical
from mt_gate.base.redaction import hide_bytes
from mt_gate.results.result import Predictions
from mt_gate.running.operating import OperatedSystem, read
from mt_gate.sut.protocol import Noise, Prediction, System

T = TypeVar("T")


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield items in lists of ``size``, the last one shorter."""
    coming = iter(items)
    while some := list(islice(coming, size)):
        yield some


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

    Raises UsageError: the user has no home folder, and names no other.
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
        parts = self._system, hashlib.sha256(key).digest(), packed
        return hashlib.sha256(b"".join(parts)).digest()[:_CHECKSUM] + packed

    def _believed(self, key: bytes, value: object) -> bytes | None:
        if not isinstance(value, bytes):
            return None
        packed = value[_CHECKSUM:]
        return packed if self._sealed(key, packed) == value else None

    @contextlib.contextmanager
    def _forgiving(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._database or sqlite3.connect(":memory:")
        except (sqlite3.Error, msgspec.DecodeError, ValueError, TypeError):
            self.close()


def _open(path: Path) -> sqlite3.Connection | None:
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

    Raises msgspec.DecodeError: it did not.
    """
    output, margin, reason = _DECODER.decode(value)
    return Prediction(output, float("inf") if margin is None else margin, reason)


MOST_BYTES = 1 << 30
"""Of all answers of a run, as text: about a thousand for each group of the largest suite."""
MOST_MARGIN = 1e9
"""Largest difference of two scores, as a stored row bounds it."""
KEEP_EVERY = 2.0
"""Seconds between two writes to the cache: what a killed run may lose."""

_TOGETHER = 1 << 11
"""Answers that are read from the cache, or kept there, at once: as objects they take most of what
a run holds."""

Progress = Callable[[int, int], None]
Phase = Callable[[str], AbstractContextManager[None]]


def _untimed(_: str) -> AbstractContextManager[None]:
    return nullcontext()


class Answers(Mapping[bytes, Prediction]):
    """Answers by the key of their input, each as the text that the cache keeps.

    As objects they would take five times the memory.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._texts: dict[bytes, bytes] = {}
        self._size = 0

    def add(self, answers: Iterable[tuple[bytes, Prediction]]) -> None:
        """Add answers, or put them in the place of those to the same inputs.

        Raises CannotJudge: together they are more than ``MOST_BYTES``.
        """
        for key, prediction in answers:
            text = packed_text(prediction)
            self._texts[key] = text
            self._size += len(text)
        if self._size > MOST_BYTES:
            raise CannotJudge(
                f"answers: the first {len(self._texts):,} take more than {MOST_BYTES:,} bytes; "
                "expected a few hundred each; have the system answer less (of many labels, those "
                "that it decides for)"
            )

    def __getitem__(self, key: bytes) -> Prediction:
        """Return the answer to an input."""
        return unpacked(self._texts[key])

    def __contains__(self, key: object) -> bool:
        """Say whether an input is answered."""
        return key in self._texts

    def __iter__(self) -> Iterator[bytes]:
        """Yield the keys, in the order in which their inputs were answered first."""
        return iter(self._texts)

    def __len__(self) -> int:
        """Return how many inputs are answered."""
        return len(self._texts)


class Predictor:
    """Answers inputs through the cache and counts what it was asked."""

    def __init__(
        self, system: System, cache: Cache, progress: Progress, phase: Phase = _untimed
    ) -> None:
        """Ask ``system``; ``progress`` is told inputs done and inputs to do of a round."""
        self._phase = phase
        self.system = system
        self._point = system.point if isinstance(system, OperatedSystem) else None
        self._asked = system.system if isinstance(system, OperatedSystem) else system
        self._cache = cache
        self._progress = progress
        self._known = Answers()
        self._requested = self._cached = 0

    @property
    def counts(self) -> Predictions:
        """Inputs asked for, distinct ones, and how many of these the cache knew."""
        return Predictions(requested=self._requested, unique=len(self._known), cached=self._cached)

    @property
    def answers(self) -> Answers:
        """The answers to all distinct inputs so far, by the input's key."""
        return self._known

    def outputs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the outputs to all distinct inputs so far that the system answered."""
        return (p.output for p in self._known.values() if p.output is not None)

    def predict(self, inputs: Sequence[Mapping[str, Any]]) -> list[Prediction]:
        """Answer ``inputs``, in their order."""
        with self._phase("predict"):
            self._requested += len(inputs)
            return [self._known[key] for key in self._answered(inputs)]

    def count(self, asked: int) -> None:
        """Count inputs that were learnt, and whose answers are looked up one by one."""
        self._requested += asked

    def answer(self, value: Mapping[str, Any]) -> Prediction:
        """Return the answer to an input that was learnt; it is not counted again."""
        return self._known[input_key(canonical(value))]

    def learn(self, inputs: Sequence[Mapping[str, Any]]) -> None:
        """Ask inputs whose answers ``predict`` will be asked for later; none is counted yet."""
        with self._phase("predict"):
            self._answered(inputs)

    def _answered(self, inputs: Sequence[Mapping[str, Any]]) -> list[bytes]:
        keys = [input_key(canonical(item)) for item in inputs]
        new = {k: item for k, item in zip(keys, inputs, strict=True) if k not in self._known}
        for some in chunks(list(new), _TOGETHER):
            known = self._cache.get(some)
            self._check_margins(known.values())
            self._cached += len(known)
            self._learn(known.items())
            for key in known:
                del new[key]
        self._ask(new)
        return keys

    def _ask(self, wanted: Mapping[bytes, Mapping[str, Any]]) -> None:
        keys = list(wanted)
        waiting: list[tuple[bytes, Prediction]] = []
        done, kept = 0, time.monotonic()
        try:
            for batch in self._asked.predict(list(wanted.values())) if keys else ():
                self._check_margins(prediction for _, prediction in batch)
                waiting += [(keys[index], prediction) for index, prediction in batch]
                done += len(batch)
                self._progress(done, len(keys))
                if len(waiting) >= _TOGETHER or time.monotonic() - kept > KEEP_EVERY:
                    self._keep(waiting)
                    waiting, kept = [], time.monotonic()
        finally:
            self._keep(waiting)

    def _check_margins(self, predictions: Iterable[Prediction]) -> None:
        for prediction in predictions:
            if not (prediction.margin <= MOST_MARGIN or isinf(prediction.margin)):
                raise CannotJudge(
                    f"{self.system.head.name}: two scores of an input differ by "
                    f"{prediction.margin:.3g}; expected at most {MOST_MARGIN:.0e}; check the "
                    "weights, or export the checkpoint again"
                )

    def _keep(self, answers: Sequence[tuple[bytes, Prediction]]) -> None:
        if answers:
            self._cache.put(answers)
            self._learn(answers)

    def _learn(self, answers: Iterable[tuple[bytes, Prediction]]) -> None:
        point = self._point
        self._known.add(
            answers if point is None else ((key, read(found, point)) for key, found in answers)
        )

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how far a score may move where no input has changed; asked once a system.

        Raises CannotJudge: too far, see ``sut.noise``.
        """
        name = f"noise of scores by what moves it {input_key(canonical(inputs)).hex()}"
        known = self._cache.fact(name)
        if known is None:
            with self._phase("predict"):
                known = self.system.noise(inputs)
            self._cache.keep_fact(name, known)
        return known
