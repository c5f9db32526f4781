"""Another mention of the same: the relation stays, and no relation promises nothing."""

from __future__ import annotations

import pytest

from making_relations import KBP37, TACRED, judged, when
from mt_gate.domain import NotApplicable
from mt_gate.relations.base import Context
from mt_gate.relations.re.coreferent import RELATION

BEFORE = "John is a father, [he|t PERSON] loves his child [Mary|h PERSON]."
AFTER = "[John|t PERSON] is a father, he loves his child [Mary|h PERSON]."


@pytest.mark.parametrize(
    ("context", "said", "told", "verdict"),
    [
        (TACRED, "per:parents", "per:parents", "satisfied"),
        (TACRED, "per:parents", "per:children", "violated"),
        (TACRED, "per:parents", "no_relation", "violated"),
        (TACRED, "no_relation", "per:parents", "not-applicable"),
        (KBP37, "no_relation", "no_relation", "not-applicable"),
    ],
)
def test_the_relation_stays(context: Context, said: str, told: str, verdict: str) -> None:
    assert judged(RELATION, context, BEFORE, said, AFTER, told).verdict == verdict


@pytest.mark.parametrize(
    ("said", "reason"), [("per:parents", ""), ("no_relation", NotApplicable.SOURCE_ANSWER)]
)
def test_what_is_asked_at_all(said: str, reason: str) -> None:
    assert when(RELATION, TACRED, BEFORE, said, AFTER) == reason
