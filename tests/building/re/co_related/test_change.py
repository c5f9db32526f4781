"""The same meaning under another type: in other words, or in the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from making_samples import RESOURCES, is_aligned, marked, sample
from mt_gate.building.re.co_related.change import transform

ANNA = "[Anna|PERSON]"


def _made(nlp: Language, text: str, stratum: str) -> list[str]:
    source = sample(nlp, text)
    found = transform(source, RESOURCES)
    assert all(is_aligned(source, change) for change in found)
    return [marked(change) for change in found if change.stratum == stratum]


def test_the_papers_examples(nlp: Language) -> None:
    jupp = "[Jupp|PERSON], [46|NUMBER], works in the lab."
    assert _made(nlp, jupp, "words") == [
        "[Jupp|PERSON], [46 years old|DURATION], works in the lab."
    ]
    neal = (
        "[US|NATIONALITY] actress [Patricia Neal|PERSON], winner of both Academy and Tony awards, "
        "died at her home."
    )
    assert _made(nlp, neal, "type") == [neal.replace("NATIONALITY", "COUNTRY")]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        (f"{ANNA} is [46|NUMBER].", f"{ANNA} is [46 years old|DURATION]."),
        (f"{ANNA} is [46 years old|DURATION].", f"{ANNA} is [46|NUMBER]."),
        (
            f"{ANNA} died at the age of [46|NUMBER].",
            f"{ANNA} died at the age of [46 years|DURATION].",
        ),
        (
            f"{ANNA} is a [US|COUNTRY] actress.",
            f"{ANNA} is an [American|NATIONALITY] actress.",
        ),
        (
            f"{ANNA} is an [American|NATIONALITY] actress.",
            f"{ANNA} is a [US|COUNTRY] actress.",
        ),
        (
            f"{ANNA} is an [American|NATIONALITY] actress.",
            f"{ANNA} is an actress from the [United States|COUNTRY].",
        ),
        (
            f"{ANNA} was a retired [Dutch|NATIONALITY] painter.",
            f"{ANNA} was a retired painter from the [Netherlands|COUNTRY].",
        ),
        (
            f"{ANNA} is a [French|NATIONALITY] opera singer and composer.",
            f"{ANNA} is an opera singer and composer from [France|COUNTRY].",
        ),
        (
            f"{ANNA} is a young painter from [Italy|COUNTRY].",
            f"{ANNA} is a young [Italian|NATIONALITY] painter.",
        ),
        (
            f"[France|COUNTRY]'s president met {ANNA}.",
            f"The [French|NATIONALITY] president met {ANNA}.",
        ),
        (
            f"[Uganda|COUNTRY]'s President {ANNA} spoke.",
            f"[Ugandan|NATIONALITY] President {ANNA} spoke.",
        ),
        (
            f"{ANNA} met the [French|NATIONALITY] president.",
            f"{ANNA} met [France|COUNTRY]'s president.",
        ),
        (
            f"{ANNA} met the [French|NATIONALITY] president.",
            f"{ANNA} met the president of [France|COUNTRY].",
        ),
        (
            f"{ANNA} met the president of the [Netherlands|COUNTRY].",
            f"{ANNA} met the [Dutch|NATIONALITY] president.",
        ),
    ],
)
def test_the_same_in_other_words(nlp: Language, source: str, made: str) -> None:
    assert made in _made(nlp, source, "words")


@pytest.mark.parametrize(
    "source",
    [
        f"{ANNA} scored [46|NUMBER] points.",
        f"{ANNA}, [46|NUMBER], 12 and 8, won.",
        f"{ANNA} is [46|NUMBER] metres tall.",
        f"{ANNA} has a [46-year-old|DURATION] son.",
        f"{ANNA} worked for [46 years|DURATION].",
        f"{ANNA} is an African [American|NATIONALITY] actress.",
        f"{ANNA} is an Irish and [American|NATIONALITY] actress.",
        f"{ANNA} is an [Australian|NATIONALITY] rules footballer.",
        f"{ANNA} is an [American|NATIONALITY] football player.",
        f"{ANNA} is an [English|NATIONALITY] teacher.",
        f"{ANNA} is a [German|NATIONALITY]-born painter.",
        f"{ANNA} is a [Korean|NATIONALITY] painter.",
        f"{ANNA} is a [French|NATIONALITY] professor of law.",
        f"{ANNA} is a [French|NATIONALITY] poet, gardener and cook.",
        f"{ANNA} is a [French|NATIONALITY] actor, politician, and former National League player.",
        f"{ANNA} is a [French|NATIONALITY] poet, and an angler.",
        f"{ANNA} is a coach and a [French|NATIONALITY] poet.",
        f"{ANNA} was a [British|NATIONALITY] and nothing else.",
        f"{ANNA} likes [French|NATIONALITY] cheese.",
        f"{ANNA} is [American|NATIONALITY].",
        f"{ANNA} met a [French|NATIONALITY] president.",
        f"{ANNA} met the [French|NATIONALITY] government official.",
        f"{ANNA} met the president of [France|COUNTRY] and Spain.",
        f"{ANNA} likes [France|COUNTRY]'s rivers.",
        f"{ANNA} left the [US|COUNTRY].",
        f"{ANNA} won the Canada vs [U.S.|COUNTRY] game.",
        f"{ANNA} lives in [France|COUNTRY].",
    ],
)
def test_no_other_words_where_the_meaning_or_grammar_is_unsure(nlp: Language, source: str) -> None:
    assert _made(nlp, source, "words") == []


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (f"{ANNA} was born in [Boston|CITY].", "LOCATION"),
        (f"{ANNA} was born in Athens, [Ohio|STATE_OR_PROVINCE].", "LOCATION"),
        (f"{ANNA} lives in [France|COUNTRY].", "LOCATION"),
        (f"{ANNA} crossed the [Tower Bridge|FACILITY].", "LOCATION"),
        (f"{ANNA} is a [U.S.|COUNTRY] actress.", "NATIONALITY"),
        (f"{ANNA} is a member of a [U.S.|COUNTRY] band.", "NATIONALITY"),
        (f"{ANNA} sang for [US|COUNTRY] troops.", "NATIONALITY"),
        (f"{ANNA} won the [US|NATIONALITY] title.", "COUNTRY"),
    ],
)
def test_the_same_words_under_another_type(nlp: Language, source: str, kind: str) -> None:
    words = source.rpartition("[")[2].partition("|")[0]
    (made,) = _made(nlp, source, "type")
    assert made == source.replace(
        source[source.rindex("[") :].partition("]")[0], f"[{words}|{kind}"
    )


@pytest.mark.parametrize(
    "source",
    [
        f"{ANNA} is [American|NATIONALITY].",
        f"{ANNA} said that [France|COUNTRY] will not negotiate.",
        f"{ANNA} played for [Italy|COUNTRY].",
        f"{ANNA} beat [Turkey|COUNTRY]'s champion.",
        f"{ANNA} wants compensation from [Israel|COUNTRY].",
        f"{ANNA} is a [Boston|CITY] lawyer.",
        f"{ANNA} works in [Boston|COUNTRY].",
        f"{ANNA} scored [46|NUMBER] points.",
        f"{ANNA} met [Zutty Singleton|FACILITY].",
        f"{ANNA} works for [Acme|ORGANIZATION].",
        f"{ANNA} left the [US|COUNTRY].",
        # The state itself.
        f"{ANNA} lives in one of the [U.S.|COUNTRY] states.",
        f"{ANNA} crossed the [U.S.|COUNTRY] state of Utah.",
        f"{ANNA} broke [U.S.|COUNTRY] federal law.",
        f"{ANNA} is a [U.S.|COUNTRY] attorney in Utah.",
        f"{ANNA} built his [US|COUNTRY] mainline.",
        f"{ANNA} won the Canada vs [U.S.|COUNTRY] game.",
        # A number is no length of time without a unit.
        "[Jupp|PERSON], [46|NUMBER], works in the lab.",
        f"{ANNA} died aged [110|NUMBER].",
        # Works that are named as places are.
        f"{ANNA} appears in the television show [Sesame Street|FACILITY].",
        f"{ANNA} is nodded to in [Carnage Park|FACILITY], as in earlier films.",
        f'{ANNA} wrote "[Tower Bridge|FACILITY]" at home.',
        f'{ANNA} saw her in "[Boston|CITY]" twice.',
        f"{ANNA} starred in [Chicago|CITY].",
        f"{ANNA} founded it as [Njala Experimental Station|FACILITY].",
        f"{ANNA} sang with the band [River Road|FACILITY].",
        f"The [Fine Arts Palace|FACILITY] said that {ANNA} left.",
        f"{ANNA} is from Auburn University at [Montgomery|CITY].",
        # Half a name, a side in a match, a university.
        f"{ANNA} taught in [New York|STATE_OR_PROVINCE] City.",
        f"{ANNA} lives in [Kingston|CITY] upon Hull.",
        f"{ANNA} played at [Indiana|STATE_OR_PROVINCE].",
    ],
)
def test_no_other_type_where_a_reader_may_object(nlp: Language, source: str) -> None:
    assert _made(nlp, source, "type") == []


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    lead=st.sampled_from(["is a", "met the", "is an", "saw", "is the president of", "is"]),
    said=st.sampled_from(
        "French|NATIONALITY American|NATIONALITY US|COUNTRY UK|NATIONALITY Spain|COUNTRY 46|NUMBER "
        "Netherlands|COUNTRY Boston|CITY".split()
    ),
    end=st.sampled_from(
        [" actress.", " actor and singer.", "'s president.", " government", ".", "", ", who sang."]
    ),
    tail_first=st.booleans(),
)
def test_spans_lie_on_their_words(
    nlp: Language, lead: str, said: str, end: str, tail_first: bool
) -> None:
    source = sample(nlp, f"[Anna|PERSON] {lead} [{said}]{end}", tail_first=tail_first)
    for change in transform(source, RESOURCES):
        assert "[Anna|PERSON]" in marked(change)
        assert is_aligned(source, change)
        assert (change.text == source.text) == (change.stratum == "type")
        assert source.head.type != change.head.type or source.tail.type != change.tail.type


def test_head_and_tail_do_not_become_the_same_words(nlp: Language) -> None:
    text = "Anna was a [Spanish|NATIONALITY] actress, active in [Spain|COUNTRY] and Italy."
    assert not any("actress from [Spain" in made for made in _made(nlp, text, "words"))
