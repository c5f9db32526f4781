"""Whether the passage says that an instalment is to come, or that it was never made.

``will there be a season 8`` and ``has there been a season 8`` rule each other out
only while season 8 is to come. Where the passage tells that it has begun, people
answer yes to both, whatever the grammar says; where it tells nothing, no answer
follows from it. So a sentence must say it.
"""

from __future__ import annotations

import re
from enum import Enum

from mt_gate_suites.boolq.tense.instalments import (
    CARDINAL,
    SEASON,
    Instalment,
    later_season,
    named,
    number_of,
)

_OUT = re.compile(
    r"\b(?:premiered|aired|debuted|(?:began|started|is|currently|finished|been) "
    r"(?:airing|broadcasting|streaming|shown|released)|concluded|ended|finished|screened|ran"
    r"|returned|grossed|opened|commenced|made available|(?:began|started|launched) (?:on|in)"
    r"|(?:was|were) (?!never|not)(?:\w+ )?"
    r"(?:released|broadcast|shown|published|launched|aired|made)"
    r"|followed by|consists? of|consisted|features?|is an? (?:19|20)\d\d|revived|continued)\b"
)
_NOT_MADE = re.compile(
    r"\b(?:cancel\w*|cancellation|scrapped|shelved|axed|no|never|not|without|unlikely|declined)\b"
    r"|n't\b"
)
_SAVED = re.compile(r"\b(?:picked (?:it )?up|saved|revived|but (?:was|later|it))\b")
_AHEAD = re.compile(
    r"\b(?:will|upcoming|(?:is|are|was|were) (?:currently )?(?:set (?:to|for)|scheduled|expected"
    r"|slated|due|planned)"
    r"|to (?:premiere|air|debut|be (?:released|aired|broadcast))|scheduled (?:for|to)"
    r"|expected (?:to|in)|slated (?:for|to)|in (?:pre-?production|production|development)"
    r"|(?:has|have) been (?:\w+ )?(?:renewed|ordered|confirmed|announced|commissioned|greenlit)"
    r"|2018|2019)\b"
)
_OVER = re.compile(
    r"\b(?:cancel\w*|axed|cancellation|series finale|last episode|concluded|not (?:be )?renew\w*"
    r"|(?:final|last) (?:season|series)|(?:series|show|program|programme|sitcom|drama|it|which)"
    r" (?:\w+ )?(?:ended|finished)|ended (?:after|its run)|would not return)\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:reviv\w*|reboot\w*|return(?:ed|s)? (?:for|with)|saved|revers\w+|uncancel\w*|in talks"
    r"|considering|possib\w+|hop(?:e|es|ing)|interest\w*|rumou?r\w*)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^(?:It|This|The (?:new )?(?:season|series|show|film|movie|programme|program))\b"
)
_ITSELF = re.compile(
    r"\b(?:is|as) (?:intended to be )?(?:the|an?) (?:[\w-]+ ){0,2}"
    r"(?:sequel|prequel|instal?lment|film in)\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])['\"”]*\s+(?=[\"'“`]*[A-Z])")
_MANY = re.compile(rf"\b(?P<number>{CARDINAL}) (?:[\w-]+ )?(?:seasons|series)\b", re.IGNORECASE)


class Standing(Enum):
    """What a passage says of something that is not out."""

    TO_COME = "to-come"
    NEVER = "never"


def standing(wanted: Instalment, passage: str, title: str) -> Standing | None:
    """Return what a passage says of an instalment; None where it is out, or left open."""
    if not wanted.season and _ITSELF.search(passage):
        return None
    name = named(wanted)
    own = bool(re.search(rf"\((?:.*, )?{SEASON} {wanted.number}\)$", title))
    told: set[Standing | None] = set()
    after = False
    for sentence in _SENTENCE_END.split(passage):
        if _counts_as_many(wanted, sentence) or later_season(wanted, sentence):
            return None
        names = bool(name.search(sentence)) or own
        if (names or (after and _GOES_ON.match(sentence))) and _OUT.search(sentence):
            return None
        after = names
        if names:
            told.add(_said(sentence))
    told -= {None} if own else set()
    if told:
        return told.pop() if len(told) == 1 else None
    return Standing.NEVER if wanted.season and _is_over(wanted, passage) else None


def _said(sentence: str) -> Standing | None:
    """Return what a sentence that names the instalment says of it."""
    if _NOT_MADE.search(sentence):
        return None if _SAVED.search(sentence) else Standing.NEVER
    return Standing.TO_COME if _AHEAD.search(sentence) else None


def _is_over(wanted: Instalment, passage: str) -> bool:
    """Whether a series has ended before the season that is wanted, and stayed so."""
    if not _OVER.search(passage) or _BACK.search(passage):
        return False
    before = Instalment(wanted.number - 1, season=True)
    return before.number == 1 or bool(named(before).search(passage)) or _runs(before, passage)


def _runs(last: Instalment, passage: str) -> bool:
    return any(number_of(m["number"]) == last.number for m in _MANY.finditer(passage))


def _counts_as_many(wanted: Instalment, sentence: str) -> bool:
    """Whether a sentence counts so many seasons."""
    found = (number_of(match["number"]) for match in _MANY.finditer(sentence))
    return wanted.season and any(number >= wanted.number for number in found)
