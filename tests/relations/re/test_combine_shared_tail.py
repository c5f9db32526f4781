from __future__ import annotations

import pytest

from making_relations import marked, source
from mt_gate.domain import Verdict
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relations.base import AnsweredInput, Context, ExecutedGroup, FirstSource
from mt_gate.relations.re.combine_shared_tail import RELATION

TACRED = Context(open_ontology("tacred"))
KBP37 = Context(open_ontology("kbp37"))
FIRST = "[Liu|e PERSON] chairs the [Banking Commission|t ORGANIZATION] ([CBRC|h ORGANIZATION])."
SECOND = "[Liu|h PERSON] chairs the [Banking Commission|t ORGANIZATION] (CBRC)."
AFTER = "[Liu|h PERSON] chairs the Banking Commission ([CBRC|t ORGANIZATION])."


def first(said, context=TACRED, sentence=FIRST):
    return FirstSource(source(sentence), {"relation": said, "score": 0.9}, context)


def follow_ups(said, told, context=TACRED):
    asked = (AnsweredInput(marked(SECOND), {"relation": told, "score": 0.9}),)
    return RELATION.combine.follow_ups(first(said, context), asked)


def test_the_third_entity_is_asked_about():
    assert RELATION.combine.seconds(first("org:alternate_names")) == (marked(SECOND),)


@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "org:alternate_names", "per:employee_of"),
        (KBP37, "org:alternate_names(e2,e1)", "per:employee_of(e1,e2)"),
    ],
)
def test_two_pairs_make_a_third(context, said, told):
    (found,) = follow_ups(said, told, context)
    assert found.input == marked(AFTER)
    assert found.second.input == marked(SECOND)


@pytest.mark.parametrize("said", ["no_relation", "per:title", "per:children", "per:employee_of"])
def test_a_first_relation_that_holds_one_way_asks_nothing(said):
    assert RELATION.combine.seconds(first(said)) == ()
    assert follow_ups(said, "per:employee_of") == ()


@pytest.mark.parametrize("told", ["no_relation", "org:alternate_names"])
def test_a_second_relation_that_is_not_shared_makes_nothing(told):
    assert follow_ups("org:alternate_names", told) == ()


def test_a_sentence_of_two_asks_nothing():
    alone = first("org:alternate_names", sentence="[Ann|h PERSON] met [Bo|t PERSON].")
    assert RELATION.combine.seconds(alone) == ()


@pytest.mark.parametrize(("told", "wanted"), [("per:employee_of", True), ("no_relation", False)])
def test_the_second_relation_is_expected(told, wanted):
    second = AnsweredInput(marked(SECOND), {"relation": "per:employee_of", "score": 0.9})
    after = {"relation": told, "score": 0.9}
    before = {"relation": "org:alternate_names", "score": 0.9}
    case = ExecutedGroup(marked(FIRST), marked(AFTER), before, after, (), second, TACRED)
    found = RELATION.holds(case)
    assert found.verdict is (Verdict.SATISFIED if wanted else Verdict.VIOLATED)
    assert found.unmatched == (None if wanted else {"expected": "per:employee_of"})
