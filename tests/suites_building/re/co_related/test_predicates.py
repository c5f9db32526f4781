"""A nationality that a sentence says of a person."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import by_rules
from mt_gate_suites.re.co_related.predicates import OF_COUNTRY, OF_NATIONALITY

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (
            f"{ANNA} says that she is [French|NATIONALITY].",
            f"{ANNA} says that she is from [France|COUNTRY].",
        ),
        (
            f"{ANNA} says that she is from [France|COUNTRY].",
            f"{ANNA} says that she is [French|NATIONALITY].",
        ),
    ],
)
def test_said_the_other_way(nlp: Language, text: str, follow_up: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == [follow_up]


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} says that it is [French|NATIONALITY].",
        f"{ANNA} says that wine is from [France|COUNTRY].",
    ],
)
def test_nothing_where_it_does_not_fit(nlp: Language, text: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == []
