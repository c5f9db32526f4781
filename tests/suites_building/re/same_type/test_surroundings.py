"""Sentences in which a name is not exchanged, whatever would take its place."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.same_type import mentions, name_forms, surroundings

_MAN = f"{name_forms.FULL}: {name_forms.MAN}"


def may(nlp: Language, marked: str, form: str) -> bool:
    one = sample(nlp, marked)
    return surroundings.may_change(one, mentions.mention(one, "head"), form)


@pytest.mark.parametrize(
    ("marked", "form"),
    [
        ("[Paul Baker|PERSON] was convicted of murder in [Lyon|CITY].", _MAN),
        ("[Paul Baker|PERSON] died in [Lyon|CITY] in May.", _MAN),
        ("[Paul Baker|PERSON] was accused of fraud in [Lyon|CITY].", _MAN),
        ("[Paul Baker|PERSON] (1670 – 14 March 1725) was an officer in [Lyon|CITY].", _MAN),
        ("It was opened by President [Paul Baker|PERSON] in [1935|DATE].", _MAN),
        ("[1935|DATE] was when President [Paul Baker|PERSON] signed it.", name_forms.YEAR),
        ("[Google|ORGANIZATION] was at the centre of a scandal in [Lyon|CITY].", "class: company"),
        ("[Microsoft|ORGANIZATION] announced the Xbox in [Lyon|CITY].", "class: company"),
        ("In the 1050s [William|PERSON] claimed the throne of [England|COUNTRY].",
         f"{name_forms.GIVEN}: {name_forms.MAN}"),
        ("[Germany|COUNTRY] sent [Max|PERSON] to the Bundeswehr in May.", name_forms.COUNTRY),
        ("[France|COUNTRY] was ruled by [Max|PERSON] in 1810.", name_forms.COUNTRY),
        # Whose products, rivers or islands they are is known.
        ("[Google|ORGANIZATION] opened an office in [Lyon|CITY].", "class: company"),
        ("[Tower Bridge|FACILITY] crosses the [Avon River|LOCATION].", "class: river"),
        ("[Paul III|PERSON] was Pope in [1540|DATE], and Pope Paul knew it.", name_forms.YEAR),
    ],
)  # fmt: skip
def test_left_alone(nlp: Language, marked: str, form: str) -> None:
    assert not may(nlp, marked, form)


@pytest.mark.parametrize(
    ("marked", "form"),
    [
        ("[Paul Baker|PERSON] moved to [Lyon|CITY] in May.", _MAN),
        ("[Spain|COUNTRY] welcomed [Max|PERSON] in 1990.", name_forms.COUNTRY),
        # The paper's own example: a nationality, not a person, is put there.
        ("[French|NATIONALITY] filmmaker [Claude|PERSON] dies at 80.", name_forms.ADJECTIVE),
    ],
)
def test_exchanged(nlp: Language, marked: str, form: str) -> None:
    assert may(nlp, marked, form)


def test_towns_of_one_country() -> None:
    assert surroundings.is_compatriot("Lyon", "Marseille")
    assert not surroundings.is_compatriot("Cochabamba", "Mostar")
