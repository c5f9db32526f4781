"""Letters of a country, and its adjective."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import by_rules
from mt_gate_suites.re.co_related.letters import OF_COUNTRY, OF_NATIONALITY

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (
            f"{ANNA} is a [US|COUNTRY] actress.",
            f"{ANNA} is an [American|NATIONALITY] actress.",
        ),
        (
            f"{ANNA} is an [American|NATIONALITY] actress.",
            f"{ANNA} is a [US|COUNTRY] actress.",
        ),
    ],
)
def test_said_the_other_way(nlp: Language, text: str, follow_up: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == [follow_up]


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} lived in the [US|COUNTRY].",
        f"{ANNA} is a [British|NATIONALITY] actress.",
        f"In 1790 {ANNA} was an [American|NATIONALITY] actress.",
    ],
)
def test_nothing_where_it_does_not_fit(nlp: Language, text: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == []
