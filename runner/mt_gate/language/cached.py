"""Cache of language tools on disk, so that an interrupted build continues.

The key has tool, version and input, so that no stale result is used.
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


_KINDS: dict[str, Any] = {
    "propose": list[str],
    "fill": list[Fill],
    "expected": list[str],
    "fit": list[Fill],
    "similarity": float,
    "naturalness": float,
}
"""What each method of the interfaces in ``language.tools`` returns for a question."""


class Cached:
    """A tool of ``language.tools`` whose answers are stored, with all that any of them can do."""

    def __init__(self, tool: Any, answers: CachedAnswers) -> None:
        """Ask ``tool`` what is not stored yet."""
        self._tool, self._answers, self.name = tool, answers, tool.name

    def __getattr__(self, method: str) -> Any:
        """Return a method of the tool that stores its answers, by the questions and ``top``."""
        if method not in _KINDS:
            raise AttributeError(method)

        def ask(questions: Sequence[Any], *top: int) -> list[Any]:
            named = " ".join(map(str, (method, *top, self.name)))
            of_tool = getattr(self._tool, method)
            return self._answers.answers(
                named, questions, _KINDS[method], lambda new: of_tool(new, *top)
            )

        return ask
