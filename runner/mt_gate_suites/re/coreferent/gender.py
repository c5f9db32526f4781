"""The gender that a name or a noun says: male, female, or nothing certain."""

from __future__ import annotations

from collections.abc import Iterable

from mt_gate.lexicons import titles
from mt_gate_suites.lexicons.given_names import TRUSTED
from mt_gate_suites.lexicons.reading import word_set

MALE, FEMALE, UNKNOWN = "male", "female", ""

_MALE_NOUNS = word_set("people", "male-nouns")
_FEMALE_NOUNS = word_set("people", "female-nouns")
_MALE_TITLES = titles.lower(titles.of_gender(MALE))
_FEMALE_TITLES = titles.lower(titles.of_gender(FEMALE))


def of_noun(word: str) -> str:
    """Return the gender of a noun for a person, in lower case: ``wife``, ``actress``."""
    if word in _MALE_NOUNS:
        return MALE
    return FEMALE if word in _FEMALE_NOUNS else UNKNOWN


def of_title(word: str) -> str:
    """Return the gender of a title before a name, in lower case: ``mrs.``."""
    if word in _MALE_TITLES:
        return MALE
    return FEMALE if word in _FEMALE_TITLES else UNKNOWN


def of_given_name(word: str) -> str:
    """Return the gender of a given name in lower case that is borne by one gender alone."""
    gender = TRUSTED.get(word, UNKNOWN)
    return gender if gender in (MALE, FEMALE) else UNKNOWN


def is_given_name(word: str) -> bool:
    """Whether the word is a well-known given name."""
    return word.lower() in TRUSTED


def agreed(genders: Iterable[str]) -> str:
    """Return the one gender that several cues say; nothing where they say none or differ."""
    said = {one for one in genders if one}
    return said.pop() if len(said) == 1 else UNKNOWN
