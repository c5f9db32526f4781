"""The same words under another type."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import RESOURCES, is_aligned, marked, sample
from mt_gate_suites.re.type_label.change import transform

ANNA = "[Anna|PERSON]"


def _made(nlp: Language, text: str) -> list[str]:
    source = sample(nlp, text)
    found = transform(source, RESOURCES)
    assert all(is_aligned(source, change) for change in found)
    assert all(change.text == source.text for change in found)
    return [marked(change) for change in found]


def test_the_papers_example(nlp: Language) -> None:
    neal = (
        "[US|NATIONALITY] actress [Patricia Neal|PERSON], winner of both Academy and Tony awards, "
        "died at her home."
    )
    assert _made(nlp, neal) == [neal.replace("NATIONALITY", "COUNTRY")]


def test_a_kind_of_edit_is_named_by_both_types(nlp: Language) -> None:
    (made,) = transform(
        sample(nlp, f"{ANNA} was born in Athens, [Ohio|STATE_OR_PROVINCE]."), RESOURCES
    )
    assert made.stratum == "state-to-location"


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
    (made,) = _made(nlp, source)
    assert made == source.replace(
        source[source.rindex("[") :].partition("]")[0], f"[{words}|{kind}"
    )


@pytest.mark.parametrize(
    "source",
    [
        # Of two places a scheme with types asks nothing.
        "[Boston|CITY] lies in [Ohio|STATE_OR_PROVINCE].",
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
    assert _made(nlp, source) == []
