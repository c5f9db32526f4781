"""What the sentences that name somebody tell, and where that forbids to name them."""

from __future__ import annotations

import pytest

from mt_gate_suites.re.same_type.sightings import NOTHING_SEEN, Sightings, told

_SEEN = [
    ("PERSON", "Don Schollander", "The American swimmer Don Schollander won a medal in 1964."),
    ("PERSON", "Don Schollander", "American athlete Don Schollander swam in 1968."),
    ("PERSON", "Pat Metheny", "The jazz guitarist Pat Metheny released an album in 1984."),
    ("PERSON", "Pat Metheny", "Pat Metheny plays guitar on the album."),
    ("PERSON", "Peter Rabbit", "The musician met the character Peter Rabbit in the 1984 album."),
    ("PERSON", "Andy Dwyer", "Chris Pratt starred as Andy Dwyer in the series in 2010."),
    ("PERSON", "Mark Sloan", "Mark Sloan, played by Eric Dane, joins the series in 2006."),
    ("PERSON", "Jane Seen", "Jane Seen of the jazz band came in 1984."),
    ("LOCATION", "Jhelum River", "The Jhelum River flows through Pakistan."),
]
SIGHTINGS = Sightings.of(_SEEN)


@pytest.mark.parametrize(
    ("name", "text", "fits"),
    [
        ("Don Schollander", "American athletes won a medal in 1964.", True),
        ("Don Schollander", "He won a medal for the Soviet Union in 1964.", False),
        ("Don Schollander", "American athletes won a medal in 1912.", False),
        ("Don Schollander", "The jazz guitarist left in 1964.", False),
        ("Don Schollander", "He left in 1964.", False),
        ("Pat Metheny", "The album of the guitarist came in 1990.", True),
        ("Pat Metheny", "The guitarist came often.", False),
        ("Unknown Man", "The album of the guitarist came in 1990.", False),
    ],
)
def test_persons_where_all_that_is_told_fits(name: str, text: str, fits: bool) -> None:
    assert SIGHTINGS.fits("PERSON", name, told(text), near=False) == fits


def test_invented_persons_and_those_never_seen_at_work() -> None:
    invented = {"Peter Rabbit", "Andy Dwyer", "Mark Sloan", "Jane Seen"}
    assert SIGHTINGS.invented == invented
    around = told("The musician left the album in 1984.")
    assert not any(SIGHTINGS.fits("PERSON", name, around, near=False) for name in invented)


def test_places_count_for_what_lies_somewhere() -> None:
    at_home, abroad = told("It is in Pakistan."), told("It runs to Cascadia, Washington.")
    assert SIGHTINGS.fits("LOCATION", "Jhelum River", at_home, near=True)
    assert not SIGHTINGS.fits("LOCATION", "Jhelum River", abroad, near=True)


def test_where_names_alone_are_counted_nothing_is_forbidden() -> None:
    assert NOTHING_SEEN.fits("PERSON", "Anna Weber", told("He left in 1964."), near=False)


def test_a_year_that_few_sentences_have_says_nothing() -> None:
    rows = [("PERSON", "George Weaver", f"President George Weaver left in {y}.") for y in
            (1788, 1789, 1790, 1791, 1792, 1793, 1970)]  # fmt: skip
    seen = Sightings.of(rows)
    assert seen.fits("PERSON", "George Weaver", told("The president left in 1795."), near=False)
    assert not seen.fits("PERSON", "George Weaver", told("The president left in 1970."), near=False)
