"""The same meaning in words of another type."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from making_samples import RESOURCES, is_aligned, marked, sample
from mt_gate_suites.re.co_related.change import transform

ANNA = "[Anna|PERSON]"


def _made(nlp: Language, text: str) -> list[str]:
    source = sample(nlp, text)
    found = transform(source, RESOURCES)
    assert all(is_aligned(source, change) for change in found)
    return [marked(change) for change in found]


def test_the_papers_examples(nlp: Language) -> None:
    jupp = "[Jupp|PERSON], [46|NUMBER], works in the lab."
    assert _made(nlp, jupp) == ["[Jupp|PERSON], [46 years old|DURATION], works in the lab."]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        # The country of birth, and of where one is from.
        (
            f"{ANNA} is a [German|NATIONALITY]-born American painter.",
            f"{ANNA} is an American painter born in [Germany|COUNTRY].",
        ),
        (f"{ANNA} is [American|NATIONALITY].", f"{ANNA} is from the [United States|COUNTRY]."),
        (f"{ANNA} is from [Spain|COUNTRY].", f"{ANNA} is [Spanish|NATIONALITY]."),
        (
            f"{ANNA} led a group of [Canadian|NATIONALITY] soldiers.",
            f"{ANNA} led a group of soldiers from [Canada|COUNTRY].",
        ),
        (
            f"{ANNA} met three students from [Japan|COUNTRY].",
            f"{ANNA} met three [Japanese|NATIONALITY] students.",
        ),
        (
            f"{ANNA} has an [Italian|NATIONALITY] mother.",
            f"{ANNA} has a mother from [Italy|COUNTRY].",
        ),
        (
            f"{ANNA} starred in a 1992 [Japanese|NATIONALITY] film.",
            f"{ANNA} starred in a 1992 film from [Japan|COUNTRY].",
        ),
        (
            f"{ANNA} is a citizen of [Canada|COUNTRY].",
            f"{ANNA} is a [Canadian|NATIONALITY] citizen.",
        ),
        # A noun and a name behind it.
        (
            "The song was written by [Irish|NATIONALITY] singer [Anna Weber|PERSON] in 1990.",
            "The song was written by [Anna Weber|PERSON], a singer from [Ireland|COUNTRY], "
            "in 1990.",
        ),
        (
            "The song was sung by the [Irish|NATIONALITY] singer [Anna Weber|PERSON].",
            "The song was sung by [Anna Weber|PERSON], a singer from [Ireland|COUNTRY].",
        ),
        (
            "[Irish|NATIONALITY] singer [Anna Weber|PERSON] wrote the song.",
            "[Anna Weber|PERSON], a singer from [Ireland|COUNTRY], wrote the song.",
        ),
        (
            "In 1990, [Irish|NATIONALITY] singer [Anna Weber|PERSON] wrote the song.",
            "In 1990, [Anna Weber|PERSON], a singer from [Ireland|COUNTRY], wrote the song.",
        ),
        # What is first of its country.
        (
            "[Aegean Airlines|ORGANIZATION], [Greece|COUNTRY]'s largest airline, joined in June.",
            "[Aegean Airlines|ORGANIZATION], the largest [Greek|NATIONALITY] airline, joined in "
            "June.",
        ),
        (
            "[Lufthansa|ORGANIZATION] is the largest airline in [Germany|COUNTRY].",
            "[Lufthansa|ORGANIZATION] is the largest [German|NATIONALITY] airline.",
        ),
        (
            "[Lufthansa|ORGANIZATION] is the largest [German|NATIONALITY] airline.",
            "[Lufthansa|ORGANIZATION] is the largest airline in [Germany|COUNTRY].",
        ),
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
    assert made in _made(nlp, source)


@pytest.mark.parametrize(
    "source",
    [
        # A place is in America, and not in American.
        "The [Enchanted Forest|LOCATION] is a park located in Turner in the [U.S.|COUNTRY] state "
        "of Oregon.",
        "[Nashua|CITY] is home to a [U.S.|COUNTRY] band.",
        "[Lyon|CITY] is the largest [French|NATIONALITY] club's home.",
        # No noun of people or works.
        f"{ANNA} lives in one of the [U.S.|COUNTRY] states.",
        f"{ANNA} crossed [U.S.|COUNTRY] waters.",
        # The largest investor in a country is none of the country.
        "The [EU|ORGANIZATION] is [South Africa|COUNTRY]'s biggest investor.",
        # The country would be named twice, or the phrase goes on.
        f"{ANNA} was a [Spanish|NATIONALITY] actress, active in Spain and Italy.",
        f"{ANNA} is an [English|NATIONALITY] singer, songwriter, DJ and designer.",
        f"{ANNA} met French and [German|NATIONALITY] soldiers.",
        f"{ANNA} met the [German|NATIONALITY] soldiers.",
        f"{ANNA} is half [Irish|NATIONALITY].",
        f"The cheese is [French|NATIONALITY], says {ANNA}.",
        f"It was sung by [Irish|NATIONALITY] singer {ANNA}, Bob and Carol.",
        f"Bob, [Irish|NATIONALITY] singer {ANNA} and Carol sang it.",
        f"{ANNA} scored [46|NUMBER] points.",
        f"{ANNA}, [46|NUMBER], 12 and 8, won.",
        f"{ANNA} is [46|NUMBER] metres tall.",
        f"{ANNA} worked for [46 years|DURATION].",
        f"{ANNA} is an African [American|NATIONALITY] actress.",
        f"{ANNA} is an Irish and [American|NATIONALITY] actress.",
        f"{ANNA} is an [Australian|NATIONALITY] rules footballer.",
        f"{ANNA} is an [American|NATIONALITY] football player.",
        f"{ANNA} is an [English|NATIONALITY] teacher.",
        f"{ANNA} is a [Korean|NATIONALITY] painter.",
        f"{ANNA} is a [French|NATIONALITY] professor of law.",
        f"{ANNA} is a [French|NATIONALITY] poet, gardener and cook.",
        f"{ANNA} is a [French|NATIONALITY] actor, politician, and former National League player.",
        f"{ANNA} is a [French|NATIONALITY] poet, and an angler.",
        f"{ANNA} is a coach and a [French|NATIONALITY] poet.",
        f"{ANNA} was a [British|NATIONALITY] and nothing else.",
        f"{ANNA} likes [French|NATIONALITY] cheese.",
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
    assert _made(nlp, source) == []


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
        assert change.text != source.text
        assert source.head.type != change.head.type or source.tail.type != change.tail.type


def test_head_and_tail_do_not_become_the_same_words(nlp: Language) -> None:
    text = "Anna was a [Spanish|NATIONALITY] actress, active in [Spain|COUNTRY] and Italy."
    assert not any("actress from [Spain" in made for made in _made(nlp, text))
