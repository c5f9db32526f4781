"""A passage says that a season is to come, or that there is none."""

from __future__ import annotations

import pytest

from mt_gate_suites.boolq.tense.instalments import Instalment
from mt_gate_suites.boolq.tense.standing import Standing, standing

_THIRD = Instalment(3, season=True)


@pytest.mark.parametrize(
    ("passage", "title"),
    [
        ("The second season aired in 2016. In 2018 it was renewed for a third season.", "X"),
        ("The third season will premiere on May 2.", "X"),
        ("It has been renewed for a third season.", "X"),
        ("A third season is in production.", "X"),
        ("The season will be released in 2019.", "X (season 3)"),
    ],
)
def test_a_season_to_come(passage: str, title: str) -> None:
    assert standing(_THIRD, passage, title) is Standing.TO_COME


@pytest.mark.parametrize(
    "passage",
    [
        "The show was cancelled after two seasons.",
        "It was announced that X would not return for a third season.",
        "The second season premiered in 2015. The series was cancelled in May 2016.",
        "The second and final season premiered in 2015.",
    ],
)
def test_a_season_that_was_never_made(passage: str) -> None:
    assert standing(_THIRD, passage, "X") is Standing.NEVER


@pytest.mark.parametrize(
    ("passage", "title"),
    [
        ("", ""),
        ("The second season premiered in 2015.", "X"),
        ("The third season premiered on May 2, 2017.", "X"),
        ("It was renewed for a third season in 2012.", "X"),
        ("It was renewed for a third season in 2018. It aired in May.", "X"),
        ("The series was renewed for a fourth season.", "X"),
        ("The series ran for five seasons.", "X"),
        ("Fans love season 3.", "X"),
        ("The season has ten episodes.", "X (season 3)"),
        ("It was cancelled, but was picked up by CW for a third season in 2018.", "X"),
        ("The show was cancelled after two seasons. It was revived in 2018.", "X"),
        ("The show was cancelled after four seasons.", "X"),
        ("Asked for more, he said not to go back for a third helping.", "X"),
    ],
)
def test_a_season_that_is_out_or_of_which_nothing_is_told(passage: str, title: str) -> None:
    assert standing(_THIRD, passage, title) is None


def test_a_film_must_be_spoken_of() -> None:
    film = Instalment(2, season=False)
    assert standing(film, "X is a film.", "X") is None
    assert standing(film, "Y is a 2016 film. It is the sequel to X.", "Y") is None
    assert standing(film, "X is a 2011 film. A sequel is scheduled for 2019.", "X")
