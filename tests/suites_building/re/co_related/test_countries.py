"""Countries said as nationalities and back, and places where neither can stand."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import is_aligned, marked, sample
from mt_gate_suites.re.co_related.attributes import is_attribute, is_of_people
from mt_gate_suites.re.co_related.countries import changes
from mt_gate_suites.re.sample import TAIL

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (f"{ANNA} is a [US|COUNTRY] actress.", f"{ANNA} is an [American|NATIONALITY] actress."),
        (f"{ANNA} is an [American|NATIONALITY] actress.", f"{ANNA} is a [US|COUNTRY] actress."),
        (f"{ANNA} is an actress from [France|COUNTRY].",
         f"{ANNA} is a [French|NATIONALITY] actress."),
        (f"{ANNA} met the president of [France|COUNTRY].",
         f"{ANNA} met the [French|NATIONALITY] president."),
        (f"{ANNA} met the [French|NATIONALITY] president.",
         f"{ANNA} met [France|COUNTRY]'s president."),
    ],
)  # fmt: skip
def test_a_country_in_other_words(nlp: Language, text: str, follow_up: str) -> None:
    source = sample(nlp, text)
    made = changes(source, TAIL)
    assert follow_up in [marked(change) for change in made]
    assert all(is_aligned(source, change) for change in made)


def test_a_nationality_moves_behind_its_noun(nlp: Language) -> None:
    made = changes(sample(nlp, f"{ANNA} is a [French|NATIONALITY] actress."), TAIL)
    assert [marked(change) for change in made] == [f"{ANNA} is an actress from [France|COUNTRY]."]


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} lives in [France|COUNTRY].",
        f"{ANNA} plays [American|NATIONALITY] football.",
        f"{ANNA} is an African [American|NATIONALITY] actress.",
        f"{ANNA} is the [French|NATIONALITY] actress.",
        f"{ANNA} saw Canada vs [US|COUNTRY] games.",
        f"{ANNA} speaks [French|LANGUAGE].",
        f"{ANNA} is a lawyer and a [French|NATIONALITY] poet.",
        f"{ANNA} is a [French|NATIONALITY] king.",
    ],
)
def test_where_no_other_word_can_stand(nlp: Language, text: str) -> None:
    assert changes(sample(nlp, text), TAIL) == []


def test_letters_stand_for_a_country_of_today_alone(nlp: Language) -> None:
    source = sample(nlp, f"In 1850 {ANNA} was an [American|NATIONALITY] actress.")
    made = [marked(change) for change in changes(source, TAIL)]
    assert made == [f"In 1850 {ANNA} was an actress from the [United States|COUNTRY]."]


@pytest.mark.parametrize(
    ("text", "attribute", "of_people"),
    [
        (f"{ANNA} is a [US|COUNTRY] actress.", True, True),
        (f"{ANNA} saw a [US|COUNTRY] film.", True, True),
        (f"{ANNA} left a [US|COUNTRY] state.", True, False),
        (f"{ANNA} left the [US|COUNTRY].", False, False),
    ],
)
def test_names_before_nouns(nlp: Language, text: str, attribute: bool, of_people: bool) -> None:
    source = sample(nlp, text)
    assert is_attribute(source, source.tail) == attribute
    assert is_of_people(source, source.tail) == of_people
