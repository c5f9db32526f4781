"""Classes of names by their words: each word tells one."""

from __future__ import annotations

import pytest

from mt_gate_suites.re.same_type import name_words


@pytest.mark.parametrize(
    ("table", "word", "group"),
    [
        (name_words.ENDS, "University", "university"),
        (name_words.ENDS, "Airways", "airline"),
        (name_words.ENDS, "River", "river"),
        (name_words.ENDS, "Grimble", None),
        (name_words.KNOWN, "University", None),
        (name_words.TITLES, "president", None),
    ],
)
def test_words_and_their_class(table: dict[str, str], word: str, group: str | None) -> None:
    assert table.get(word) == group


def test_no_name_that_is_known_whole_tells_its_class_by_a_word_too() -> None:
    assert not name_words.KNOWN.keys() & name_words.ENDS.keys()


def test_classes_with_an_article_are_classes() -> None:
    classes = {*name_words.ENDS.values(), *name_words.STARTS.values()}
    classes |= {*name_words.KNOWN.values(), *name_words.NICKNAMES.values()}
    assert classes >= name_words.ARTICLE
    assert classes >= name_words.EITHER_ARTICLE
    assert not name_words.ARTICLE & name_words.EITHER_ARTICLE


def test_nouns_of_people_are_lower_case_and_no_bodies() -> None:
    assert all(word == word.lower() for word in name_words.PEOPLE)
    assert "actress" in name_words.PEOPLE
    assert "river" not in name_words.PEOPLE | name_words.BODIES
