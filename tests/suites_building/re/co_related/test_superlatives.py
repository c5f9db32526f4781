"""What is first in its country, in two ways."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import by_rules
from mt_gate_suites.re.co_related.superlatives import OF_COUNTRY, OF_NATIONALITY

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (
            f"{ANNA} runs the largest bank in [France|COUNTRY].",
            f"{ANNA} runs the largest [French|NATIONALITY] bank.",
        ),
        (
            f"{ANNA} runs [France|COUNTRY]'s largest bank.",
            f"{ANNA} runs the largest [French|NATIONALITY] bank.",
        ),
    ],
)
def test_said_the_other_way(nlp: Language, text: str, follow_up: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == [follow_up]


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} runs a bank in [France|COUNTRY].",
        f"{ANNA} runs the largest bank near [France|COUNTRY].",
    ],
)
def test_nothing_where_it_does_not_fit(nlp: Language, text: str) -> None:
    assert by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY) == []
