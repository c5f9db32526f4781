"""A numbered season is to come, or the passage tells that it is out."""

from __future__ import annotations

import pytest

from mt_gate.building.boolq.tense.instalments import Instalment, instalment, is_out


@pytest.mark.parametrize(
    ("phrase", "wanted"),
    [
        ("a fifth season of mom", Instalment(5, season=True)),
        ("a vampire diaries season 8", Instalment(8, season=True)),
        ("the 2nd series of riviera", Instalment(2, season=True)),
        ("season two of the punisher", Instalment(2, season=True)),
        ("a 4th hunger games movie", Instalment(4, season=False)),
        ("a shrek 4", Instalment(4, season=False)),
        ("a sequel to green lantern", Instalment(2, season=False)),
        ("a first season of mom", None),
        ("a new season of mom", None),
        ("a total solar eclipse", None),
        ("a prequel", None),
    ],
)
def test_what_is_asked_for(phrase: str, wanted: Instalment | None) -> None:
    assert instalment(phrase) == wanted


@pytest.mark.parametrize(
    ("passage", "title"),
    [
        ("The third season premiered on May 2, 2017.", "X"),
        ("It was renewed for a third season. It aired in 2016.", "X"),
        ("The series was renewed for a fourth season.", "X"),
        ("The series ran for five seasons.", "X"),
        ("Fans love season 3.", "X"),
        ("The season has ten episodes.", "X (season 3)"),
    ],
)
def test_a_season_that_is_out(passage: str, title: str) -> None:
    assert is_out(Instalment(3, season=True), passage, title)


@pytest.mark.parametrize(
    ("passage", "title"),
    [
        ("The second season aired in 2016. It was renewed for a third season.", "X"),
        ("The show was cancelled after two seasons.", "X"),
        ("The season will be released in 2019.", "X (season 3)"),
        ("", ""),
    ],
)
def test_a_season_to_come(passage: str, title: str) -> None:
    assert not is_out(Instalment(3, season=True), passage, title)


def test_a_film_must_be_spoken_of() -> None:
    film = Instalment(2, season=False)
    assert is_out(film, "X is a film.", "X")
    assert is_out(film, "Y is a 2016 film. It is the sequel to X.", "Y")
    assert not is_out(film, "X is a 2011 film. A sequel is planned.", "X")
