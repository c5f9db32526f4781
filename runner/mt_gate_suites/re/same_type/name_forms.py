"""What form a typed name has: names of one form stand for each other.

A form is finer than a type: a full name of a man, a surname, a country without
article, a river, a year. What is no whole name of its type has no form. That
keeps the pools clean, and sentences whose argument is unclear out.
"""

from __future__ import annotations

import re

from mt_gate.lexicons import calendar, nations, us_states
from mt_gate_suites.lexicons.given_names import FEMALE, KNOWN, MALE
from mt_gate_suites.lexicons.places import may_be_another_city
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.same_type import name_words

SURNAME, GIVEN, FULL = "surname", "given name", "full name"
MAN, WOMAN, SOMEBODY = "man", "woman", "somebody"
COUNTRY, THE_COUNTRY, STATE, PROVINCE, CITY = "country", "the country", "state", "province", "city"
ADJECTIVE, RELIGION, LANGUAGE, TITLE = "nationality", "religion", "language", "title"
WORK, YEAR, WEEKDAY, AGE, CLASS = "work", "year", "weekday", "age", "class"

_NAME = re.compile(
    r"(?:Mac|Mc|O['’]|D['’]|De|Le|La|Di|Fitz)?[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_a-z][^\W\d_A-Z]+)?"
)
_INITIAL = re.compile(r"[A-Z]\.?")
_PARTICLES = word_set("re/same_type", "particles")
_MONTH = "(?:" + "|".join(calendar.MONTHS) + ")"
_DAY, _YEAR = r"(?:[12]?\d|3[01])", r"(?:1[5-9]\d\d|20[01]\d)"
_DATES = {
    YEAR: re.compile(_YEAR),
    "month year": re.compile(f"{_MONTH} {_YEAR}"),
    "day month year": re.compile(f"{_DAY} {_MONTH} {_YEAR}"),
    "month day, year": re.compile(f"{_MONTH} {_DAY}, {_YEAR}"),
    "month day year": re.compile(f"{_MONTH} {_DAY} {_YEAR}"),
    "month day": re.compile(f"{_MONTH} {_DAY}"),
    "day month": re.compile(f"{_DAY} {_MONTH}"),
    WEEKDAY: re.compile("|".join(calendar.WEEKDAYS)),
}
DATED = frozenset(form for form in _DATES if form != WEEKDAY)
"""Forms that say a day, a month or a year of the calendar."""

_LANGUAGES = word_set("languages", "exchanged")
_RELIGIONS = word_set("religions", "exchanged")
_SMALL = word_set("re/same_type", "small-words-of-titles")
_TITLE_WORDS = word_set("re/same_type", "title-words")

_NO_WORK = word_set("re/same_type", "no-work")


def form(kind: str, words: str) -> str:
    """Return the form of a name; nothing where it is no whole name of its type.

    >>> form("PERSON", "John F. Smith"), form("ORGANIZATION", "Simon Fraser University")
    ('full name: man', 'class: university')
    >>> form("DATE", "4921"), form("PERSON", "Burgundy Plaza")
    ('', '')
    """
    match kind:
        case "PERSON":
            return _person(words)
        case "ORGANIZATION":
            return _organisation(words) or _nation(words)
        case "CITY":
            return CITY if may_be_another_city(words) else ""
        case "COUNTRY":
            return _nation(words)
        case "STATE_OR_PROVINCE":
            return _state(words)
        case "LOCATION":
            return _place(words)
        case "FACILITY":
            return _of_class(words, _PLACES)
        case "NATIONALITY":
            return ADJECTIVE if words in nations.ADJECTIVES else _nation(words)
        case "RELIGION":
            return RELIGION if words in _RELIGIONS else ""
        case "LANGUAGE":
            return LANGUAGE if words in _LANGUAGES else ""
        case "TITLE":
            return f"{TITLE}: {name_words.TITLES[words]}" if words in name_words.TITLES else ""
        case "DATE":
            return next((key for key, shape in _DATES.items() if shape.fullmatch(words)), "")
        case "NUMBER":
            return AGE if re.fullmatch(r"[1-9]\d", words) and int(words) >= 16 else ""
        case "WORK_OF_ART":
            return WORK if _is_work(words) else ""
    return ""


def gender(form_of_person: str) -> str:
    """Return the gender that a form tells: man, woman or somebody."""
    return form_of_person.partition(": ")[2]


def is_plain(full_name: str) -> bool:
    """Whether what stands between given name and surname is a name too, an initial, a particle.

    Else two names may have run into each other (``Lucy Durack Rachelle``).
    """
    middle = full_name.split()[1:-1]
    known = MALE | FEMALE | KNOWN | _PARTICLES
    return all(word in known or _INITIAL.fullmatch(word) for word in middle)


def surname(full_name: str) -> str:
    """Return the surname of a full name; nothing where a particle makes it unclear."""
    *before, last = full_name.split()
    return "" if any(word in _PARTICLES for word in before) else last


def is_name_word(word: str) -> bool:
    """Whether a word is written like a name, and is not known to be something else."""
    return bool(_NAME.fullmatch(word)) and word not in _NOT_OF_PERSONS


_PLACES = frozenset(
    {"river", "island", "bridge", "county", "airport", "stadium", "lake", "lake first", "mount"}
    | {"museum", "hospital", "theatre"}
)
_NOT_OF_PERSONS = (
    name_words.NO_SURNAME
    | {word for name in [*nations.CODES, *us_states.CLEAR] for word in name.split()}
    | nations.ADJECTIVES.keys()
    | _LANGUAGES
    | _RELIGIONS
    | {*calendar.MONTHS, *calendar.WEEKDAYS}
    | {word for name in name_words.NICKNAMES for word in name.split()}
    | {word for name in name_words.ENDS for word in name.split()}
) - {"Roman"}


def _person(words: str) -> str:
    first, *rest = words.split() or [""]
    if first in _NOT_OF_PERSONS or not _NAME.fullmatch(first):
        return ""
    gender = MAN if first in MALE else WOMAN if first in FEMALE else SOMEBODY
    if not rest:
        if gender == SOMEBODY:
            return "" if first in KNOWN else SURNAME
        return f"{GIVEN}: {gender}"
    return f"{FULL}: {gender}" if _is_rest_of_name(rest) else ""


def _is_rest_of_name(rest: list[str]) -> bool:
    *middle, last = rest
    names = [word for word in middle if not _INITIAL.fullmatch(word) and word not in _PARTICLES]
    given = last in MALE or last in FEMALE or last in KNOWN
    return (
        len(rest) <= 3
        and len(names) <= 1
        and all(is_name_word(word) for word in [*names, last])
        and not given
        and len(last) > 2
    )


def _organisation(words: str) -> str:
    if words in name_words.KNOWN:
        return f"{CLASS}: {name_words.KNOWN[words]}"
    parts = words.split()
    for count in (1, 2):
        team = name_words.NICKNAMES.get(" ".join(parts[-count:]))
        if team and " ".join(parts[:-count]) in name_words.NICKNAME_PLACES:
            return f"{CLASS}: {team}"
    return _of_class(words, frozenset())


def _of_class(words: str, wanted: frozenset[str]) -> str:
    """Return the class that the first or the last word of a name tells."""
    parts = words.split()
    if not 2 <= len(parts) <= 4 or not all(_is_part(part) for part in parts):
        return ""
    first = name_words.STARTS.get(" ".join(parts[:2])) or name_words.STARTS.get(parts[0])
    last = name_words.ENDS.get(" ".join(parts[-2:])) if len(parts) > 2 else None
    last = last or name_words.ENDS.get(parts[-1])
    if (first and last) or not (first or last):
        return ""
    found = str(first or last)
    whole = _starts_well(parts, found) if first else _ends_well(parts, found)
    fits = whole and (found in wanted if wanted else found not in _ONLY_PLACES)
    return f"{CLASS}: {found}" if fits else ""


def _starts_well(parts: list[str], found: str) -> bool:
    if found in ("lake first", "mount"):
        return len(parts) == 2 and parts[1] not in ("District", "City", "Vernon", "County")
    own = parts[2:]
    return 1 <= len(own) <= 2 and not {"of", "The", "the"} & {*own} and own[0].istitle()


def _ends_well(parts: list[str], found: str) -> bool:
    own = parts[:-2] if found == "high school" else parts[:-1]
    if {"of", "The", "A", "An", "Air", "&"} & {*own} or own[0] in _LEADING:
        return False
    if any(part in name_words.ENDS or name_words.KNOWN.get(part, found) != found for part in own):
        return False
    if found == "party":
        return bool(name_words.PARTISAN & {*own})
    if any(part.isupper() for part in own):
        return found in ("label", "bank", "company") and len(own) == 1
    return len(own) > 1 or own[0] not in name_words.GENERIC


_LEADING = frozenset("Southern Northern Eastern Western Upper Lower Old".split())
_ONLY_PLACES = _PLACES - {"museum", "hospital", "theatre"}


def _is_part(word: str) -> bool:
    if word in ("of", "&", "F.C.", "A.F.C.", "Inc.", "Corp.", "Ltd.", "Co.", "FC", "AFC", "St."):
        return True
    return bool(_NAME.fullmatch(word)) or bool(re.fullmatch(r"[A-Z]{2,4}", word))


def _nation(words: str) -> str:
    bare = words.removeprefix("the ")
    if any(nation.name == bare for nation in nations.WITH_ARTICLE) and bare == words:
        return THE_COUNTRY
    return COUNTRY if any(nation.name == words for nation in nations.PLAIN) else ""


def _state(words: str) -> str:
    return STATE if words in us_states.CLEAR else PROVINCE if words in nations.PROVINCES else ""


def _place(words: str) -> str:
    return _nation(words) or _state(words) or _of_class(words, _PLACES)


def _is_work(words: str) -> bool:
    parts = words.split()
    if not 2 <= len(parts) <= 6 or parts[-1] in _SMALL or not words.isascii():
        return False
    if any(part.lower() in _NO_WORK or part in calendar.WEEKDAYS for part in parts):
        return False
    if not any(part.lower() in _TITLE_WORDS for part in parts):
        return False
    plain = all(re.fullmatch(r"[A-Z][a-z]+(?:'[a-z]{1,2})?|I", part) for part in parts[:1])
    return plain and all(
        part in _SMALL or re.fullmatch(r"[A-Z][a-z]+(?:'[a-z]{1,2})?|I|A", part)
        for part in parts[1:]
    )
