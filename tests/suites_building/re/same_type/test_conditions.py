"""What must hold around a name of each form for another to take its place."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.same_type import conditions
from mt_gate_suites.re.same_type.mentions import mention
from mt_gate_suites.re.same_type.name_forms import CITY, COUNTRY, WEEKDAY, YEAR, form

OSLO = "[Oslo|CITY]"
MAX = "[Max|PERSON]"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"[John Smith|PERSON] left {OSLO}.", "full name: man"),
        (f"[John Smith|PERSON] Jr. left {OSLO}.", ""),
        (f"[John Smith|PERSON] was named after {OSLO}.", ""),
        (f"The duo [John Smith|PERSON] left {OSLO}.", ""),
        (f"[John Smith|PERSON] street is in {OSLO}.", ""),
        (f"Senator [Smith|PERSON] left {OSLO}.", "surname"),
        (f"[Smith|PERSON] left {OSLO}.", ""),
        (f"[John|PERSON] left {OSLO}.", "given name: man"),
        (f"[John|PERSON] and Anna left {OSLO}.", ""),
        (f"[Jupp Weber|PERSON] said he left {OSLO}.", "full name: man"),
        (f"[Jupp Weber|PERSON] sounds like {OSLO}.", ""),
    ],
)
def test_persons(nlp: Language, text: str, wanted: str) -> None:
    found = mention(sample(nlp, text), "head")
    own = form("PERSON", found.words)
    assert conditions.person(found, own, frozenset()) == wanted


@pytest.mark.parametrize(
    ("text", "own", "may"),
    [
        (f"{MAX} lives in [Lyon|CITY].", CITY, True),
        (f"{MAX} moved from [France|COUNTRY] in May.", COUNTRY, True),
        (f"{MAX} saw the [Lyon|CITY] team.", CITY, False),
        (f"{MAX} lives in [Lyon|CITY], the capital.", CITY, False),
        (f"{MAX} lives in [Lyon|CITY] in what was Gaul.", CITY, False),
        (f"{MAX} lives in [Lyon|CITY], France.", CITY, False),
        (f"{MAX} became king of [France|COUNTRY].", COUNTRY, False),
        (f"{MAX} and a French poet left [France|COUNTRY].", COUNTRY, False),
    ],
)
def test_places(nlp: Language, text: str, own: str, may: bool) -> None:
    source = sample(nlp, text)
    found = mention(source, "tail")
    span = source.doc.char_span(found.start, found.end)
    assert span is not None
    assert conditions.place(found, own, span, {(found.start, found.end): own}) == may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (f"A [French|NATIONALITY] poet met {MAX}.", True),
        (f"A [French|NATIONALITY] poet met {MAX} in France.", False),
        (f"A [French|NATIONALITY] river carried {MAX}.", False),
        (f"The [French|NATIONALITY] Army met {MAX}.", False),
    ],
)
def test_nationalities(nlp: Language, text: str, may: bool) -> None:
    source = sample(nlp, text)
    found = mention(source, "head")
    span = source.doc.char_span(found.start, found.end)
    assert span is not None
    assert conditions.nationality(found, span) == may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (f"A [Catholic|RELIGION] family met {MAX}.", True),
        (f"A [Catholic|RELIGION] bishop met {MAX}.", False),
        (f"The [Catholic|RELIGION] Church met {MAX}.", False),
    ],
)
def test_religions(nlp: Language, text: str, may: bool) -> None:
    source = sample(nlp, text)
    found = mention(source, "head")
    span = source.doc.char_span(found.start, found.end)
    assert span is not None
    assert conditions.religion(found, span) == may


@pytest.mark.parametrize(
    ("text", "own", "may"),
    [
        (f"{MAX} left in [1985|DATE].", YEAR, True),
        (f"{MAX} left on [Monday|DATE].", WEEKDAY, True),
        (f"{MAX} fought from [1985|DATE] to 1989.", YEAR, False),
        (f"{MAX} (born 1950) left in [1985|DATE].", YEAR, False),
        (f"{MAX} left in [1985|DATE], a decade later.", YEAR, False),
        (f"{MAX} saw the [1985|DATE] games.", YEAR, False),
        (f"{MAX} left last [Monday|DATE].", WEEKDAY, False),
    ],
)
def test_dates(nlp: Language, text: str, own: str, may: bool) -> None:
    assert conditions.date(mention(sample(nlp, text), "tail"), own) == may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (f"{MAX} died at the age of [46|NUMBER].", True),
        (f"{MAX}, [46|NUMBER], a poet, left.", True),
        (f"{MAX} saw [46|NUMBER] birds.", False),
        (f"{MAX} (1950) died at the age of [46|NUMBER].", False),
    ],
)
def test_ages(nlp: Language, text: str, may: bool) -> None:
    assert conditions.age(mention(sample(nlp, text), "tail")) == may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (f"{MAX} is a [singer|TITLE].", True),
        (f"{MAX} is the former [singer|TITLE] from Rome.", True),
        (f"{MAX} is a [singer|TITLE] who sings.", False),
        (f"{MAX} saw one [singer|TITLE] there.", False),
        (f"{MAX} is the Attorney [singer|TITLE].", False),
    ],
)
def test_titles(nlp: Language, text: str, may: bool) -> None:
    assert conditions.title(mention(sample(nlp, text), "tail"), "title: artist") == may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (f"{MAX} wrote it in [French|LANGUAGE].", True),
        (f"{MAX} wrote a [French|LANGUAGE] song.", True),
        (f"{MAX} met two [French|LANGUAGE] poets.", False),
        (f"{MAX} (in [French|LANGUAGE]) left.", False),
    ],
)
def test_languages(nlp: Language, text: str, may: bool) -> None:
    assert conditions.language(mention(sample(nlp, text), "tail")) == may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (f"{MAX} studied at [Stanford University|ORGANIZATION].", True),
        (f"{MAX} studied at the [Stanford University|ORGANIZATION].", False),
        (f"{MAX} studied at [Stanford University|ORGANIZATION] in Rome.", False),
        (f"{MAX} studied at [Stanford University|ORGANIZATION], Rome.", False),
    ],
)
def test_classes(nlp: Language, text: str, may: bool) -> None:
    source = sample(nlp, text)
    found = mention(source, "tail")
    own = form("ORGANIZATION", found.words)
    span = source.doc.char_span(found.start, found.end)
    assert conditions.of_class(found, own, span, {(found.start, found.end): own}) == may
