"""Where people are from, before and behind the noun."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import by_rules
from mt_gate_suites.re.co_related.origins import OF_COUNTRY, OF_NATIONALITY

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (
            f"{ANNA} is a [French|NATIONALITY] actor.",
            f"{ANNA} is an actor from [France|COUNTRY].",
        ),
        (
            f"{ANNA} is an actor from [France|COUNTRY].",
            f"{ANNA} is a [French|NATIONALITY] actor.",
        ),
    ],
)
def test_said_the_other_way(nlp: Language, text: str, follow_up: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == [follow_up]


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} is the [French|NATIONALITY] president.",
        f"{ANNA} came from [France|COUNTRY].",
    ],
)
def test_nothing_where_it_does_not_fit(nlp: Language, text: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == []
