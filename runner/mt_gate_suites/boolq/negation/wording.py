"""How a denial is asked: in the paper's words, or as people ask it.

``there is not such thing as a black card, is it right`` is the paper's tag, which
nobody writes. So about half of the questions, chosen by their words, have it and are the
stratum ``paper``; the others have one of the wordings below and are ``natural``. All
ask whether the denial is true, so that yes to them is no to the question.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from zlib import crc32

from mt_gate_suites.grammar.compose import compose
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.grammar.rewrite import Rewrite

PAPER = "paper"
NATURAL = "natural"
TAG = ", is it right"

_NONE = re.compile(
    r"^there (?:is|are|was|were) (?P<none>not such an?(?= thing)|not (?:any|an?)|not"
    r"(?! (?:\d|any|another|the|one|two|three|going|gonna|enough|much|this|that|[a-z]+ing)))\b"
)
"""A denial that people say with ``no``."""

_OF_RIGHT = re.compile(
    r"\b(?:(?:il)?legal|(?:un)?lawful|allowed|permitted|forbidden|against the law"
    r"|ok|okay|fine|wrong|you can|you cannot|you may)\b"
)
"""Denials after which ``is it right`` asks as well whether the act is."""


class Wording(NamedTuple):
    """What stands before and after a denial, and which stratum that is."""

    before: str
    after: str
    stratum: str


PAPER_WORDING = Wording("", TAG, PAPER)
NATURAL_WORDINGS = (
    Wording("is it true that ", "", NATURAL),
    Wording("", ", is that right", NATURAL),
    Wording("is it correct that ", "", NATURAL),
    Wording("", ", is that correct", NATURAL),
    Wording("is it the case that ", "", NATURAL),
    Wording("", ", is that true", NATURAL),
    Wording("am i right that ", "", NATURAL),
)


def wording_of(question: str, denial: str = "") -> Wording:
    """Return the wording of a question's denial; the same for the same words.

    A denial that people say with ``no`` has a natural one: ``there is not raw egg`` nobody says.
    So has one of what is allowed, of which ``is it right`` has two readings.
    """
    number = crc32(question.encode())
    if number % 2 and not _NONE.match(denial) and not _OF_RIGHT.search(denial):
        return PAPER_WORDING
    return NATURAL_WORDINGS[number // 2 % len(NATURAL_WORDINGS)]


def worded(denial: Rewrite, wording: Wording) -> Rewrite:
    """Return a denial asked in a wording."""
    if wording.stratum == NATURAL:
        denial = _as_people_say(denial)
    text = denial.text
    edits = [(0, 0, wording.before)] * bool(wording.before)
    edits += [(len(text), len(text), wording.after)] * bool(wording.after)
    return compose(denial, edited(text, edits))._replace(stratum=wording.stratum)


def _as_people_say(denial: Rewrite) -> Rewrite:
    """``there is not a difference`` -> ``there is no difference``."""
    found = _NONE.match(denial.text)
    if found is None:
        return denial
    none = "no such" if "such" in found["none"] else "no"
    return compose(denial, edited(denial.text, [(*found.span("none"), none)]))
