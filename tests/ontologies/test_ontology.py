"""What an ontology says of labels."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.ontologies.ontology import Label, Ontology, RelationMeaning
from mt_gate.ontologies.reading import open_ontology, shipped_ontologies

TACRED = open_ontology("tacred")
KBP37 = open_ontology("kbp37")
WIKIDATA = open_ontology("wikidata")

EVERY_LABEL = [
    (ontology, ontology.write(Label(relation, backward)))
    for ontology in map(open_ontology, shipped_ontologies())
    for relation in ontology.relations
    for backward in ((False, True) if ontology.directed else (False,))
]
any_label = st.sampled_from(EVERY_LABEL)


@given(any_label)
def test_a_label_survives_reading_and_writing(drawn: tuple[Ontology, str]) -> None:
    ontology, label = drawn
    read = ontology.read(label)
    assert read is not None
    assert ontology.write(read) == label


@given(st.sampled_from([TACRED, KBP37, WIKIDATA]), st.text())
def test_any_text_is_a_label_or_is_missing(ontology: Ontology, text: str) -> None:
    known = ontology.read(text) is not None or ontology.is_no_relation(text)
    assert (ontology.missing([text]) == []) is known


def test_the_inverse_of_an_inverse_is_the_relation_itself() -> None:
    for ontology, label in EVERY_LABEL:
        inverse = ontology.inverse(label)
        read = ontology.read(label)
        assert read is not None
        if inverse is None:
            continue
        assert not ontology.is_symmetric(label)
        if ontology.relations[read.relation].entails_back:
            assert ontology.inverse(inverse) != label
        else:
            assert ontology.inverse(inverse) == label


@given(any_label, any_label)
def test_same_is_symmetric(one: tuple[Ontology, str], two: tuple[Ontology, str]) -> None:
    ontology = one[0]
    assert ontology.same(one[1], one[1])
    assert ontology.same(one[1], two[1]) == ontology.same(two[1], one[1])


@pytest.mark.parametrize(("label", "inverse"), table(__file__, "tacred_exchanged"))
def test_tacred_exchanged(label: str, inverse: str | None) -> None:
    assert TACRED.inverse(label) == inverse


def test_no_inverse_is_expected_for_types_that_the_scheme_does_not_label() -> None:
    assert TACRED.inverse("org:parents", "ORGANIZATION", "ORGANIZATION") == "org:subsidiaries"
    assert TACRED.inverse("org:parents", "ORGANIZATION", "COUNTRY") is None
    # A prediction that is for other types anyway must be consistent.
    assert TACRED.inverse("per:children", "ORGANIZATION", "PERSON") == "per:parents"


def test_no_label_is_expected_that_the_system_cannot_answer() -> None:
    few = msgspec.structs.replace(
        TACRED, answers=frozenset({"per:children", "per:city_of_birth", "per:country_of_birth"})
    )
    assert few.inverse("per:children") is None
    assert few.coarser("per:city_of_birth", "tail", "STATE_OR_PROVINCE") is None
    assert few.coarser("per:city_of_birth", "tail", "COUNTRY") == "per:country_of_birth"
    one_way = msgspec.structs.replace(KBP37, answers=frozenset({"per:title(e1,e2)"}))
    assert one_way.inverse("per:title(e1,e2)") is None


def test_a_directed_scheme_turns_labels_round() -> None:
    assert KBP37.read("per:title(e2,e1)") == ("per:title", True)
    assert KBP37.read("per:title") is None
    assert KBP37.read("no_relation") is None
    assert KBP37.is_no_relation("no_relation")
    assert KBP37.inverse("per:title(e1,e2)") == "per:title(e2,e1)"
    assert KBP37.inverse("per:title(e2,e1)") == "per:title(e1,e2)"
    assert KBP37.inverse("per:spouse(e1,e2)") is None


def test_the_direction_of_a_symmetric_relation_says_nothing() -> None:
    assert KBP37.same("per:spouse(e1,e2)", "per:spouse(e2,e1)")
    assert not KBP37.same("per:title(e1,e2)", "per:title(e2,e1)")
    assert not KBP37.same("per:spouse(e1,e2)", "per:alternate_names(e1,e2)")
    assert KBP37.same("no_relation", "no_relation")


def test_types_follow_the_direction() -> None:
    assert KBP37.types("per:title(e1,e2)", "head") == ("PERSON",)
    assert KBP37.types("per:title(e1,e2)", "tail") == ("TITLE",)
    assert KBP37.types("per:title(e2,e1)", "head") == ("TITLE",)
    assert KBP37.types("per:title(e2,e1)", "tail") == ("PERSON",)
    assert KBP37.types("no_relation", "head") == ()
    assert KBP37.fits("per:title(e2,e1)", "TITLE", "")
    assert not KBP37.fits("per:title(e2,e1)", "PERSON", "TITLE")


def test_coarser_climbs_to_the_place_of_the_type() -> None:
    city = "per:city_of_birth"
    assert TACRED.coarser(city, "tail", "COUNTRY") == "per:country_of_birth"
    assert TACRED.coarser(city, "tail", "STATE_OR_PROVINCE") == "per:stateorprovince_of_birth"
    assert TACRED.coarser(city, "head", "COUNTRY") is None
    assert TACRED.coarser(city, "tail", "CITY") is None
    assert TACRED.coarser(city, "tail", "LOCATION") is None, "a city's own type as well"
    assert TACRED.coarser(city, "tail", "DATE") is None
    assert TACRED.coarser("per:country_of_birth", "tail", "COUNTRY") is None
    assert TACRED.coarser("no_relation", "tail", "COUNTRY") is None


def test_coarser_follows_the_direction() -> None:
    city, country = "org:city_of_headquarters", "org:country_of_headquarters"
    assert KBP37.coarser(f"{city}(e1,e2)", "tail", "COUNTRY") == f"{country}(e1,e2)"
    assert KBP37.coarser(f"{city}(e2,e1)", "head", "COUNTRY") == f"{country}(e2,e1)"
    assert KBP37.coarser(f"{city}(e2,e1)", "tail", "COUNTRY") is None


@pytest.mark.parametrize("directed", [False, True])
def test_the_place_may_be_the_head(directed: bool) -> None:
    ontology = Ontology(
        name="own",
        none="",
        directed=directed,
        relations={
            "seat of": RelationMeaning(head=("CITY",), place="head", coarser="land of"),
            "land of": RelationMeaning(head=("COUNTRY",), place="head"),
        },
    )
    if not directed:
        assert ontology.coarser("seat of", "head", "COUNTRY") == "land of"
        assert ontology.coarser("seat of", "tail", "COUNTRY") is None
        return
    assert ontology.coarser("seat of(e1,e2)", "head", "COUNTRY") == "land of(e1,e2)"
    assert ontology.coarser("seat of(e2,e1)", "tail", "COUNTRY") == "land of(e2,e1)"
    assert ontology.coarser("seat of(e2,e1)", "head", "COUNTRY") is None


@pytest.mark.parametrize(
    ("first", "second", "shared", "holds"),
    table(__file__, "what_tacred_s_symmetric_relations_share"),
)
def test_what_tacred_s_symmetric_relations_share(
    first: str, second: str, shared: str, holds: bool
) -> None:
    assert TACRED.shares(first, second, shared) is holds


def test_sharing_follows_the_direction_of_the_second_relation() -> None:
    ontology = Ontology(
        name="own",
        none="",
        directed=True,
        relations={
            "spouse": RelationMeaning(symmetric=True, shares_head=("child",)),
            "child": RelationMeaning(),
        },
    )
    for first in ("spouse(e1,e2)", "spouse(e2,e1)"):
        assert ontology.shares(first, "child(e1,e2)", "head")
        assert not ontology.shares(first, "child(e1,e2)", "tail")
        assert ontology.shares(first, "child(e2,e1)", "tail")
        assert not ontology.shares(first, "child(e2,e1)", "head")


def test_wikidata_s_families() -> None:
    assert WIKIDATA.inverse("P25") == WIKIDATA.inverse("P22") == "P40"
    assert WIKIDATA.inverse("P40") is None
    assert WIKIDATA.inverse("P155") == "P156"
    assert WIKIDATA.is_symmetric("P26")
    assert WIKIDATA.shares("P26", "P40", "head")
    assert not WIKIDATA.is_no_relation("")
