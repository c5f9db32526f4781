"""Each relation of task re: its table of sentences, and the follow-ups that it makes of them."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import read_cases, table
from making_samples import is_aligned, marked, sample
from mt_gate_suites.re import co_related, coarser, coreferent, same_type, swap, type_label
from mt_gate_suites.re.name_pools import FREQUENT, RARE, Pools, find_form, read_facts
from mt_gate_suites.re.sample import Transformation

TRANSFORMATIONS: dict[str, Transformation] = {
    "co_related": co_related.transform,
    "coarser": coarser.transform,
    "coreferent": coreferent.transform,
    "type_label": type_label.transform,
    "swap": swap.transform,
    "between_equals": swap.swap_equals,
}
FREQUENT_NAMES = {
    "PERSON": "John Miller|Peter Weaver|David Archer|Anna Cooper|Mary Potter|Ruth Carver",
    "NATIONALITY": "American|British|Canadian",
    "COUNTRY": "China|India|Canada|Netherlands|Philippines|United Kingdom",
    "CITY": "Marseille|Lille|Nantes|Leeds",
    "DATE": "1986|1987|1988|March 1986|May 1987|June 1988",
    "TITLE": "painter|sculptor|engraver",
}
RARE_NAMES = {
    "PERSON": "Karl Bergner|Igor Pavlov|Luigi Rossini|Helga Borg|Greta Lindqvist|Greta Olsen",
    "NATIONALITY": "Zambian|Latvian|Maltese",
    "COUNTRY": "Zambia|Latvia|Malta",
}


def _rows(names: dict[str, str], times: int) -> list[tuple[str, str, str]]:
    return times * [
        (kind, one, f"The actor {one} left.") for kind in names for one in names[kind].split("|")
    ]


POOLS = Pools.of([*_rows(RARE_NAMES, 2), *_rows(FREQUENT_NAMES, 10)])
PLAIN_POOLS = POOLS._replace(persons={}, well_known=frozenset())
"""Pools where nothing is known of a person."""


@pytest.mark.parametrize(
    ("name", "row"),
    [
        pytest.param(name, row, id=f"{name}-{row['source']}")
        for name in TRANSFORMATIONS
        for row in read_cases(f"re/{name}")
    ],
)
def test_follow_ups(nlp: Language, name: str, row: dict[str, str]) -> None:
    source = sample(nlp, row["source"])
    made = TRANSFORMATIONS[name](source, PLAIN_POOLS)
    assert [marked(change) for change in made] == [
        row[column] for column in ("first", "second") if row[column]
    ]
    assert all(is_aligned(source, change) for change in made)


@pytest.mark.parametrize("row", read_cases("re/same_type"), ids=lambda row: row["source"])
def test_what_may_have_another_name(nlp: Language, row: dict[str, str]) -> None:
    source = sample(nlp, row["source"])
    made = same_type.transform(source, PLAIN_POOLS)
    heads = (change.text[change.head.start : change.head.end] for change in made)
    changed = ["tail" if head == source.words(source.head) else "head" for head in heads]
    assert ", ".join(f"{a} {b.stratum}" for a, b in zip(changed, made, strict=True)) == row["made"]
    for change in made:
        marked(change)
        assert is_aligned(source, change)


def test_other_mentions_and_articles_follow(nlp: Language) -> None:
    source = sample(nlp, "An [Italian|NATIONALITY] poet met [Max|PERSON].")
    assert {one.text for one in same_type.transform(source, PLAIN_POOLS)} <= {
        f"{article} {new} poet met Max."
        for article, new in [("An", "American"), *(("A", x) for x in "British Canadian".split())]
        + [("A", x) for x in RARE_NAMES["NATIONALITY"].split("|")]
    }
    source = sample(nlp, "[Paul Baker|PERSON] left [Oslo|CITY], and Baker's shares were sold.")
    change = same_type.transform(source, PLAIN_POOLS)[0]
    name = change.text[: change.head.end]
    assert change.text == f"{name} left Oslo, and {name.split()[1]}'s shares were sold."


def test_the_same_sample_gets_the_same_names(nlp: Language) -> None:
    source = sample(nlp, "[Paul Baker|PERSON] left [Spain|COUNTRY].")
    assert same_type.transform(source, PLAIN_POOLS) == same_type.transform(source, PLAIN_POOLS)


@pytest.mark.parametrize(("kind", "words", "form"), table(__file__, "forms"))
def test_forms(kind: str, words: str, form: str) -> None:
    assert find_form(kind, words) == form


def test_strata_differ_by_how_frequent_a_name_is() -> None:
    assert POOLS.names["country", FREQUENT] == ("Canada", "China", "India")
    assert POOLS.names["country", RARE] == ("Latvia", "Malta", "Zambia")
    assert ("city", RARE) not in POOLS.names


def test_only_persons_seen_at_work_are_names() -> None:
    rows = [("PERSON", "Karl Bergner", "He met Karl Bergner.")] * 9
    assert not Pools.of(rows).names


@pytest.mark.parametrize(("text", "fits"), table(__file__, "a_person_fits_what_was_said_of_him"))
def test_a_person_fits_what_was_said_of_him(text: str, fits: bool) -> None:
    said = 2 * [("PERSON", "Karl Bergner", "An American film of 1998, directed by Karl Bergner.")]
    assert Pools.of(said).fits("Karl Bergner", read_facts(text)) == fits
