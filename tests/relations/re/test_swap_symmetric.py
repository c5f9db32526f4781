from __future__ import annotations

import pytest

from making_relations import KBP37, TACRED, judged, when
from mt_gate.domain import Verdict
from mt_gate.relations.re.swap_symmetric import RELATION

BEFORE = "[Lily|h PERSON] is [Mary|t PERSON]’s sister."
AFTER = "[Lily|t PERSON] is [Mary|h PERSON]’s sister."


@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "per:siblings", "per:siblings"),
        (KBP37, "per:spouse(e1,e2)", "per:spouse(e1,e2)"),
        (KBP37, "per:spouse(e1,e2)", "per:spouse(e2,e1)"),
    ],
)
def test_the_relation_stays(context, said, told):
    assert when(RELATION, context, BEFORE, said, AFTER) == ""
    assert judged(RELATION, context, BEFORE, said, AFTER, told).verdict is Verdict.SATISFIED


def test_another_answer_violates():
    found = judged(RELATION, TACRED, BEFORE, "per:siblings", AFTER, "per:spouse")
    assert found.verdict is Verdict.VIOLATED
    assert found.unmatched == {"expected": "per:siblings"}


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (TACRED, "per:children"),
        (TACRED, "no_relation"),
        (TACRED, "per:title"),
        (KBP37, "per:employee_of(e1,e2)"),
    ],
)
def test_what_holds_one_way_says_nothing(context, said):
    assert when(RELATION, context, BEFORE, said, AFTER) == "source-answer"
    assert judged(RELATION, context, BEFORE, said, AFTER, said).verdict is Verdict.NOT_APPLICABLE
