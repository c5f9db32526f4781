"""What the sentences that name somebody or something tell of it: nations, places, years, fields.

A name may stand in another sentence where it has been seen with all that this one tells:
an American actor does not win a medal for the Soviet Union, and a river of Montana runs
through no town in Ontario. Characters of films and books are no persons here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from mt_gate.lexicons.nations import ADJECTIVES, CODES, NATIONALITIES, READ
from mt_gate.lexicons.us_states import CLEAR
from mt_gate_suites.lexicons.places import codes_named
from mt_gate_suites.lexicons.reading import mapping, word_set

_YEARS_APART = 10
"""How far a year may lie from those that somebody is seen with."""
_OUR_TIME = 1970
_WELL_KNOWN = 3
"""Sentences that name somebody whom readers may know."""
_OF_OUR_TIME = word_set("re/same_type", "fields-of-our-time")
"""Fields that are of our time where no year says otherwise."""
_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d\d)(?!\d)")
_WORD = re.compile(r"[A-Za-z]+")
_FIELDS = mapping("re/same_type", "fields")
_FORMER = word_set("places", "former-countries")

_WATCHED = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "FACILITY", "WORK_OF_ART"})
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


class Told(NamedTuple):
    """What a text tells: codes of nations, of places as well, years, and fields (music, film)."""

    nations: frozenset[str]
    places: frozenset[str]
    years: frozenset[int]
    fields: frozenset[str]


class Sightings(NamedTuple):
    """What is told beside each name, by type and words; ``invented`` are no real persons.

    Persons of a full name who were never seen at work or with their dates are
    in ``invented`` too. ``well_known`` are those whose nation a reader may know. An
    empty one says nothing of any name.
    """

    told: Mapping[tuple[str, str], Told]
    invented: frozenset[str]
    well_known: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[tuple[str, str, str]]) -> Sightings:
        """Return what is told by ``names``: type, words and sentence of each."""
        seen: dict[tuple[str, str], list[Told]] = defaultdict(list)
        real: set[str] = set()
        unreal: set[str] = set()
        for kind, words, text in names:
            if kind not in _WATCHED:
                continue
            seen[kind, words].append(told(text))
            if kind == "PERSON" and " " in words:
                before, _, after = text.partition(words)
                if _INVENTED_BEFORE.search(before) or _INVENTED_AFTER.match(after):
                    unreal.add(words)
                elif _REAL_BEFORE.search(before) or _REAL_AFTER.match(after):
                    real.add(words)
        full = {words for kind, words in seen if kind == "PERSON" and " " in words}
        union = {key: _united(every) for key, every in seen.items()}
        known = (words for (_, words), every in seen.items() if len(every) >= _WELL_KNOWN)
        return cls(union, frozenset(full - real | unreal), frozenset(known))

    def fits(self, kind: str, words: str, around: Told, *, near: bool) -> bool:
        """Whether nothing ``around`` contradicts what is known of a name.

        Args:
            kind: the name's type.
            words: the name.
            around: what a sentence tells beside the name that it gives way to.
            near: whether its places count, not its nations alone.
        """
        if not self.told:
            return True
        known = self.told.get((kind, words))
        if known is None or words in self.invented:
            return False
        if kind == "PERSON" and not _is_dated(around, known):
            return False
        if kind == "WORK_OF_ART" and not around.fields:
            return False
        return (
            (around.places <= known.places if near else around.nations <= known.nations)
            and all(_is_near(year, known.years) for year in around.years)
            and around.fields <= known.fields
        )


NOTHING_SEEN = Sightings({}, frozenset())
"""Where names alone are counted."""


def _united(every: Sequence[Told]) -> Told:
    """Return all that sentences tell; of fields and years, those that a quarter of them have.

    A field has at least two sentences.
    """
    fields = Counter(field for one in every for field in one.fields)
    dated = [one.years for one in every if one.years]
    usual = {
        year
        for year in frozenset[int]().union(*dated)
        if 4 * sum(_is_near(year, years) for years in dated) >= len(dated)
    }
    return Told(
        frozenset[str]().union(*(one.nations for one in every)),
        frozenset[str]().union(*(one.places for one in every)),
        frozenset(usual),
        frozenset(
            field for field, count in fields.items() if count > 1 and 4 * count >= len(every)
        ),
    )


def _is_dated(around: Told, known: Told) -> bool:
    """Whether a text tells who may stand in it: a field, and a time or one of our time's fields."""
    if not around.fields:
        return False
    recent = any(year >= _OUR_TIME for year in known.years)
    return bool(around.years) or (recent and bool(around.fields & _OF_OUR_TIME))


def _is_near(year: int, years: Iterable[int]) -> bool:
    return any(abs(year - other) <= _YEARS_APART for other in years)


@cache
def told(text: str) -> Told:
    """Return what a text tells."""
    words = {word.lower() for word in _WORD.findall(text)}
    return Told(
        _nations(text),
        codes_named(text),
        frozenset(int(year) for year in _YEAR.findall(text)),
        frozenset(_FIELDS[word] for word in words if word in _FIELDS),
    )


def _nations(text: str) -> frozenset[str]:
    """Return the codes of countries and nationalities; the word itself where it has none."""
    found = {_CODED.get(match, match.lower()) for match in _NATION.findall(text)}
    return frozenset(found | {name for name in _FORMER if name in text.lower()})


_CODED = {**READ, **ADJECTIVES, **CODES, **dict.fromkeys(CLEAR, "US")}
_NATION = re.compile(
    r"\b(?:"
    + "|".join(
        re.escape(name) for name in sorted({*_CODED, *NATIONALITIES}, key=lambda n: (-len(n), n))
    )
    + r")(?=\W|s?\b|$)"
)
