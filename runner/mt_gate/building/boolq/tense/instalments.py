"""The numbered season, episode or film that a question asks for, and whether it is out.

``will there be a season 8`` and ``has there ever been a season 8`` rule each
other out only while season 8 is to come. Where the passage tells that it has
begun, people answer yes to both, whatever the grammar says.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mt_gate.lexicons.numbers import CARDINALS, ORDINALS, ROMAN

_SEASON = r"(?:seasons?|seaons?|series)"
_PART = r"(?:episode|part|chapter|volume|book|movie|film|game|album|instal?lment)"
_CARDINAL = rf"(?:\d{{1,2}}|{'|'.join(CARDINALS[1:])})"
_ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS[1:])})"

_PATTERNS = (
    (re.compile(rf"\b{_SEASON} (?P<number>{_CARDINAL})\b(?! [a-z]* ?{_SEASON})"), True),
    (re.compile(rf"\b(?P<number>{_ORDINAL}) (?:[\w'-]+ ){{0,4}}?{_SEASON}\b"), True),
    (re.compile(rf"\b{_PART} (?P<number>{_CARDINAL})\b"), False),
    (re.compile(rf"\b(?P<number>{_ORDINAL}) (?:[\w'-]+ ){{0,4}}?{_PART}\b"), False),
    (re.compile(r"^an? [^\d]+ (?P<number>\d|two|three|four|five)(?: (?:movie|film))?$"), False),
)
_SEQUEL = re.compile(r"^an? (?:sequel|sequal|prequel) (?:to|of|for) ")

_OUT = re.compile(
    r"\b(?:premiered|aired|debuted|(?:began|started|is|currently|finished|been) "
    r"(?:airing|broadcasting|streaming|shown|released)|concluded|ended|finished|screened|ran"
    r"|returned|grossed|opened|commenced|made available|(?:began|started) (?:on|in)"
    r"|(?:was|were) (?:\w+ )?(?:released|broadcast|shown|published|launched|aired|made)"
    r"|is an? (?:19|20)\d\d)\b"
)
_TO_COME = re.compile(
    r"\b(?:renewed|renewal|will|upcoming|announced|to (?:air|premiere|return|debut)|scheduled"
    r"|expected|slated|set (?:to|for)|order(?:ed)?|plan\w*|confirmed|in (?:development|production)"
    r"|possib\w+|potential|hint\w*|inten\w+|could|would|may|might|picked up|cancel\w*|not|no|never"
    r"|without|yet|interest\w*|talks?|hop\w+|rumou?r\w*|commission\w*|greenlit)\b|n't\b"
)
_GOES_ON = re.compile(r"^(?:It|This|The (?:season|series|show|film|movie|programme|program))\b")
_ITSELF = re.compile(
    r"\b(?:is|as) (?:intended to be )?(?:the|an?) (?:[\w-]+ ){0,2}"
    r"(?:sequel|prequel|instal?lment|film in)\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])['\"”]*\s+(?=[\"'“`]*[A-Z])")
_MANY = re.compile(rf"\b(?P<number>{_CARDINAL}) (?:[\w-]+ )?(?:seasons|series)\b")


class Instalment(NamedTuple):
    """A numbered part of a work; ``season`` says whether seasons are counted."""

    number: int
    season: bool


def instalment(phrase: str) -> Instalment | None:
    """Return what a noun phrase asks for: ``a fifth season of mom`` is season 5.

    First ones have no number above one, and are not returned. A sequel counts
    as a second film.
    """
    for pattern, season in _PATTERNS:
        found = pattern.search(phrase)
        number = _number(found["number"]) if found else 0
        if number > 1:
            return Instalment(number, season)
    return Instalment(2, season=False) if _SEQUEL.match(phrase) else None


def is_out(wanted: Instalment, passage: str, title: str) -> bool:
    """Whether a passage tells, or leaves it open, that an instalment is out already.

    A sentence that names the instalment must say that it is to come or is not
    made; a film that no sentence names may be the passage's own.
    """
    if not wanted.season and _ITSELF.search(passage) and "upcoming" not in passage:
        return True
    named = _named(wanted)
    own = bool(re.search(rf"\((?:.*, )?(?:season|series) {wanted.number}\)$", title))
    after = False
    found = False
    for sentence in _SENTENCE_END.split(passage):
        if _counted(wanted, sentence):
            return True
        names = bool(named.search(sentence))
        if _OUT.search(sentence) and (names or own or (after and _GOES_ON.match(sentence))):
            return True
        if names and not (own or _TO_COME.search(sentence)):
            return True
        after = names
        found = found or names
    if own:
        return not _TO_COME.search(passage)
    return not (found or wanted.season)


def _number(word: str) -> int:
    """Return the value of a cardinal or ordinal; 0 for none that is known."""
    digits = re.match(r"\d+", word)
    if digits:
        return int(digits.group())
    for words in (CARDINALS, ORDINALS):
        if word.lower() in words:
            return words.index(word.lower())
    return 0


def _named(wanted: Instalment) -> re.Pattern[str]:
    """Return what a sentence that names the instalment looks like."""
    number = wanted.number
    forms = [rf"{number}(?:st|nd|rd|th)"]
    if number < len(ORDINALS):
        forms += [ORDINALS[number].capitalize(), ORDINALS[number]]
    if wanted.season:
        cardinal = rf"(?:{number}|{CARDINALS[number] if number < len(CARDINALS) else number})"
        forms.append(rf"(?i:{_SEASON}) (?:[\w,&]+ ){{0,3}}?(?i:{cardinal})")
    else:
        forms += [rf"(?<=[a-z] ){number}", r"(?i:sequels?|prequels?|franchise)"]
        if number < len(ROMAN):
            forms.append(rf"(?<=[a-z] ){ROMAN[number]}")
    return re.compile(rf"\b(?:{'|'.join(forms)})\b")


def _counted(wanted: Instalment, sentence: str) -> bool:
    """Whether a sentence counts so many seasons, or names a later one."""
    if not wanted.season:
        return False
    later = (_PATTERNS[0][0], _PATTERNS[1][0])
    lower = sentence.lower()
    if any(_number(m["number"]) > wanted.number for p in later for m in p.finditer(lower)):
        return True
    return any(_number(m["number"]) >= wanted.number for m in _MANY.finditer(lower))
