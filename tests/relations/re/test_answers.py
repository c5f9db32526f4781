"""Relations whose follow-up must be answered as the source: another name, type, or mention."""

from __future__ import annotations

import pytest

from making_relations import KBP37, TACRED, judged, when
from mt_gate.domain import Verdict
from mt_gate.relations.re import co_related_type, coreferent, same_type, type_label

PAIRS = {
    same_type.RELATION: (
        "[French|t NATIONALITY] filmmaker [Claude|h PERSON] dies at 80.",
        "[American|t NATIONALITY] filmmaker [Claude|h PERSON] dies at 80.",
    ),
    type_label.RELATION: (
        "[Anna Berg|h PERSON] served [Norway|t COUNTRY] for years.",
        "[Anna Berg|h PERSON] served [Norway|t LOCATION] for years.",
    ),
    co_related_type.RELATION: (
        "[Anna Berg|h PERSON] served [Norway|t COUNTRY] for years.",
        "[Anna Berg|h PERSON] served [this land|t LOCATION] for years.",
    ),
    coreferent.RELATION: (
        "John came from [Oslo|t CITY], where [he|h PERSON] was born.",
        "[John|h PERSON] came from [Oslo|t CITY], where he was born.",
    ),
}
each_relation = pytest.mark.parametrize(
    ("relation", "before", "after"), [(relation, *pair) for relation, pair in PAIRS.items()]
)


@each_relation
@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "per:origin", "per:origin"),
        (KBP37, "per:employee_of(e1,e2)", "per:employee_of(e1,e2)"),
    ],
)
def test_the_relation_stays(relation, before, after, context, said, told):
    assert when(relation, context, before, said, after) == ""
    found = judged(relation, context, before, said, after, told)
    assert found.verdict is Verdict.SATISFIED


@each_relation
@pytest.mark.parametrize(
    ("context", "said", "told"),
    [
        (TACRED, "per:origin", "no_relation"),
        (TACRED, "per:origin", "per:title"),
        (KBP37, "per:employee_of(e1,e2)", "per:employee_of(e2,e1)"),
    ],
)
def test_another_answer_violates(relation, before, after, context, said, told):
    found = judged(relation, context, before, said, after, told)
    assert found.verdict is Verdict.VIOLATED
    assert found.unmatched == {"expected": said}


@each_relation
@pytest.mark.parametrize(
    ("context", "said"),
    [(TACRED, "no_relation"), (KBP37, "no_relation"), (TACRED, "of another scheme")],
)
def test_no_relation_says_nothing(relation, before, after, context, said):
    assert when(relation, context, before, said, after) == "source-answer"
    found = judged(relation, context, before, said, after, "per:title")
    assert found.verdict is Verdict.NOT_APPLICABLE


def test_a_type_alone_says_nothing_where_types_are_not_read():
    blind = TACRED._replace(reads_types=False)
    before, after = PAIRS[type_label.RELATION]
    assert when(type_label.RELATION, blind, before, "per:origin", after) == "types-unread"


def test_other_words_are_read_by_every_system():
    blind = TACRED._replace(reads_types=False)
    before = "[Jupp|h PERSON], [46|t NUMBER], works in the lab."
    after = "[Jupp|h PERSON], [46 years old|t DURATION], works in the lab."
    assert when(type_label.RELATION, blind, before, "per:age", after) == ""


@pytest.mark.parametrize(("context", "asked"), [(TACRED, True), (KBP37, False)])
def test_a_scheme_with_two_labels_for_two_types_expects_neither(context, asked):
    """KBP37 labels a nationality an origin, and a country a residence."""
    before = "[US|t NATIONALITY] actress [Patricia Neal|h PERSON] died at home."
    after = "[US|t COUNTRY] actress [Patricia Neal|h PERSON] died at home."
    label = "per:origin" if context is TACRED else "per:origin(e1,e2)"
    reason = when(type_label.RELATION, context, before, label, after)
    assert reason == ("" if asked else "source-answer")


def test_a_relation_that_holds_both_ways_has_no_direction():
    before, after = (
        "[Anna|h PERSON] and [Bo|t PERSON] wed.",
        "[Ann|h PERSON] and [Bo|t PERSON] wed.",
    )
    one, other = "per:spouse(e1,e2)", "per:spouse(e2,e1)"
    found = judged(same_type.RELATION, KBP37, before, one, after, other)
    assert found.verdict is Verdict.SATISFIED
