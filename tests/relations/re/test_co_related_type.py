"""The same in words of another type: the relation stays where it can be between both."""

from __future__ import annotations

import pytest

from making_relations import TACRED, judged, when
from mt_gate.domain import NotApplicable
from mt_gate.relations.re.co_related_type import RELATION

AGE = "[Jupp|h PERSON], [46|t NUMBER], works in the lab."
YEARS = "[Jupp|h PERSON], [46 years old|t DURATION], works in the lab."


@pytest.mark.parametrize(
    ("said", "told", "verdict"),
    [
        ("per:age", "per:age", "satisfied"),
        ("per:age", "no_relation", "violated"),
        ("no_relation", "per:age", "not-applicable"),
        ("per:parents", "per:parents", "not-applicable"),
    ],
)
def test_the_relation_stays_between_types_that_it_can_have(
    said: str, told: str, verdict: str
) -> None:
    assert judged(RELATION, TACRED, AGE, said, YEARS, told).verdict == verdict


def test_what_is_asked_at_all() -> None:
    assert when(RELATION, TACRED, AGE, "per:age", YEARS) == ""
    assert when(RELATION, TACRED, AGE, "no_relation", YEARS) == NotApplicable.SOURCE_ANSWER


def test_words_are_asked_of_systems_that_read_no_types_too() -> None:
    unread = TACRED._replace(reads_types=False)
    assert when(RELATION, unread, AGE, "per:age", YEARS) == ""
