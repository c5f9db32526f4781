"""A city gives way to its state or country, and a state to its country."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from making_samples import is_aligned, marked, sample
from mt_gate.building.re.coarser_type import changes

ANNA = "[Anna|PERSON]"


def _made(nlp: Language, text: str) -> list[str]:
    source = sample(nlp, text)
    found = changes(source)
    assert all(is_aligned(source, change) for change in found)
    return [marked(change) for change in found]


def test_the_papers_example(nlp: Language) -> None:
    assert _made(nlp, "[Richard|PERSON] was born in [San Francisco|CITY].") == [
        "[Richard|PERSON] was born in [California|STATE_OR_PROVINCE].",
        "[Richard|PERSON] was born in the [United States|COUNTRY].",
    ]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        (
            f"{ANNA} was born in [Boston|CITY], Massachusetts.",
            "in [Massachusetts|STATE_OR_PROVINCE].",
        ),
        (
            f"{ANNA} was born in [Boston|CITY], Massachusetts, to Irish parents.",
            "in the [United States|COUNTRY] to Irish parents.",
        ),
        (
            "[Integra Bank|ORGANIZATION] is a bank headquartered in Evansville "
            "[Indiana|STATE_OR_PROVINCE] that failed in July.",
            "headquartered in the [United States|COUNTRY] that failed in July.",
        ),
        (
            f"{ANNA} was born in [Springfield|CITY], Illinois, United States.",
            "in [Illinois|STATE_OR_PROVINCE].",
        ),
        (f"{ANNA} was born in [Paris|CITY], the child of a baker.", "in [France|COUNTRY], the"),
        (f"{ANNA} was born in [London|CITY].", "in [England|COUNTRY]."),
        (f"{ANNA} died in [Toronto|CITY] in 1950.", "in [Ontario|STATE_OR_PROVINCE] in 1950."),
        (f"{ANNA} moved to [Amsterdam|CITY] in 1950.", "to the [Netherlands|COUNTRY] in 1950."),
        (f"{ANNA} is a lawyer from [Ohio|STATE_OR_PROVINCE].", "from the [United States|COUNTRY]."),
        (
            f"{ANNA} was buried at [Harrisburg|CITY], Pennsylvania.",
            "was buried in [Pennsylvania|STATE_OR_PROVINCE].",
        ),
    ],
)
def test_the_larger_place_takes_the_room_of_the_phrase(
    nlp: Language, source: str, made: str
) -> None:
    assert any(made in found for found in _made(nlp, source)), _made(nlp, source)


@pytest.mark.parametrize(
    "source",
    [
        # Which city, or which state, is not sure
        f"{ANNA} was born in [Springfield|CITY].",
        f"{ANNA} was born in [Cambridge|CITY].",
        f"{ANNA} was born in [Richmond|CITY].",
        f"{ANNA} was born in [Gondor|CITY].",
        f"{ANNA} was born in [Boston|LOCATION].",
        f"{ANNA} was born in [Bali|CITY].",
        # The city is no phrase of its own
        f"{ANNA} is a [Boston|CITY] lawyer.",
        f"{ANNA} works for a [Boston|CITY]-based firm.",
        f"{ANNA} opened the firm in [Boston|CITY]'s harbour.",
        f"{ANNA} studied in [Boston|CITY] College.",
        # A preposition that says more than that it is there
        f"{ANNA} lives near [Boston|CITY].",
        f"{ANNA} lives north of [Boston|CITY].",
        f"{ANNA} visited downtown [Boston|CITY].",
        f"{ANNA} stayed at [Boston|CITY].",
        f"{ANNA} is the lawyer from [Paris|CITY] to Rome.",
        f"{ANNA} was born in [Frankfurt|CITY] am Main.",
        # Lists
        f"{ANNA} worked in [Boston|CITY] and Chicago.",
        f"{ANNA} worked in Paris, [Boston|CITY] and Chicago.",
        f"{ANNA} worked in [Boston|CITY], Madrid and Rome.",
        # The sentence speaks of the city, or of its country, elsewhere
        f"{ANNA} lives in [Boston|CITY], a city on the coast.",
        f"{ANNA} is the mayor and lives in [Boston|CITY].",
        f"{ANNA} lives on Park Street in [Boston|CITY].",
        f"{ANNA} was born in [Paris|CITY] and died in France.",
        f"{ANNA} was born in [Paris|CITY] and moved from Paris to Rome.",
        f"{ANNA} is a senator from [Ohio|STATE_OR_PROVINCE].",
        f"{ANNA} is an American lawyer from [Ohio|STATE_OR_PROVINCE].",
        f"{ANNA} runs the largest bank in [Ohio|STATE_OR_PROVINCE].",
        f"{ANNA} was born in [Rouen|CITY], Upper Normandy.",
        # Both arguments are places
        "[Kyoto|CITY] lies in [Japan|COUNTRY].",
        "[Boston|CITY] is in [Massachusetts|STATE_OR_PROVINCE].",
    ],
)
def test_what_is_unsure_is_left_alone(nlp: Language, source: str) -> None:
    assert _made(nlp, source) == []


def test_a_state_named_like_another_place_gives_way_to_its_country_alone(nlp: Language) -> None:
    assert _made(nlp, f"{ANNA} was born in [Buffalo|CITY], New York.") == [
        f"{ANNA} was born in the [United States|COUNTRY]."
    ]


@settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    place=st.sampled_from(["Boston|CITY", "Paris|CITY", "Texas|STATE_OR_PROVINCE", "Lima|CITY"]),
    start=st.sampled_from(["In 1900, ", "", "“Yes”: ", "Dr. "]),
    lead=st.sampled_from(["was born in", "lives in", "came from", "fled", "moved to"]),
    end=st.sampled_from([".", ", Texas.", " U.S.", " (1900) and sang.", ", where he sang."]),
    tail_first=st.booleans(),
)
def test_spans_lie_on_their_words(
    nlp: Language, place: str, start: str, lead: str, end: str, tail_first: bool
) -> None:
    source = sample(nlp, f"{start}[Anna|PERSON] {lead} [{place}]{end}", tail_first=tail_first)
    for change in changes(source):
        assert "[Anna|PERSON]" in marked(change)
        assert is_aligned(source, change)
        assert change.text.count("  ") == 0
