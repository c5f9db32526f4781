"""Whether a clause bears on the answer to a question: it shares content words with it.

A clause that says who directed a film tells nothing of whether it is a true story.
Words of the passage's title are what all of it is about, and count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spacy.lang.en.stop_words import STOP_WORDS
from spacy.tokens import Token

from mt_gate.language.forms import TAGS, lemmas
from mt_gate_suites.boolq.question import QuestionText

_WORD = re.compile(r"[^\W_]+")
_LEAST = 3
"""Letters of a content word; years and other numbers have digits."""


def bears_on(verb: Token, asked: QuestionText) -> bool:
    """Whether the clause of a verb shares a content word with a question.

    Args:
        verb: the head of the clause; clauses joined to it with ``and`` or ``while`` are others.
        asked: the question with its title.
    """
    wanted = _stems(_WORD.findall(asked.question.lower()))
    wanted -= _stems(_WORD.findall(asked.title.lower()))
    return not wanted.isdisjoint(_stems(token.lower_ for token in _clause(verb)))


def _clause(verb: Token) -> Iterator[Token]:
    yield verb
    for child in verb.children:
        if child.dep_ not in {"conj", "advcl", "ccomp", "parataxis"}:
            yield from child.subtree


def _stems(words: Iterable[str]) -> set[str]:
    """Return content words in all the lemmas that they may have."""
    found: set[str] = set()
    for word in words:
        if len(word) >= _LEAST and word not in STOP_WORDS:
            found.add(word)
            found.update(*(lemmas(word, pos) for pos in TAGS))
    return found
