"""Second sources and follow-ups of two pairs that share a head, and of two that share a tail."""

from __future__ import annotations

import re

import pytest

from cases import cases
from making_relations import marked, source
from mt_gate.domain import Block, NotApplicable, Verdict
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relations.base import AnsweredInput, Context, ExecutedGroup, FirstSource, FollowUp
from mt_gate.relations.re.combination import combination, may_be_one, seconds_relation
from mt_gate.tasks.relation_extraction import HEAD, TAIL, Argument

TACRED = Context(open_ontology("tacred"))
TEXT = "Peterson leaves his wife Kelly and their daughter Celine in Oslo."
FIRST = (
    "[Peterson|h PERSON] leaves his wife [Kelly|t PERSON] and their daughter [Celine|e PERSON] in "
    "[Oslo|e CITY]."
)


def of(**mentions: str) -> dict[str, object]:
    """Return the input in which these words of the text are head (h) and tail (t)."""
    types = {"Oslo": "CITY"}
    sentence = TEXT
    for place, word in mentions.items():
        sentence = sentence.replace(word, f"[{word}|{place} {types.get(word, 'PERSON')}]")
    return marked(sentence)


def first(relation: str, sentence: str = FIRST) -> FirstSource:
    return FirstSource(source(sentence), {"relation": relation}, TACRED)


def test_every_other_entity_takes_the_argument_that_is_not_shared() -> None:
    by_head, by_tail = combination(HEAD).seconds, combination(TAIL).seconds
    assert by_head(first("per:spouse")) == (
        of(h="Peterson", t="Celine"),
        of(h="Peterson", t="Oslo"),
    )
    assert by_tail(first("per:spouse")) == (of(h="Celine", t="Kelly"), of(h="Oslo", t="Kelly"))


@pytest.mark.parametrize("shared", [HEAD, TAIL])
def test_what_holds_one_way_or_cannot_be_asks_nothing(shared: str) -> None:
    seconds = combination(shared).seconds
    assert seconds(first("per:children")) == ()
    assert seconds(first("org:alternate_names")) == ()  # of two persons


@pytest.mark.parametrize("shared", [HEAD, TAIL])
def test_one_of_the_two_under_another_name_is_no_third(shared: str) -> None:
    sentence = (
        "[Ann Peterson|h PERSON] wed [Bo Kelly|t PERSON], and [Peterson|e PERSON] told "
        "[Kelly|e PERSON]."
    )
    assert combination(shared).seconds(first("per:spouse", sentence)) == ()


def test_the_follow_up_pairs_the_third_with_the_remaining_argument() -> None:
    whole = (Block(0, 0, len(TEXT)),)
    second = AnsweredInput(of(h="Peterson", t="Celine"), {"relation": "per:children"})
    actual = combination(HEAD).follow_ups(first("per:spouse"), (second,))
    assert actual == (FollowUp(of(h="Kelly", t="Celine"), whole, second),)
    second = AnsweredInput(of(h="Celine", t="Kelly"), {"relation": "per:parents"})
    actual = combination(TAIL).follow_ups(first("per:spouse"), (second,))
    assert actual == (FollowUp(of(h="Celine", t="Peterson"), whole, second),)


def test_seconds_whose_relation_is_not_shared_or_does_not_fit_make_nothing() -> None:
    celine, oslo = of(h="Peterson", t="Celine"), of(h="Peterson", t="Oslo")
    pairs = [
        AnsweredInput(celine, {"relation": "per:title"}),
        AnsweredInput(celine, {"relation": "no_relation"}),
        AnsweredInput(oslo, {"relation": "per:children"}),  # a city is no child
        AnsweredInput(celine, {"relation": "per:children"}),
    ]
    actual = combination(HEAD).follow_ups(first("per:spouse"), tuple(pairs))
    assert [follow_up.second for follow_up in actual] == pairs[3:]


def test_a_third_without_a_type_fits_everywhere() -> None:
    value = of(h="Peterson", t="Oslo")
    untyped = {**value, TAIL: [*value[TAIL][:2], ""]}
    second = AnsweredInput(untyped, {"relation": "per:children"})
    (actual,) = combination(HEAD).follow_ups(first("per:spouse"), (second,))
    assert actual.second == second


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [("per:children", Verdict.SATISFIED), ("per:spouse", Verdict.VIOLATED)],
)
def test_the_follow_up_is_to_say_what_the_second_source_says(
    expected: str, verdict: Verdict
) -> None:
    second = AnsweredInput(of(h="Peterson", t="Celine"), {"relation": "per:children"})
    case = ExecutedGroup(
        of(h="Peterson", t="Kelly"),
        of(h="Kelly", t="Celine"),
        {"relation": "per:spouse"},
        {"relation": expected},
        (),
        second,
        TACRED,
    )
    assert seconds_relation(case).verdict is verdict
    alone = seconds_relation(case._replace(second=None))
    assert (alone.verdict, alone.reason) == (Verdict.NOT_APPLICABLE, NotApplicable.SOURCE_ANSWER)


@cases("relations/one-thing")
def test_mentions_that_may_name_one_thing(text: str, one: str) -> None:
    """The two mentions are in braces."""
    plain = text.replace("{", "").replace("}", "")
    spans = []
    for actual in re.finditer(r"\{([^}]*)\}", text):
        start = actual.start() - 2 * len(spans)
        spans.append(Argument(start, start + len(actual[1])))
    assert may_be_one(plain, *spans) is bool(one)
