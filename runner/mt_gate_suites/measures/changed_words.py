"""An edit as the words that it removes and the words that it adds.

Diversity of relations, discrimination of edits, and caps count edits in this form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mt_gate.tasks.spec import Input, TaskSpec

# A possessive ending is a separate word, because it stays if the name before it is replaced.
WORD = re.compile(r"\w+(?:-\w+|['\u2019](?!s\b)\w+)*|['\u2019]s\b")
_ARTICLES = frozenset({"a", "an"})
REARRANGED = "(words moved)"
"""Name of an edit that removes and adds no word."""


class Edit(NamedTuple):
    """Words that an edit removes and words that it inserts, in lower case and in text order."""

    taken_out: str
    put_in: str

    @property
    def is_rearrangement(self) -> bool:
        """Whether both texts have the same words, in another order or with other marks."""
        return not self.taken_out and not self.put_in

    @property
    def name(self) -> str:
        """The edit in one line: ``film -> movie``."""
        if self.is_rearrangement:
            return REARRANGED
        return f"{self.taken_out} -> {self.put_in}".strip()


def edit_of(task: TaskSpec, source: Input, follow_up: Input) -> Edit:
    """Return the words that an edit removes from the original and inserts in the edited text.

    Only the counts of words matter, so words that only move are not part of the edit. If no word
    changes, the marked words are compared instead; if these are equal, the types of marks.
    """
    words = _differing(words_of(task.text(source)), words_of(task.text(follow_up)))
    if not words.is_rearrangement:
        return words
    before, after = task.marked_words(source), task.marked_words(follow_up)
    marked = _differing(_texts(before), _texts(after))
    return _differing(_kinds(before), _kinds(after)) if marked.is_rearrangement else marked


def newly_marked(task: TaskSpec, source: Input, follow_up: Input) -> str:
    """Return the words that only the edited text marks, or that it marks with another type."""
    before = set(task.marked_words(source))
    after = task.marked_words(follow_up)
    return " ".join(text for text, kind in after if (text, kind) not in before)


def _texts(marks: Sequence[tuple[str, str]]) -> list[str]:
    return [text.casefold() for text, _ in marks]


def _kinds(marks: Sequence[tuple[str, str]]) -> list[str]:
    return [f"type {kind or 'unknown'}" for _, kind in marks]


def words_of(text: str) -> list[str]:
    """Return a text's words in lower case, without punctuation."""
    return WORD.findall(text.casefold())


def _differing(before: Iterable[str], after: Iterable[str]) -> Edit:
    """Return the words that only one of two texts has; ignore a or an if other words differ."""
    old, new = Counter(before), Counter(after)
    out, put_in = old - new, new - old
    if _ARTICLES.intersection(out) and _ARTICLES.intersection(put_in):
        others = [Counter(w for w in one.elements() if w not in _ARTICLES) for one in (out, put_in)]
        if any(others):
            out, put_in = others
    return Edit(" ".join(out.elements()), " ".join(put_in.elements()))
