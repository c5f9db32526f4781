"""A question asks for one numbered season, episode or film."""

from __future__ import annotations

import pytest

from mt_gate_suites.boolq.tense.instalments import (
    Instalment,
    instalment,
    later_season,
    named,
    number_of,
)


@pytest.mark.parametrize(
    ("phrase", "wanted"),
    [
        ("a fifth season of mom", Instalment(5, season=True)),
        ("a vampire diaries season 8", Instalment(8, season=True)),
        ("a 2nd series of riviera", Instalment(2, season=True)),
        ("season two of the punisher", Instalment(2, season=True)),
        ("a 4th hunger games movie", Instalment(4, season=False)),
        ("a shrek 4", Instalment(4, season=False)),
        ("now you see me 3", Instalment(3, season=False)),
        ("a sequel to green lantern", None),
        ("a sequel to i am number 4", None),
        ("a season 3 marco polo", None),
        ("a first season of mom", None),
        ("a new season of mom", None),
        ("a total solar eclipse", None),
        ("a prequel", None),
    ],
)
def test_what_is_asked_for(phrase: str, wanted: Instalment | None) -> None:
    assert instalment(phrase) == wanted


@pytest.mark.parametrize(("word", "number"), [("8", 8), ("12th", 12), ("Two", 2), ("red", 0)])
def test_numbers(word: str, number: int) -> None:
    assert number_of(word) == number


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("It was renewed for a third season.", True),
        ("a third and final season", True),
        ("Season 3 is set in Rome.", True),
        ("a third helping", False),
        ("Season 13 is set in Rome.", False),
    ],
)
def test_a_sentence_that_names_it(sentence: str, names: bool) -> None:
    assert bool(named(Instalment(3, season=True)).search(sentence)) is names


def test_a_film_is_named_by_its_number_or_as_a_sequel() -> None:
    film = named(Instalment(4, season=False))
    assert film.search("In Shrek 4 he sings.")
    assert film.search("A sequel is planned.")
    assert not film.search("Shrek sings.")


def test_later_seasons() -> None:
    assert later_season(Instalment(3, season=True), "Season 4 was shot in Rome.")
    assert not later_season(Instalment(3, season=True), "Season 3 was shot in Rome.")
    assert not later_season(Instalment(3, season=False), "Season 4 was shot in Rome.")
