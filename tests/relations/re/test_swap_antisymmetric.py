from __future__ import annotations

import pytest

from making_relations import KBP37, TACRED, judged, when
from mt_gate.domain import Verdict
from mt_gate.relations.re.swap_antisymmetric import RELATION

BEFORE = "[John|h PERSON] is [Mary|t PERSON]’s father."
AFTER = "[John|t PERSON] is [Mary|h PERSON]’s father."


@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "per:children", "per:parents"),
        (TACRED, "per:parents", "per:children"),
        (KBP37, "per:title(e1,e2)", "per:title(e2,e1)"),
        (KBP37, "per:employee_of(e2,e1)", "per:employee_of(e1,e2)"),
    ],
)
def test_the_inverse_comes(context, said, told):
    assert when(RELATION, context, BEFORE, said, AFTER) == ""
    assert judged(RELATION, context, BEFORE, said, AFTER, told).verdict is Verdict.SATISFIED


@pytest.mark.parametrize("told", ["per:children", "per:siblings", "no_relation"])
def test_another_answer_violates(told):
    found = judged(RELATION, TACRED, BEFORE, "per:children", AFTER, told)
    assert found.verdict is Verdict.VIOLATED
    assert found.unmatched == {"expected": "per:parents"}


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (TACRED, "per:siblings"),
        (TACRED, "no_relation"),
        (TACRED, "per:title"),
        (KBP37, "per:spouse(e1,e2)"),
    ],
)
def test_what_has_no_inverse_says_nothing(context, said):
    assert when(RELATION, context, BEFORE, said, AFTER) == "source-answer"
    assert judged(RELATION, context, BEFORE, said, AFTER, said).verdict is Verdict.NOT_APPLICABLE


def test_an_inverse_that_does_not_hold_of_such_arguments_says_nothing():
    before = "[UNESCO|h ORGANIZATION] admitted [Norway|t COUNTRY]."
    after = "[UNESCO|t ORGANIZATION] admitted [Norway|h COUNTRY]."
    assert when(RELATION, TACRED, before, "org:members", after) == "source-answer"
