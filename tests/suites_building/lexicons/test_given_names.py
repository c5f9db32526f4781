"""First names, each with one gender for every rule."""

from __future__ import annotations

from mt_gate_suites.lexicons import given_names
from mt_gate_suites.lexicons.reading import rows


def test_each_name_occurs_once() -> None:
    table = rows("given_names", "names", 4)
    assert len({name.lower() for name, *_ in table}) == len(table)
    assert {of for _, of, _, _ in table} == {"male", "female", "either"}
    assert {use for _, _, use, _ in table} == {"gender", "known", ""}
    assert all(use == "known" for _, of, use, _ in table if of == "either")
    assert all(use or trusted for *_, use, trusted in table)


def test_names_that_both_bear_tell_no_gender() -> None:
    for name in ("Carmen", "Chris", "Hilary"):
        assert name in given_names.KNOWN
        assert given_names.TRUSTED[name.lower()] == "either"


def test_names_of_one_gender_tell_it() -> None:
    assert "Sidney" in given_names.MALE
    assert "Sidney" not in given_names.KNOWN
    assert given_names.TRUSTED["britney"] == "female"
    assert given_names.TRUSTED["dmitri"] == "male"
    assert not given_names.MALE & given_names.FEMALE


def test_a_surname_or_a_word_is_none_where_names_are_exchanged() -> None:
    for name in ("Jackson", "Will", "Florence"):
        assert name not in given_names.MALE | given_names.FEMALE | given_names.KNOWN
        assert name.lower() in given_names.TRUSTED
    assert "table" not in given_names.TRUSTED
