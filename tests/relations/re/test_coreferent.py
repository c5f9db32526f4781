from __future__ import annotations

import pytest

from making_relations import marked
from mt_gate.domain import Verdict
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relations.base import Before, Case, Context
from mt_gate.relations.re.coreferent import RELATION

TACRED = Context(open_ontology("tacred"))
KBP37 = Context(open_ontology("kbp37"))


def when(context, before, said, after):
    output = {"relation": said, "score": 0.9}
    return RELATION.when(Before(marked(before), marked(after), output, context))


def judged(context, before, said, after, told):
    case = Case(
        marked(before),
        marked(after),
        {"relation": said, "score": 0.9},
        {"relation": told, "score": 0.9},
        (),
        context=context,
    )
    return RELATION.holds(case)


BEFORE = "John is a father, [he|t PERSON] loves his child [Mary|h PERSON]."
AFTER = "[John|t PERSON] is a father, he loves his child [Mary|h PERSON]."


@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "per:parents", "per:parents"),
        (KBP37, "per:employee_of(e1,e2)", "per:employee_of(e1,e2)"),
        (KBP37, "per:spouse(e1,e2)", "per:spouse(e2,e1)"),
    ],
)
def test_the_relation_stays(context, said, told):
    assert when(context, BEFORE, said, AFTER) == ""
    assert judged(context, BEFORE, said, AFTER, told).verdict is Verdict.SATISFIED


@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "per:parents", "no_relation"),
        (TACRED, "per:parents", "per:title"),
        (KBP37, "per:employee_of(e1,e2)", "per:employee_of(e2,e1)"),
    ],
)
def test_another_answer_violates(context, said, told):
    found = judged(context, BEFORE, said, AFTER, told)
    assert found.verdict is Verdict.VIOLATED
    assert found.unmatched == {"expected": said}


@pytest.mark.parametrize(
    ("context", "said"),
    [(TACRED, "no_relation"), (KBP37, "no_relation"), (TACRED, "of another scheme")],
)
def test_no_relation_says_nothing(context, said):
    assert when(context, BEFORE, said, AFTER) == "source-answer"
    found = judged(context, BEFORE, said, AFTER, "per:title")
    assert found.verdict is Verdict.NOT_APPLICABLE
