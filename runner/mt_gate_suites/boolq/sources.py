"""Read boolean questions: JSON lines with ``question``, ``passage`` and perhaps ``title``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.tasks.boolq import PASSAGE, QUESTION
from mt_gate_suites.boolq.question import QuestionText
from mt_gate_suites.sentences import rows_of

LONGEST_QUESTION, LONGEST_PASSAGE = 200, 5000
"""Maximum number of characters of a search query and of a paragraph; longer ones are omitted."""


class QuestionRow(msgspec.Struct, frozen=True):
    """A line of a file of questions; the right answer is known if ``answer`` is a boolean."""

    question: str
    passage: str
    title: str | None = None
    id: str | int | None = None
    answer: Any = None


class SourceQuestion(NamedTuple):
    """A question with a stable id and the corpus it came from."""

    id: str
    texts: QuestionText
    origin: str

    @property
    def input(self) -> dict[str, str]:
        """The input of task boolq."""
        return {QUESTION: self.texts.question, PASSAGE: self.texts.passage}


def read_boolq(path: Path, origin: str) -> Iterator[SourceQuestion]:
    """Yield a file's questions, each input once; omit texts that are too long or empty.

    The default id is the file's name and the line number, counted from 1: ``support-12``.

    Raises:
        ValueError: a line is not a JSON object with both texts.
    """
    seen: set[tuple[str, str]] = set()
    for number, row in rows_of(path, QuestionRow):
        question = re.sub(r"\s+", " ", row.question).strip().rstrip("?").rstrip()
        passage = row.passage.strip()
        if not (0 < len(question) <= LONGEST_QUESTION and 0 < len(passage) <= LONGEST_PASSAGE):
            continue
        if (question, passage) not in seen:
            seen.add((question, passage))
            yield SourceQuestion(
                question_id(path, number, row),
                QuestionText(question, passage, row.title or ""),
                origin,
            )


def question_id(path: Path, number: int, row: QuestionRow) -> str:
    """Return the id in a row, or an id of the file's name and the line number."""
    return str(row.id or f"{path.name.partition('.')[0]}-{number}")
