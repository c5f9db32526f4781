"""Forms of names: names of one form stand for each other, and what is none has no form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.tasks.relation_extraction import TYPES
from mt_gate_suites.re.same_type.name_forms import (
    DATED,
    MAN,
    SOMEBODY,
    WOMAN,
    form,
    gender,
    is_name_word,
    is_plain,
    surname,
)


@pytest.mark.parametrize(
    ("kind", "words", "wanted"),
    [
        ("PERSON", "John Smith", "full name: man"),
        ("PERSON", "Mary Smith", "full name: woman"),
        ("PERSON", "Jupp Weber", "full name: somebody"),
        ("PERSON", "Smith", "surname"),
        ("PERSON", "John", "given name: man"),
        ("PERSON", "John F. Kennedy", "full name: man"),
        ("PERSON", "Johnny", "given name: man"),
        ("PERSON", "john smith", ""),
        ("PERSON", "Paris Texas", ""),
        ("PERSON", "", ""),
        ("ORGANIZATION", "Stanford University", "class: university"),
        ("ORGANIZATION", "University of Oslo", "class: university of"),
        ("ORGANIZATION", "State University", ""),
        ("ORGANIZATION", "Grimble", ""),
        ("CITY", "Boston", "city"),
        ("CITY", "Reading", ""),
        ("COUNTRY", "France", "country"),
        ("COUNTRY", "Netherlands", "the country"),
        ("COUNTRY", "Georgia", ""),
        ("STATE_OR_PROVINCE", "Ohio", "state"),
        ("STATE_OR_PROVINCE", "Ontario", "province"),
        ("STATE_OR_PROVINCE", "Gondor", ""),
        ("LOCATION", "Lake Tahoe", "class: lake first"),
        ("LOCATION", "Ohio River", "class: river"),
        ("FACILITY", "Wembley Stadium", "class: stadium"),
        ("NATIONALITY", "French", "nationality"),
        ("RELIGION", "Catholic", "religion"),
        ("LANGUAGE", "French", "language"),
        ("DATE", "1990", "year"),
        ("DATE", "May 1990", "month year"),
        ("DATE", "May 3, 1990", "month day, year"),
        ("DATE", "Monday", "weekday"),
        ("DATE", "the 1990s", ""),
        ("NUMBER", "46", "age"),
        ("NUMBER", "7", ""),
        ("WORK_OF_ART", "Old Dark House", "work"),
        ("WORK_OF_ART", "Grammy Awards", ""),
        ("MONEY", "$5", ""),
    ],
)
def test_forms(kind: str, words: str, wanted: str) -> None:
    assert form(kind, words) == wanted


@given(st.sampled_from(sorted(TYPES)), st.text(max_size=30))
def test_any_words_have_a_form_or_none(kind: str, words: str) -> None:
    assert isinstance(form(kind, words), str)


def test_dates_are_of_the_calendar() -> None:
    assert {"year", "month year"} <= DATED
    assert "weekday" not in DATED


@pytest.mark.parametrize(
    ("name", "person"), [("John Smith", MAN), ("Mary Smith", WOMAN), ("Jupp Weber", SOMEBODY)]
)
def test_genders(name: str, person: str) -> None:
    assert gender(form("PERSON", name)) == person


@pytest.mark.parametrize(
    ("name", "plain", "last"),
    [
        ("John Smith", True, "Smith"),
        ("John F. Smith", True, "Smith"),
        ("John van Smith", True, ""),
        ("Lucy Durack Rachelle", False, "Rachelle"),
    ],
)
def test_surnames(name: str, plain: bool, last: str) -> None:
    assert (is_plain(name), surname(name)) == (plain, last)


@pytest.mark.parametrize(
    ("word", "is_name"),
    [("Smith", True), ("McDonald", True), ("O'Neill", True), ("smith", False), ("NASA", False),
     ("Monday", False), ("French", False), ("University", False)],
)  # fmt: skip
def test_words_like_names(word: str, is_name: bool) -> None:
    assert is_name_word(word) == is_name
