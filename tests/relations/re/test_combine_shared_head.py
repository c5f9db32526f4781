from __future__ import annotations

import pytest

from making_relations import marked, source
from mt_gate.domain import Verdict
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relations.base import AnsweredInput, Context, ExecutedGroup, FirstSource
from mt_gate.relations.re.combine_shared_head import RELATION

TACRED = Context(open_ontology("tacred"))
KBP37 = Context(open_ontology("kbp37"))
FIRST = (
    "[Peterson|h PERSON] leaves behind his wife, [Kelly|t PERSON], and their daughter "
    "[Celine|e PERSON]."
)
SECOND = "[Peterson|h PERSON] leaves behind his wife, Kelly, and their daughter [Celine|t PERSON]."
AFTER = "Peterson leaves behind his wife, [Kelly|h PERSON], and their daughter [Celine|t PERSON]."


def first(said, context=TACRED, sentence=FIRST):
    return FirstSource(source(sentence), {"relation": said, "score": 0.9}, context)


def follow_ups(said, told, context=TACRED):
    asked = (AnsweredInput(marked(SECOND), {"relation": told, "score": 0.9}),)
    return RELATION.combine.follow_ups(first(said, context), asked)


def test_the_third_entity_is_asked_about():
    assert RELATION.combine.seconds(first("per:spouse")) == (marked(SECOND),)


@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "per:spouse", "per:children"),
        (KBP37, "org:alternate_names(e2,e1)", "org:founded_by(e1,e2)"),
    ],
)
def test_two_pairs_make_a_third(context, said, told):
    (found,) = follow_ups(said, told, context)
    assert found.input == marked(AFTER)
    assert found.second.input == marked(SECOND)


@pytest.mark.parametrize("said", ["no_relation", "per:title", "per:children", "per:employee_of"])
def test_a_first_relation_that_holds_one_way_asks_nothing(said):
    assert RELATION.combine.seconds(first(said)) == ()
    assert follow_ups(said, "per:children") == ()


@pytest.mark.parametrize("told", ["no_relation", "per:spouse", "per:title"])
def test_a_second_relation_that_is_not_shared_makes_nothing(told):
    assert follow_ups("per:spouse", told) == ()


def test_a_sentence_of_two_asks_nothing():
    alone = first("per:spouse", sentence="[Ann|h PERSON] met [Bo|t PERSON].")
    assert RELATION.combine.seconds(alone) == ()


@pytest.mark.parametrize(("told", "wanted"), [("per:children", True), ("no_relation", False)])
def test_the_second_relation_is_expected(told, wanted):
    second = AnsweredInput(marked(SECOND), {"relation": "per:children", "score": 0.9})
    after = {"relation": told, "score": 0.9}
    before = {"relation": "per:spouse", "score": 0.9}
    case = ExecutedGroup(marked(FIRST), marked(AFTER), before, after, (), second, TACRED)
    found = RELATION.holds(case)
    assert found.verdict is (Verdict.SATISFIED if wanted else Verdict.VIOLATED)
    assert found.unmatched == (None if wanted else {"expected": "per:children"})
