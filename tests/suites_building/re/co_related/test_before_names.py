"""A nationality before a noun and a name goes behind the name."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import by_rules
from mt_gate_suites.re.co_related.before_names import OF_NATIONALITY

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "follow_up"),
    [
        (
            f"{ANNA} met with [French|NATIONALITY] actor [Boris Miller|PERSON].",
            f"{ANNA} met with Boris Miller, an actor from [France|COUNTRY].",
        ),
    ],
)
def test_said_the_other_way(nlp: Language, text: str, follow_up: str) -> None:
    assert by_rules(nlp, text, (), OF_NATIONALITY) == [follow_up]


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} met the [French|NATIONALITY] actor.",
        f"{ANNA} lived in [France|COUNTRY].",
    ],
)
def test_nothing_where_it_does_not_fit(nlp: Language, text: str) -> None:
    assert by_rules(nlp, text, (), OF_NATIONALITY) == []
