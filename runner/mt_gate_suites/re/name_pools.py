"""Names that replace other names of the same form, and facts from the sentences with them.

Sun et al., Algorithms 2023, section 4.3 and Table 8: replacements that are frequent in a corpus
change few predictions, rare ones many.

A form is finer than a type: a full name of a man, a country without article, a month with its year.
Words that are not a whole name of their type have no form, which keeps the pools clean.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from mt_gate.lexicons import calendar, nations, us_states
from mt_gate_suites.lexicons.given_names import FEMALE, KNOWN, MALE
from mt_gate_suites.lexicons.places import may_be_another_city
from mt_gate_suites.lexicons.reading import mapping, word_set

MAN, WOMAN = "full name: man", "full name: woman"
COUNTRY, THE_COUNTRY, CITY, NATIONALITY = "country", "the country", "city", "nationality"
TITLE, YEAR = "title", "year"
FREQUENT, RARE = "frequent", "rare"
STRATA = (FREQUENT, RARE)

_NAME = re.compile(
    r"(?:Mac|Mc|O['’]|D['’]|De|Le|La|Di|Fitz)?[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_a-z][^\W\d_A-Z]+)?"
)
_INITIAL = re.compile(r"[A-Z]\.?")
_PARTICLES = word_set("re/same_type", "particles")
_TITLES = mapping("re/same_type", "titles")
_MONTH = "(?:" + "|".join(calendar.MONTHS) + ")"
_DAY, _YEAR = r"(?:[12]?\d|3[01])", r"(?:1[5-9]\d\d|20[01]\d)"
_DATES = {
    YEAR: re.compile(_YEAR),
    "month year": re.compile(f"{_MONTH} {_YEAR}"),
    "day month year": re.compile(f"{_DAY} {_MONTH} {_YEAR}"),
    "month day, year": re.compile(f"{_MONTH} {_DAY}, {_YEAR}"),
    "month day": re.compile(f"{_MONTH} {_DAY}"),
    "day month": re.compile(f"{_DAY} {_MONTH}"),
}
DATED = frozenset(_DATES)
_PLAIN = frozenset(nation.name for nation in nations.PLAIN)
_WITH_ARTICLE = frozenset(nation.name for nation in nations.WITH_ARTICLE)
_NOT_OF_PERSONS = word_set("re/same_type", "no-surname") | {
    *(word for name in [*nations.CODES, *us_states.CLEAR] for word in name.split()),
    *nations.ADJECTIVES,
    *calendar.MONTHS,
    *calendar.WEEKDAYS,
}

_LEAST_FREQUENT, _LEAST_NAMES = 3, 3
_LEAST_ATTESTED = 2
"""Least sentences that must have a name; a single one may be an error of the pipeline."""
_MAX_YEARS = 10
"""Maximum distance of a year from the years in texts on the same person."""
_OUR_TIME, _WELL_KNOWN = 1970, 3
_YEAR_IN_TEXT = re.compile(r"(?<!\d)(1\d{3}|20\d\d)(?!\d)")
_FIELDS = mapping("re/same_type", "fields")
_OF_OUR_TIME = word_set("re/same_type", "fields-of-our-time")
_MAKERS = "|".join(sorted(word_set("re/same_type", "makers")))
_REAL_BEFORE = re.compile(
    rf"\b(?:(?:{_MAKERS})s?,?|(?:directed|written|produced|composed|performed|sung|recorded|hosted|"
    r"created|developed|portrayed|played|voiced|co-written|coached) by|starring|stars|featuring|"
    r"President|Senator|Governor|Congressman|Minister|Chancellor|Justice) $"
)
_REAL_AFTER = re.compile(
    r" (?:\((?:born|b\.|\d{4} ?[-–]|[A-Z][a-z]+ \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]+ \d{4})|"
    r"(?:plays|portrays|portrayed|stars|starred|directed|voiced|voices|sang|wrote|recorded)\b|"
    r"as [A-Z])"
)
_INVENTED_BEFORE = re.compile(
    r"\b(?:as|characters?,?|named|role of|portray(?:s|ing|ed)|play(?:s|ing|ed)|voic(?:es|ing|ed)|"
    r"called|protagonist|detective|agent)(?: (?:named|called|of))?(?: [A-Z][\w.]*)* [\"“]?$"
)
_INVENTED_AFTER = re.compile(
    r"['’]s (?:actor|actress|portray)|,? \(?(?:(?:is|was|were|who is|who was) )?"
    r"(?:(?:then |now )?(?:played|portrayed|voiced|acted) by|"
    r"(?:an? |the )?(?:[\w-]+ ){0,3}(?:fictional|characters?|protagonist|antagonist|"
    r"superhero|villain)\b)|"
    r" \((?:[A-Z][\w.'’-]+ ){1,2}[A-Z][\w'’-]+[,)]"
)
_CODED = {
    **nations.READ,
    **nations.ADJECTIVES,
    **nations.CODES,
    **dict.fromkeys(us_states.CLEAR, "US"),
}
_NATION = re.compile(
    r"\b(?:"
    + "|".join(map(re.escape, sorted({*_CODED, *nations.NATIONALITIES}, key=len, reverse=True)))
    + r")(?=\W|s?\b|$)"
)
_FORMER = word_set("places", "former-countries")


def find_form(kind: str, words: str) -> str:
    """Return the form of a name; empty if it is not a whole name of its type.

    >>> find_form("PERSON", "John F. Smith"), find_form("DATE", "May 1998")
    ('full name: man', 'month year')
    >>> find_form("DATE", "4921"), find_form("PERSON", "Burgundy Plaza")
    ('', '')
    """
    match kind:
        case "PERSON":
            first, *rest = words.split() or [""]
            if first in _NOT_OF_PERSONS or not _NAME.fullmatch(first) or not 1 <= len(rest) <= 3:
                return ""
            *middle, last = rest
            first_names = MALE | FEMALE | KNOWN
            # Two names may run into each other: "Lucy Durack Rachelle".
            plain = all(
                word in first_names | _PARTICLES or _INITIAL.fullmatch(word) for word in middle
            )
            if (
                not plain
                or last in first_names
                or last in _NOT_OF_PERSONS
                or not _NAME.fullmatch(last)
            ):
                return ""
            return MAN if first in MALE else WOMAN if first in FEMALE else ""
        case "CITY":
            return CITY if may_be_another_city(words) else ""
        case "COUNTRY":
            return THE_COUNTRY if words in _WITH_ARTICLE else COUNTRY if words in _PLAIN else ""
        case "NATIONALITY":
            return NATIONALITY if words in nations.ADJECTIVES else ""
        case "TITLE":
            return f"{TITLE}: {_TITLES[words]}" if words in _TITLES else ""
        case "DATE":
            return next((key for key, shape in _DATES.items() if shape.fullmatch(words)), "")
    return ""


def find_surname(full_name: str) -> str:
    """Return the surname of a full name; empty if a particle makes it unclear."""
    *before, last = full_name.split()
    return "" if any(word in _PARTICLES for word in before) else last


class Facts(NamedTuple):
    """Facts that a text mentions: codes of nations, years, and fields such as music."""

    nations: frozenset[str]
    years: frozenset[int]
    fields: frozenset[str]


@cache
def read_facts(text: str) -> Facts:
    """Return the facts that a text mentions."""
    facts = {_CODED.get(match, match.lower()) for match in _NATION.findall(text)}
    words = {word.lower() for word in re.findall("[A-Za-z]+", text)}
    return Facts(
        frozenset(facts | {name for name in _FORMER if name in text.lower()}),
        frozenset(int(year) for year in _YEAR_IN_TEXT.findall(text)),
        frozenset(_FIELDS[word] for word in words if word in _FIELDS),
    )


class Pools(NamedTuple):
    """Names by form and stratum, sorted, and facts on the persons among them.

    *Frequent* names are the most frequent ones that together have half of a form's mentions, each
    in at least three sentences. *Rare* names are in two sentences (dates: one), or have at most a
    tenth of the mentions of the last frequent name. A stratum of fewer than three names is empty.
    ``persons`` maps a name to the facts of its sentences. ``real`` persons were seen at work or
    with their dates. ``well_known`` names are in three sentences: readers may know their country.
    """

    names: Mapping[tuple[str, str], tuple[str, ...]]
    persons: Mapping[str, Facts] = {}
    real: frozenset[str] = frozenset()
    well_known: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[tuple[str, str, str]]) -> Pools:
        """Count names from rows of type, words and sentence, one row per name and sentence."""
        rows = list(names)
        persons: dict[str, list[Facts]] = defaultdict(list)
        real, invented = set(), set()
        for kind, words, text in rows:
            if kind == "PERSON" and " " in words:
                persons[words].append(read_facts(text))
                before, _, after = text.partition(words)
                if _INVENTED_BEFORE.search(before) or _INVENTED_AFTER.match(after):
                    invented.add(words)
                elif _REAL_BEFORE.search(before) or _REAL_AFTER.match(after):
                    real.add(words)
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for kind, words, _ in rows:
            form = find_form(kind, words)
            if form and (kind != "PERSON" or words in real - invented):
                counts[form][words] += 1
        frequent = {
            (form, stratum): chosen
            for form, counted in counts.items()
            for stratum, chosen in _split_strata(counted, 1 if form in DATED else _LEAST_ATTESTED)
        }
        seen = Counter(words for kind, words, _ in rows if kind in {"PERSON", "ORGANIZATION"})
        known = frozenset(words for words, count in seen.items() if count >= _WELL_KNOWN)
        united = {words: _unite(every) for words, every in persons.items()}
        return cls(frequent, united, frozenset(real - invented), known)

    def iter_candidates(self, form: str, stratum: str, key: str) -> Iterator[str]:
        """Yield all names of a form and a stratum, starting at a place that ``key`` determines."""
        names = self.names.get((form, stratum), ())
        if names:
            digest = hashlib.sha256(f"{key}\n{form}\n{stratum}".encode()).digest()
            start = int.from_bytes(digest[:8]) % len(names)
            yield from names[start:]
            yield from names[:start]

    def fits(self, person: str, around: Facts) -> bool:
        """Whether the sentences on a person have all fields, nations and years of ``around``."""
        known = self.persons.get(person)
        if not self.persons:
            return True
        if known is None or person not in self.real or not around.fields <= known.fields:
            return False
        recent = any(year >= _OUR_TIME for year in known.years)
        dated = around.years or (recent and around.fields & _OF_OUR_TIME)
        return bool(
            around.fields
            and dated
            and around.nations <= known.nations
            and all(_is_near(year, known.years) for year in around.years)
        )


def _split_strata(counts: Counter[str], least: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    frequent: list[str] = []
    covered, half = 0, counts.total() / 2
    for name, count in ranked:
        # Ties with the last frequent name are frequent too, so that the alphabet does not decide.
        if count < _LEAST_FREQUENT or (covered >= half and count < counts[frequent[-1]]):
            break
        frequent.append(name)
        covered += count
    most = max(least, counts[frequent[-1]] // 10 if frequent else 0)
    rare = [name for name, count in ranked if least <= count <= most]
    for stratum, chosen in ((FREQUENT, frequent), (RARE, rare)):
        if len(chosen) >= _LEAST_NAMES:
            yield stratum, tuple(sorted(chosen))


def _unite(every: Sequence[Facts]) -> Facts:
    """Unite facts of sentences: all nations, but only years and fields of a quarter of them."""
    fields = Counter(field for one in every for field in one.fields)
    dated = [one.years for one in every if one.years]
    usual = {
        year
        for year in frozenset[int]().union(*dated)
        if 4 * sum(_is_near(year, years) for years in dated) >= len(dated)
    }
    return Facts(
        frozenset[str]().union(*(one.nations for one in every)),
        frozenset(usual),
        frozenset(f for f, count in fields.items() if count > 1 and 4 * count >= len(every)),
    )


def _is_near(year: int, years: Iterable[int]) -> bool:
    return any(abs(year - other) <= _MAX_YEARS for other in years)
