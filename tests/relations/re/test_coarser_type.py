from __future__ import annotations

import pytest

from making_relations import KBP37, TACRED, judged, when
from mt_gate.domain import Verdict
from mt_gate.relations.re.coarser_type import RELATION

BEFORE = "[Richard|h PERSON] was born in [San Francisco|t CITY]."
STATE = "[Richard|h PERSON] was born in [California|t STATE_OR_PROVINCE]."
COUNTRY = "[Richard|h PERSON] was born in the [United States|t COUNTRY]."


@pytest.mark.parametrize(
    ("context", "said", "after", "told"),
    [
        (TACRED, "per:city_of_birth", COUNTRY, "per:country_of_birth"),
        (TACRED, "per:city_of_birth", STATE, "per:stateorprovince_of_birth"),
        (TACRED, "per:cities_of_residence", COUNTRY, "per:countries_of_residence"),
        (KBP37, "per:cities_of_residence(e1,e2)", COUNTRY, "per:countries_of_residence(e1,e2)"),
    ],
)
def test_the_coarser_relation_comes(context, said, after, told):
    assert when(RELATION, context, BEFORE, said, after) == ""
    assert judged(RELATION, context, BEFORE, said, after, told).verdict is Verdict.SATISFIED


@pytest.mark.parametrize("told", ["per:city_of_birth", "per:countries_of_residence", "no_relation"])
def test_another_answer_violates(told):
    found = judged(RELATION, TACRED, BEFORE, "per:city_of_birth", COUNTRY, told)
    assert found.verdict is Verdict.VIOLATED
    assert found.unmatched == {"expected": "per:country_of_birth"}


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (TACRED, "no_relation"),
        (TACRED, "per:employee_of"),
        (TACRED, "per:country_of_birth"),
        (KBP37, "per:cities_of_residence(e2,e1)"),
    ],
)
def test_what_has_no_coarser_relation_says_nothing(context, said):
    assert when(RELATION, context, BEFORE, said, COUNTRY) == "source-answer"
    assert judged(RELATION, context, BEFORE, said, COUNTRY, said).verdict is Verdict.NOT_APPLICABLE


def test_the_place_must_be_the_argument_that_changed():
    before = "[Boston|h CITY] is where [Ann|t PERSON] lives."
    after = "[Massachusetts|h STATE_OR_PROVINCE] is where [Ann|t PERSON] lives."
    assert when(RELATION, TACRED, before, "per:cities_of_residence", after) == "source-answer"
    assert when(RELATION, KBP37, before, "per:cities_of_residence(e2,e1)", after) == ""
