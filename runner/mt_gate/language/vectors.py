"""Word vectors in GloVe's text format: one word and its numbers per line, most frequent first."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import sha256_file

NEAREST = 30
"""Number of neighbours that are proposed for a word."""


class WordVectors:
    """Nearest neighbours among the most frequent words of a vector file."""

    def __init__(self, path: Path, words: int = 60_000) -> None:
        """Read the first ``words`` lines, because rare words are bad replacements.

        Raises CannotJudge: the file is missing, or not in this format.
        """
        self._words, self._vectors = _read(path, words)
        self._index = {word: at for at, word in enumerate(self._words)}
        self.name = f"vectors {path.name} sha256 {sha256_file(path)[:12]}"

    def related(self, word: str) -> list[str]:
        """Return the nearest neighbours of a form, nearest first, in lower case."""
        at = self._index.get(word.lower())
        if at is None:
            return []
        likeness = np.round(self._vectors @ self._vectors[at], 5)
        likeness[at] = -1
        nearest = np.argsort(-likeness, kind="stable")[:NEAREST]
        return [self._words[index] for index in nearest]


def _read(path: Path, limit: int) -> tuple[list[str], np.ndarray[Any, Any]]:
    words: list[str] = []
    rows: list[np.ndarray[Any, Any]] = []
    try:
        with files.opened(path, cause="Check --vectors.") as file:
            lines = io.TextIOWrapper(file, encoding="utf-8")
            for line, _ in zip(lines, range(limit), strict=False):
                word, *numbers = line.rstrip().split(" ")
                words.append(word)
                rows.append(np.array(numbers, dtype=np.float32))
        table = np.stack(rows)
    except (OSError, ValueError):
        raise CannotJudge(
            f"{path} has no word vectors. Expected GloVe's format, a word and its numbers per line."
        ) from None
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return words, table / np.maximum(lengths, 1e-9)
