"""A city gives way to its state or country, and a state to its country."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from making_samples import RESOURCES, is_aligned, marked, sample
from mt_gate_suites.re.coarser.change import transform

ANNA = "[Anna|PERSON]"


def _made(nlp: Language, text: str) -> list[str]:
    source = sample(nlp, text)
    found = transform(source, RESOURCES)
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
        (f"{ANNA} worked in [Amsterdam|CITY] in 1950.", "in the [Netherlands|COUNTRY] in 1950."),
        (f"{ANNA} emigrated to [Chicago|CITY].", "to the [United States|COUNTRY]."),
        (f"{ANNA} lives in [Chicago|CITY].", "lives in the [United States|COUNTRY]."),
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
    ("source", "made"),
    [
        # A county between.
        (
            f"{ANNA} opened a store in [Basingstoke|CITY], Hampshire, England.",
            "a store in [England|COUNTRY].",
        ),
        # "Road" and "city" say nothing of where somebody was born, or is from.
        (
            f"{ANNA} is a professional road bicycle racer from [Taldykorgan|CITY], Kazakhstan.",
            "from [Kazakhstan|COUNTRY].",
        ),
        (f"{ANNA} was born in [Milan|CITY].", "in [Lombardy|STATE_OR_PROVINCE]."),
        (f"{ANNA} was born in [Guangzhou|CITY].", "in [Guangdong|STATE_OR_PROVINCE]."),
    ],
)
def test_larger_places_of_many_kinds(nlp: Language, source: str, made: str) -> None:
    assert any(made in found for found in _made(nlp, source)), _made(nlp, source)


@pytest.mark.parametrize(
    "source",
    [
        # The other is no person
        "[Don Mills|PERSON] is a subway station, which is the eastern terminus of Line 4 Sheppard "
        "in [Toronto|CITY], Ontario, Canada.",
        # The city of its birth is spoken of
        f"{ANNA} was born in [Boston|CITY], the largest city of the state.",
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


def _countries(made: list[str]) -> list[str]:
    return [text for text in made if "|COUNTRY]" in text]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        # Names before the place that are no title
        (f"{ANNA} played at Heinz Field in [Pittsburgh|CITY].", "Heinz Field in [Pennsylvania|"),
        (f"{ANNA} studied at the School of Design in [Miami|CITY], Florida.", "in [Florida|"),
        (f"{ANNA} read music at Jackson Arts College in [Dallas|CITY].", "College in [Texas|"),
        # What stands elsewhere is not said of the place
        (f"{ANNA}, the only son of a baker, was born in [Chicago|CITY].", "in [Illinois|"),
        (f"{ANNA} never sang, and she was born in [Chicago|CITY].", "in [Illinois|"),
        (f"{ANNA} said that it took place in [Dallas|CITY].", "in the [United States|"),
        (f"{ANNA} met Dinah Washington in [Dallas|CITY].", "in the [United States|"),
        (f"{ANNA} was born in [Dallas|CITY] in 1950 and sang country music.", "United States|"),
    ],
)
def test_near_misses_give_way(nlp: Language, source: str, made: str) -> None:
    assert any(made in text for text in _made(nlp, source))


@pytest.mark.parametrize(
    "source",
    [
        # Titles, cases, quotations
        f"{ANNA} starred in Meet Me in [St. Louis|CITY].",
        f"{ANNA} wrote for the series It's Always Sunny in [Philadelphia|CITY].",
        f"Film Stars Don't Die in [Liverpool|CITY] is a film with {ANNA}.",
        f"{ANNA} released the album Live In [Memphis|CITY].",
        f"{ANNA} wrote the novel A Tree Grows in [Brooklyn|CITY].",
        f"{ANNA} upheld the ban in [Oregon|STATE_OR_PROVINCE] v. Mitchell.",
        f"{ANNA} starred in Sleepless in [Seattle|CITY].",
        f"Sleepless in [Seattle|CITY] is a film with {ANNA}.",
        f"{ANNA} wrote Last Tango in [Paris|CITY].",
        f"Last Tango in [Paris|CITY] shows how {ANNA} lives.",
        f'{ANNA} sang "Rain in [Chicago|CITY]" in 1950.',
        # Lists, and another town of the name
        f"{ANNA} owns stations in Adelaide, [Canberra|CITY] and other places.",
        f"{ANNA} came to [Lima|CITY] for the wedding.",
        f"{ANNA} was born in [Melbourne|CITY] and studied at Florida State University.",
        # What is said goes with the place
        f"{ANNA} is a Marylander who sat sometimes in [Baltimore|CITY].",
        f"{ANNA} is the dean of the academy in [Rome|CITY].",
        f"{ANNA} led a campaign for a university in [London|CITY].",
        f"{ANNA} runs one of the two universities in [Montreal|CITY].",
        f"{ANNA} chose the third-oldest active military installation in [Dallas|CITY].",
        f"{ANNA} owns the largest bank headquartered in [Ohio|STATE_OR_PROVINCE].",
        f"Residents of [Toronto|CITY] chose {ANNA}.",
        f"{ANNA} will replace the old one in [Chicago|CITY].",
        f"Seven singers, among them {ANNA}, have come from [Ohio|STATE_OR_PROVINCE].",
        f"{ANNA} closed all race tracks in [Chicago|CITY].",
        f"{ANNA} first sang in [Chicago|CITY].",
        f"{ANNA} was unknown in [Chicago|CITY].",
        f"{ANNA} has not sung in [Chicago|CITY].",
        f"{ANNA} is illegal in [Chicago|CITY].",
        f"{ANNA} sold the drug, which is legal in [Oregon|STATE_OR_PROVINCE].",
        f"{ANNA} did well, like in [Chicago|CITY].",
        f"{ANNA} came from [Klang|CITY] and became its chief.",
        f"{ANNA} was born in [Phoenix|CITY] and raised in nearby Mesa.",
        f"{ANNA} moved to [Chicago|CITY].",
    ],
)
def test_what_does_not_carry_upward_is_left_alone(nlp: Language, source: str) -> None:
    assert _made(nlp, source) == []


@pytest.mark.parametrize(
    "source",
    [
        f"{ANNA} spoke in 1775 in [Philadelphia|CITY], Pennsylvania.",
        f"{ANNA} met the colonists in [Boston|CITY], Massachusetts.",
        f"{ANNA} then lived in [Tucson|CITY], Arizona.",
        f"{ANNA} lived in [Dallas|CITY], Texas, until she died.",
        f"{ANNA} went to [Omaha|CITY], Nebraska.",
        f"{ANNA} returned to [Dallas|CITY], Texas.",
        f"{ANNA} travelled to [Dallas|CITY], Texas.",
        f"{ANNA} settled in [Dallas|CITY], Texas.",
        f"{ANNA} remained in [Dallas|CITY], Texas.",
        f"{ANNA} opened a shop on the West Coast in [Portland|CITY], Oregon.",
        f"{ANNA} is an American teacher in [Dallas|CITY], Texas.",
        f"{ANNA} hired officials in [Dallas|CITY], Texas.",
        f"In [Miami|CITY], {ANNA} won a prize.",
        f"{ANNA} was born in [Boston|CITY] and raised in Groton Massachusetts.",
    ],
)
def test_what_would_be_new_of_the_country_is_not_said_of_it(nlp: Language, source: str) -> None:
    assert _countries(_made(nlp, source)) == []


@pytest.mark.parametrize(
    ("place", "state"),
    [
        ("[Grafton|CITY], West Virginia", ""),
        ("[Lynchburg|CITY], Tennessee", ""),
        ("[Camden|CITY], Delaware", ""),
        ("[Portland|CITY], Maine", "Maine"),
        ("[Memphis|CITY], Tenn.", "Tennessee"),
        ("[Arlington|CITY], Va.", "Virginia"),
    ],
)
def test_the_state_that_is_named_decides(nlp: Language, place: str, state: str) -> None:
    made = _made(nlp, f"{ANNA} was born in {place}, and sang.")
    assert [text for text in made if "|STATE_OR_PROVINCE]" in text] == (
        [f"{ANNA} was born in [{state}|STATE_OR_PROVINCE], and sang."] if state else []
    )


def test_a_state_behind_a_city_is_no_city(nlp: Language) -> None:
    assert _made(nlp, f"{ANNA} was born in New Iberia, [La.|CITY]; she sang.") == []


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
    for change in transform(source, RESOURCES):
        assert "[Anna|PERSON]" in marked(change)
        assert is_aligned(source, change)
        assert change.text.count("  ") == 0


def test_the_country_of_what_has_a_name_is_not_told(nlp: Language) -> None:
    text = f"{ANNA} played at Heinz Field in [Pittsburgh|CITY]."
    assert [change.rpartition("|")[2] for change in _made(nlp, text)] == ["STATE_OR_PROVINCE]."]


def test_family_is_visited_in_a_state(nlp: Language) -> None:
    text = f"{ANNA} was visiting family in [Mobile|CITY], Alabama."
    assert not any("COUNTRY" in change for change in _made(nlp, text))


@pytest.mark.parametrize(
    "source",
    [
        "[The Stars|ORGANIZATION] have won eight titles in [Dallas|CITY], and two trophies.",
        f"{ANNA}, who works in [Chicago|CITY], moves to Upstate New York.",
    ],
)
def test_a_country_that_says_too_much(nlp: Language, source: str) -> None:
    assert not any("COUNTRY" in change for change in _made(nlp, source))
