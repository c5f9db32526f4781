"""The numbered season, episode or film that a question asks for."""

from __future__ import annotations

import re
from typing import NamedTuple

from mt_gate_suites.lexicons.numbers import CARDINALS, ORDINALS, ROMAN

SEASON = r"(?:seasons?|series)"
_PART = r"(?:episode|part|chapter|volume|book|movie|film|game|album|instal?lment)"
CARDINAL = rf"(?:\d{{1,2}}|{'|'.join(CARDINALS[1:])})"
_ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS[1:])})"
_GOES_ON = r"(?= (?:of|for|to|on|in)\b|$)"
"""After a number: nothing, or what it is a season of. ``season 3 marco polo`` is no phrase."""

_SEASONS = (
    re.compile(rf"\b{SEASON} (?P<number>{CARDINAL})\b(?! [a-z]* ?{SEASON})"),
    re.compile(rf"\b(?P<number>{_ORDINAL}) (?:[\w'-]+ ){{0,4}}?{SEASON}\b"),
)
_PATTERNS = (
    (re.compile(rf"\b{SEASON} (?P<number>{CARDINAL}){_GOES_ON}"), True),
    (re.compile(rf"^an? (?P<number>{_ORDINAL}) {SEASON}{_GOES_ON}"), True),
    (re.compile(rf"\b{_PART} (?P<number>{CARDINAL}){_GOES_ON}"), False),
    (re.compile(rf"^an? (?P<number>{_ORDINAL}) (?:[\w'-]+ ){{0,4}}?{_PART}$"), False),
    (re.compile(r"^an? [^\d]+ (?P<number>\d|two|three|four|five)(?: (?:movie|film))?$"), False),
    (re.compile(r"^[^\d]+ (?P<number>\d)$"), False),
)
_SEQUEL = re.compile(r"\b(?:sequ[ae]l|prequel|follow-?up|spin-?off)\b")


class Instalment(NamedTuple):
    """A numbered part of a work; ``season`` says whether seasons are counted."""

    number: int
    season: bool


def instalment(phrase: str) -> Instalment | None:
    """Return what a noun phrase asks for: ``a fifth season of mom`` is season 5.

    First ones have no number above one, and are not returned; nor is ``a sequel``,
    which may be to come beside another.
    """
    if _SEQUEL.search(phrase):
        return None
    for pattern, season in _PATTERNS:
        found = pattern.search(phrase)
        number = number_of(found["number"]) if found else 0
        if number > 1:
            return Instalment(number, season)
    return None


def number_of(word: str) -> int:
    """Return the value of a cardinal or ordinal; 0 for none that is known."""
    digits = re.match(r"\d+", word)
    if digits:
        return int(digits.group())
    for words in (CARDINALS, ORDINALS):
        if word.lower() in words:
            return words.index(word.lower())
    return 0


def named(wanted: Instalment) -> re.Pattern[str]:
    """Return what a sentence that names the instalment looks like."""
    number = wanted.number
    word = ORDINALS[number] if number < len(ORDINALS) else str(number)
    ordinal = rf"(?:{number}(?:st|nd|rd|th)|(?i:{word}))"
    if wanted.season:
        cardinal = rf"(?:{number}|{CARDINALS[number] if number < len(CARDINALS) else number})"
        forms = [rf"{ordinal},? (?:[\w-]+,? ){{0,3}}?(?i:{SEASON})"]
        forms.append(rf"(?i:{SEASON}) (?:[\w,&]+ ){{0,3}}?(?i:{cardinal})")
    else:
        forms = [ordinal, rf"(?<=[a-z] ){number}", r"(?i:sequels?|prequels?|franchise)"]
        if number < len(ROMAN):
            forms.append(rf"(?<=[a-z] ){ROMAN[number]}")
    return re.compile(rf"\b(?:{'|'.join(forms)})\b")


def later_season(wanted: Instalment, sentence: str) -> bool:
    """Whether a sentence names a later season than the one that is wanted."""
    lower = sentence.lower()
    found = (match for pattern in _SEASONS for match in pattern.finditer(lower))
    return wanted.season and any(number_of(m["number"]) > wanted.number for m in found)
