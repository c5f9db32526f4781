"""Genders that names, titles and nouns say, and words that say none."""

from __future__ import annotations

import pytest

from mt_gate_suites.re.coreferent.gender import (
    FEMALE,
    MALE,
    UNKNOWN,
    agreed,
    is_given_name,
    of_given_name,
    of_noun,
    of_title,
)


@pytest.mark.parametrize(
    ("word", "gender"),
    [("actress", FEMALE), ("wife", FEMALE), ("king", MALE), ("doctor", UNKNOWN), ("", UNKNOWN)],
)
def test_nouns(word: str, gender: str) -> None:
    assert of_noun(word) == gender


@pytest.mark.parametrize(
    ("word", "gender"), [("mrs.", FEMALE), ("sir", MALE), ("dr.", UNKNOWN), ("president", UNKNOWN)]
)
def test_titles(word: str, gender: str) -> None:
    assert of_title(word) == gender


@pytest.mark.parametrize(
    ("word", "gender"),
    [
        ("john", MALE),
        ("mary", FEMALE),
        ("kim", UNKNOWN),
        ("kelly", UNKNOWN),
        ("taylor", UNKNOWN),
        ("smith", UNKNOWN),
    ],
)
def test_given_names(word: str, gender: str) -> None:
    """Names that men and women bear say nothing."""
    assert of_given_name(word) == gender
    assert is_given_name(word.title()) == (gender != UNKNOWN)


@pytest.mark.parametrize(
    ("cues", "gender"),
    [
        ([MALE], MALE),
        ([UNKNOWN, FEMALE, FEMALE], FEMALE),
        ([MALE, FEMALE], UNKNOWN),
        ([UNKNOWN], UNKNOWN),
        ([], UNKNOWN),
    ],
)
def test_cues_agree_or_say_nothing(cues: list[str], gender: str) -> None:
    assert agreed(cues) == gender
