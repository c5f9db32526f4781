"""Cache of language tools on disk, so that an interrupted build continues.

The cache key includes tool, version and input, so that no stale result is used.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import canonical
from mt_gate.language.tools import Fill

Question = TypeVar("Question")
Answer = TypeVar("Answer")

METHOD = 2
"""Version of all tools' methods. Raise it when results change, so that old ones are not used."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"


class CachedAnswers:
    """An SQLite file with the results of earlier calls."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises CannotJudge: it cannot be used."""
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
        """Return one answer per question; ``ask`` is called with those that are not stored."""
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


_KINDS: dict[str, Any] = {
    "propose": list[str],
    "fill": list[Fill],
    "expected": list[str],
    "fit": list[Fill],
    "similarity": float,
    "naturalness": float,
}
"""Type of one result, by method of the interfaces in ``language.tools``."""


class Cached:
    """A wrapper that stores the results of a tool of ``language.tools``, with the same methods."""

    def __init__(self, tool: Any, answers: CachedAnswers) -> None:
        """Wrap ``tool``, which is called only for results that are not stored."""
        self._tool, self._answers, self.name = tool, answers, tool.name

    def __getattr__(self, method: str) -> Any:
        """Return a method of the tool that stores its results by input and ``top``."""
        if method not in _KINDS:
            raise AttributeError(method)

        def ask(questions: Sequence[Any], *top: int) -> list[Any]:
            named = " ".join(map(str, (method, *top, self.name)))
            of_tool = getattr(self._tool, method)
            return self._answers.answers(
                named, questions, _KINDS[method], lambda new: of_tool(new, *top)
            )

        return ask
