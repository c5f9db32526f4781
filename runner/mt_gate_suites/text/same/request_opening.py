"""Paraphrases the opening words of a request or question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import rows, word_set
from mt_gate_suites.text.protected import MAX_TEXT
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

_ROWS = rows("text/openings", "asking", 3)
_NO_VERB = word_set("text/openings", "no-verb")
_NEXT: Mapping[str, frozenset[str]] = {
    "clause": word_set("text/openings", "clause"),
    "matter": word_set("text/openings", "matter"),
    "order": word_set("text/frames", "orders"),
    "subject": word_set("text/openings", "subject"),
}
_QUESTION = re.compile(r"(?:am|are|can|could|do|how|is|may|what|where|will|would|why)\b")
_WORD = re.compile(r"\s([\w']+)")
MOST = 2
"""Maximum number of edited texts of one text."""


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with other openings, at most ``MOST``."""
    small = text.lower().replace("’", "'")
    if not text or len(text) > MAX_TEXT or "yourself" in small or text[:8].isupper():
        return []
    fitting = [
        (old, new)
        for old, new, after in _ROWS
        if _fits(small, old, after)
        and (_asks(old) == _asks(new) or ("?" not in text and text[-1].isalnum()))
    ]
    longest = max((len(old) for old, _ in fitting), default=0)
    longest_matches = [(old, new) for old, new in fitting if len(old) == longest]
    return [
        edited(text, [(0, len(old), _like(text, new))])
        for old, new in rng.sample(longest_matches, min(MOST, len(longest_matches)))
    ]


def _fits(text: str, old: str, after: str) -> bool:
    following = _WORD.match(text[len(old) :]) if text.startswith(old) else None
    if following is None:
        return False
    return following[1] in _NEXT[after] if after in _NEXT else following[1] not in _NO_VERB


def _asks(opening: str) -> bool:
    return _QUESTION.match(opening) is not None


def _like(text: str, new: str) -> str:
    if text[0].islower():
        return new
    return re.sub(r"\bi\b", "I", new[0].upper() + new[1:])


RELATION = TextRelation(
    name="request-opening",
    title="Request paraphrase",
    description=(
        "Paraphrases the opening words of a request or question. The prediction must not change."
    ),
    paper="Ribeiro et al., ACL 2020 (CheckList), paraphrases of questions",
    before="How do I close my account?",
    after="How can I close my account?",
    transformation=OfText(transform),
)
