"""Another name of its type: a relation stays, and no relation promises nothing."""

from __future__ import annotations

import pytest

from making_relations import KBP37, TACRED, judged, when
from mt_gate.domain import NotApplicable
from mt_gate.relations.base import Context
from mt_gate.relations.re.same_type import RELATION

BEFORE = "[French|t NATIONALITY] filmmaker [Claude|h PERSON] dies at 80."
AFTER = "[American|t NATIONALITY] filmmaker [Claude|h PERSON] dies at 80."


@pytest.mark.parametrize(
    ("context", "said", "told", "verdict"),
    [
        (TACRED, "per:origin", "per:origin", "satisfied"),
        (TACRED, "per:origin", "per:title", "violated"),
        (TACRED, "per:origin", "no_relation", "violated"),
        (TACRED, "no_relation", "per:origin", "not-applicable"),
        (KBP37, "no_relation", "no_relation", "not-applicable"),
    ],
)
def test_the_relation_stays(context: Context, said: str, told: str, verdict: str) -> None:
    assert judged(RELATION, context, BEFORE, said, AFTER, told).verdict == verdict


@pytest.mark.parametrize(
    ("said", "reason"), [("per:origin", ""), ("no_relation", NotApplicable.SOURCE_ANSWER)]
)
def test_what_is_asked_at_all(said: str, reason: str) -> None:
    assert when(RELATION, TACRED, BEFORE, said, AFTER) == reason
