"""Predict each distinct input once, with a cache of earlier predictions."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.escaping import hide_bytes
from mt_gate.base.files import canonical
from mt_gate.results.result import Predictions, Timing
from mt_gate.running.operating import OperatedSystem, read
from mt_gate.sut.protocol import Noise, Packed, Prediction, System

T = TypeVar("T")


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield items in lists of ``size``; the last list may be shorter."""
    coming = iter(items)
    while some := list(islice(coming, size)):
        yield some


class Clock:
    """Adds up the seconds of each phase; an inner phase's time does not count for the outer one."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._seconds: dict[str, float] = {}
        self._start = self._now()
        self._inner = 0.0
        """Seconds of the phases inside the phase that is running."""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of the block to phase ``name``, without that of phases inside it."""
        start, around = self._now(), self._inner
        self._inner = 0.0
        try:
            yield
        finally:
            taken = self._now() - start
            self._seconds[name] = self._seconds.get(name, 0.0) + taken - self._inner
            self._inner = around + taken

    def timing(self) -> Timing:
        """Return the phases, rounded to milliseconds, with the time since the start."""
        phases = {name: round(seconds, 3) for name, seconds in self._seconds.items()}
        return Timing(**phases, total=round(self._now() - self._start, 3))


_SCHEMA = """
CREATE TABLE IF NOT EXISTS predictions (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_PATIENCE, _PAUSE = 10.0, 0.05
"""Seconds to wait for other processes, and seconds between two tries."""
_AT_ONCE = 500
_CHECKSUM = 16
_DECODER = msgspec.json.Decoder(Packed)


def default_folder() -> Path:
    """Return the user's cache folder for mt-gate. Raises UsageError: there is no home folder."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    except RuntimeError:  # HOME is not set, and the user is in no user database
        raise UsageError(
            "mt-gate cannot place its cache, because this user has no home folder. Pass a folder "
            "with --cache, or set HOME."
        ) from None
    return Path(base) / "mt-gate"


def input_key(text: bytes) -> bytes:
    """Return the key of an input, from its canonical JSON."""
    return hashlib.sha256(text).digest()[:16]


def unpacked(value: bytes) -> Prediction:
    """Return the prediction of a packed text. Raises msgspec.DecodeError: it is not one."""
    return Prediction.unpacked(_DECODER.decode(value))


class Cache:
    """Predictions of one system; every method is safe to call on a broken file."""

    def __init__(self, folder: Path, system: str) -> None:
        """Open a system's file; replace it if it is broken."""
        self._system = hashlib.sha256(system.encode()).digest()
        self.path = path = folder / "predictions" / f"{self._system.hex()[:32]}.sqlite"
        self._database: sqlite3.Connection | None = None  # stays None if there can be no file
        until = time.monotonic() + _PATIENCE
        while self._database is None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.ExitStack() as opened:
                    database = sqlite3.connect(path, timeout=_PATIENCE)
                    opened.callback(database.close)
                    database.execute("PRAGMA journal_mode=WAL")
                    database.execute("PRAGMA synchronous=NORMAL")
                    database.executescript(_SCHEMA)
                    opened.pop_all()
                self._database = database
            except sqlite3.DatabaseError as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if code in _BROKEN and not _move_away(path):
                    return
                # SQLite locks the file while creating it and ignores the timeout, so retry here.
                if code not in (*_BROKEN, *_BUSY) or time.monotonic() > until:
                    return
                time.sleep(_PAUSE)
            except OSError:
                return

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Prediction]:
        """Return the stored predictions for ``keys``."""
        known: dict[bytes, Prediction] = {}
        with self._forgiving() as database:
            for batch in chunks(keys, _AT_ONCE):
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, value FROM predictions WHERE key IN ({marks})"
                for key, value in database.execute(query, batch):
                    packed = value[_CHECKSUM:]
                    if self._sealed(key, packed) == value:
                        known[key] = unpacked(packed)
        return known

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Store predictions on disk, except those with a secret: caches may be uploaded."""
        texts = ((key, msgspec.json.encode(prediction)) for key, prediction in items)
        rows = [(key, self._sealed(key, text)) for key, text in texts if hide_bytes(text) == text]
        with self._forgiving() as database, database:
            database.executemany("INSERT OR REPLACE INTO predictions VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        if self._database:
            self._database.close()
            self._database = None

    def _sealed(self, key: bytes, packed: bytes) -> bytes:
        parts = self._system, hashlib.sha256(key).digest(), packed
        return hashlib.sha256(b"".join(parts)).digest()[:_CHECKSUM] + packed

    @contextmanager
    def _forgiving(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._database or sqlite3.connect(":memory:")
        except (sqlite3.Error, msgspec.DecodeError, ValueError, TypeError):
            self.close()


def _move_away(path: Path) -> bool:
    with contextlib.suppress(OSError):
        path.replace(path.with_suffix(".broken"))
        for ending in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + ending).replace(path.with_suffix(f".broken{ending}"))
        return True
    return False


MOST_BYTES = 1 << 30
"""Maximum bytes of a run's predictions as text: about 1,000 per case of the largest suite."""
MOST_MARGIN = 1e9
"""Largest difference of two scores; stored rows have the same bound."""
KEEP_EVERY = 2.0
"""Seconds between two writes to the cache; a killed run loses at most these predictions."""
_NOISE_POOL = 256
"""Inputs among which a system chooses to measure noise."""
MOST_MEASURED = 64
"""Maximum inputs that an endpoint gets twice, to measure flips."""
_TOGETHER = 1 << 11
"""Predictions per read from the cache, or per write to it."""

Progress = Callable[[int, int], None]
Phase = Callable[[str], AbstractContextManager[None]]


class Predictor:
    """Predicts inputs through the cache, and counts them.

    Predictions are in memory as JSON text, like in the cache, because as objects they would take
    five times the memory.
    """

    def __init__(
        self,
        system: System,
        cache: Cache,
        progress: Progress,
        phase: Phase = lambda _: nullcontext(),
    ) -> None:
        self._phase = phase
        self.system = system
        self._point = system.point if isinstance(system, OperatedSystem) else None
        self._unread = system.system if isinstance(system, OperatedSystem) else system
        self._cache = cache
        self._progress = progress
        self._texts: dict[bytes, bytes] = {}
        self._size = self._cached = 0
        self.requested = 0
        """Number of inputs whose predictions were needed; repeated inputs count again."""

    @property
    def counts(self) -> Predictions:
        """Numbers of inputs: requested, distinct, and distinct ones that were in the cache."""
        return Predictions(
            requested=self.requested,
            unique=len(self._texts),
            cached=self._cached,
            **{
                name: value
                for name in ("sent", "cost", "unread_reply")
                if (value := getattr(self._unread, name, None))
            },
        )

    @property
    def answers(self) -> dict[bytes, Prediction]:
        """The predictions of all distinct inputs so far, by the input's key."""
        return {key: unpacked(text) for key, text in self._texts.items()}

    def outputs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the outputs of all distinct inputs so far that have a prediction."""
        predictions = map(unpacked, self._texts.values())
        return (prediction.output for prediction in predictions if prediction.output is not None)

    def predict(self, inputs: Sequence[Mapping[str, Any]]) -> list[Prediction]:
        """Return the predictions of ``inputs``, in their order."""
        self.requested += len(inputs)
        return [unpacked(self._texts[key]) for key in self.learn(inputs)]

    def answer(self, value: Mapping[str, Any]) -> Prediction:
        """Return the prediction of an input passed to ``learn`` before; do not count it again."""
        return unpacked(self._texts[input_key(canonical(value))])

    def learn(self, inputs: Sequence[Mapping[str, Any]]) -> list[bytes]:
        """Predict inputs for later calls, and return their keys; do not count them yet."""
        with self._phase("predict"):
            keys = [input_key(canonical(item)) for item in inputs]
            new = {k: item for k, item in zip(keys, inputs, strict=True) if k not in self._texts}
            for batch in chunks(list(new), _TOGETHER):
                known = self._cache.get(batch)
                self._cached += len(known)
                for key, prediction in known.items():
                    self._add(key, prediction)
                    del new[key]
            if new:
                self._ask(list(new), list(new.values()))
        return keys

    def _ask(self, keys: Sequence[bytes], inputs: Sequence[Mapping[str, Any]]) -> None:
        waiting: list[tuple[bytes, Prediction]] = []
        done, written = 0, time.monotonic()
        try:
            for batch in self._unread.predict(inputs):
                for index, prediction in batch:
                    self._add(keys[index], prediction)
                    waiting.append((keys[index], prediction))
                done += len(batch)
                self._progress(done, len(keys))
                if len(waiting) >= _TOGETHER or time.monotonic() - written > KEEP_EVERY:
                    some, waiting, written = waiting, [], time.monotonic()
                    self._cache.put(some)
        finally:
            if waiting:
                self._cache.put(waiting)

    def _add(self, key: bytes, prediction: Prediction) -> None:
        """Apply the operating point and add the prediction; the cache has it unchanged."""
        if not (prediction.margin <= MOST_MARGIN or math.isinf(prediction.margin)):
            raise CannotJudge(
                f"{self.system.head.name}: two scores of an input differ by "
                f"{prediction.margin:.3g} (limit {MOST_MARGIN:.0e}). Check the weights, or export "
                "the checkpoint again."
            )
        text = msgspec.json.encode(
            prediction if self._point is None else read(prediction, self._point)
        )
        self._texts[key] = text
        self._size += len(text)
        if self._size > MOST_BYTES:
            raise CannotJudge(
                f"The first {len(self._texts):,} predictions take more than {MOST_BYTES:,} "
                "bytes. Expected a few hundred bytes each. Return less, for example only the "
                "scores of the predicted labels."
            )

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how much scores of an unchanged input differ; measured once per system.

        The system measures on some of ``inputs``. Raises CannotJudge: scores differ too much.
        """
        if not inputs:
            return {}
        inputs = inputs[:: math.ceil(len(inputs) / _NOISE_POOL)]
        key = input_key(b"noise of " + canonical(inputs))  # no input's JSON begins like this
        if (known := self._cache.get([key]).get(key)) and known.output is not None:
            return known.output
        if (measure := getattr(self._unread, "measure_flips", None)) is not None:
            noise: Noise = measure(*self._two_rounds(inputs))
        else:
            with self._phase("predict"):
                noise = self.system.noise(inputs)
        self._cache.put([(key, Prediction(noise))])
        return noise

    def _two_rounds(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> tuple[list[Prediction], list[Prediction]]:
        """Predict at most ``MOST_MEASURED`` inputs twice; use what a stopped run has cached."""
        number = min(len(inputs), MOST_MEASURED)
        some = [inputs[at * len(inputs) // number] for at in range(number)]
        first = [unpacked(self._texts[key]) for key in self.learn(some)]
        keys = [input_key(b"again " + canonical(item)) for item in some]
        second = self._cache.get(keys)
        left = {key: item for key, item in zip(keys, some, strict=True) if key not in second}
        with self._phase("predict"):
            for batch in self._unread.predict([*left.values()]) if left else ():
                new = {[*left][index]: prediction for index, prediction in batch}
                self._cache.put(new.items())
                second |= new
                self._progress(len(second), number)
        point = self._point
        return first, [second[key] if point is None else read(second[key], point) for key in keys]
