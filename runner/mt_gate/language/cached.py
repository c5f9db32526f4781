"""Answers of language tools, stored on disk: a build that was killed goes on where it was.

Keyed by tool, version and question, so that nothing stale is ever taken.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import canonical
from mt_gate.language.tools import Fill, Fillers, Fit, Naturalness, Similarity, Slot

Question = TypeVar("Question")
Answer = TypeVar("Answer")

METHOD = 2
"""Raise this when a tool returns other results, so that old ones are not used."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"


class CachedAnswers:
    """An SQLite file of answers; what was computed before is read from it."""

    def __init__(self, path: Path) -> None:
        """Open, or make, the file. Raises CannotJudge: it cannot be used."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=30)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise CannotJudge(
                f"{path} cannot store predictions ({error}). Choose another folder with --cache."
            ) from None

    def answers(
        self,
        tool: str,
        questions: Sequence[Question],
        kind: type[Answer],
        ask: Callable[[list[Question]], Sequence[Answer]],
    ) -> list[Answer]:
        """Return an answer a question; ``ask`` gets those not yet answered."""
        keys = [hashlib.sha256(canonical([METHOD, tool, q])).digest() for q in questions]
        known: dict[bytes, Answer] = {}
        for key in dict.fromkeys(keys):
            row = self._database.execute("SELECT value FROM answers WHERE key = ?", (key,))
            stored = row.fetchone()
            if stored:
                known[key] = msgspec.json.decode(stored[0], type=kind)
        new = {key: q for key, q in zip(keys, questions, strict=True) if key not in known}
        if new:
            fresh = dict(zip(new, ask(list(new.values())), strict=True))
            known.update(fresh)
            rows = [(key, msgspec.json.encode(answer)) for key, answer in fresh.items()]
            with self._database:
                self._database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
        return [known[key] for key in keys]


class CachedFillers:
    """A proposer of words whose answers are stored."""

    def __init__(self, fillers: Fillers, answers: CachedAnswers) -> None:
        """Ask ``fillers`` what is not stored yet."""
        self._fillers, self._answers, self.name = fillers, answers, fillers.name

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[str]]:
        """Return for each slot up to ``top`` words to look at."""
        return self._answers.answers(
            f"propose {top} {self.name}",
            slots,
            list[str],
            lambda new: self._fillers.propose(new, top),
        )

    def fill(self, slots: Sequence[Slot], top: int) -> list[list[Fill]]:
        """Return for each slot up to ``top`` candidates, best first."""
        return self._answers.answers(
            f"fill {top} {self.name}", slots, list[Fill], lambda new: self._fillers.fill(new, top)
        )


class CachedFit:
    """A judge of fit whose answers are stored."""

    def __init__(self, fit: Fit, answers: CachedAnswers) -> None:
        """Ask ``fit`` what is not stored yet."""
        self._fit, self._answers, self.name = fit, answers, fit.name

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        """Return for each slot the fillers that look best at a glance, best first."""
        return self._answers.answers(
            f"expected {top} {self.name}",
            slots,
            list[str],
            lambda new: self._fit.expected(new, top),
        )

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        """Return for each slot its best fillers, best first."""
        return self._answers.answers(
            f"fit {top} {self.name}", slots, list[Fill], lambda new: self._fit.fit(new, top)
        )


class CachedSimilarity:
    """A judge of likeness whose answers are stored."""

    def __init__(self, similarity: Similarity, answers: CachedAnswers) -> None:
        """Ask ``similarity`` what is not stored yet."""
        self._similarity, self._answers, self.name = similarity, answers, similarity.name

    def similarity(self, pairs: Sequence[tuple[Slot, Slot]]) -> list[float]:
        """Return the cosine of each pair, in [-1, 1]."""
        return self._answers.answers(
            f"similarity {self.name}", pairs, float, self._similarity.similarity
        )


class CachedNaturalness:
    """A judge of naturalness whose answers are stored."""

    def __init__(self, naturalness: Naturalness, answers: CachedAnswers) -> None:
        """Ask ``naturalness`` what is not stored yet."""
        self._naturalness, self._answers, self.name = naturalness, answers, naturalness.name

    def naturalness(self, texts: Sequence[str]) -> list[float]:
        """Return the naturalness of each sentence, in [0, 1]."""
        return self._answers.answers(
            f"naturalness {self.name}", texts, float, self._naturalness.naturalness
        )
