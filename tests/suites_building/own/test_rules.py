"""Rules without code: where they fire, and where they do not."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
import spacy

from mt_gate.base.errors import UsageError
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.own.relations_file import OwnRelation, Template
from mt_gate_suites.own.rules import rule_of, templates_of, where_it_may
from mt_gate_suites.text.transformation import OfDoc, OfDocs, OfText


def relation(**stated: Any) -> OwnRelation:
    return msgspec.convert({"name": "one", "title": "One", **stated}, OwnRelation)


def texts(text: str, **stated: Any) -> list[str]:
    one = relation(**stated)
    how = where_it_may(one, rule_of(one, "f"), "f")
    assert isinstance(how, OfText)
    return [new.text for new in how.rewrites(text, Random(1))]


@pytest.mark.parametrize(
    ("stated", "served"),
    [
        ({"only_if": "a"}, ["a cat", "a dog"]),
        ({"unless": "cat"}, ["a dog", "the dog"]),
        ({"only_if": "a", "unless": "cat"}, ["a dog"]),
        ({}, ["a cat", "a dog", "the dog"]),
    ],
)
def test_conditions_hold_of_any_way_to_edit_texts(
    stated: dict[str, Any], served: list[str]
) -> None:
    nlp = spacy.blank("en")
    docs = [*map(nlp, ["a cat", "a dog", "the dog"])]
    one = relation(use="some", **stated)
    each = where_it_may(one, OfDoc(lambda doc, _: [Rewrite(doc.text, ())]), "f")
    assert isinstance(each, OfDoc)
    assert [new.text for doc in docs for new in each.rewrites(doc, Random(1))] == served
    every = where_it_may(one, OfDocs(lambda docs, _: [[Rewrite(d.text, ())] for d in docs]), "f")
    assert isinstance(every, OfDocs)
    found = every.rewrites(docs, nlp)
    assert len(found) == len(docs)
    assert [new.text for several in found for new in several] == served


@pytest.mark.parametrize(
    ("stated", "before", "after"),
    [
        ({"replace": {"pattern": "a", "with": "b"}}, "banana", ["bbnana"]),
        ({"replace": {"pattern": "a", "with": "b"}, "most": 2}, "banana", ["bbnbna"]),
        ({"replace": {"pattern": "A", "with": "", "ignore_case": True}}, "bar", ["br"]),
        ({"replace": {"pattern": "(b)(a)", "with": r"\2\1"}}, "bar", ["abr"]),
        ({"replace": {"pattern": "x", "with": "b"}}, "banana", []),
        ({"replace": {"pattern": "[ab]", "with": "b"}}, "banana", ["bbnana"]),
        ({"words": {"a": "a", "b": "c"}}, "a b", ["a c"]),
        (
            {"words": {"buy": "purchase"}},
            "Buy it, or BUY it, buyer",
            ["Purchase it, or BUY it, buyer"],
        ),
        ({"words": {"buy": "purchase"}, "most": 5}, "BUY buy", ["PURCHASE purchase"]),
        ({"words": {"pick up": "collect", "pick": "choose"}}, "pick up", ["collect"]),
        ({"words": {"buy": "purchase"}}, "buyer", []),
        ({"insert": {"sentences": ["Hello."], "place": "before"}}, "Hi", ["Hello. Hi"]),
        ({"insert": {"sentences": ["Bye."]}}, "Hi. ", ["Hi. Bye. "]),
        ({"words": {"a": "b"}, "only_if": "z"}, "a", []),
        ({"words": {"a": "b"}, "only_if": "z"}, "a z", ["b z"]),
        ({"words": {"a": "b"}, "unless": "z"}, "a z", []),
    ],
)
def test_rules(stated: dict[str, Any], before: str, after: list[str]) -> None:
    assert texts(before, **stated) == after


def test_the_seed_chooses_the_sentence() -> None:
    rule = rule_of(relation(insert={"sentences": list("abcdefgh")}), "f")
    found = {rule.rewrites("x", Random(seed))[0].text for seed in range(30)}
    assert len(found) > 4
    assert rule.rewrites("x", Random(3)) == rule.rewrites("x", Random(3))


def test_alignments_tell_what_stayed() -> None:
    (one,) = rule_of(relation(words={"buy": "purchase"}), "f").rewrites("I buy it", Random(1))
    assert one.alignment == ((0, 0, 2), (5, 10, 3))


def test_a_condition_that_is_no_pattern() -> None:
    one = relation(words={"a": "b"}, only_if="(")
    with pytest.raises(UsageError, match="no regular expression"):
        where_it_may(one, rule_of(one, "f"), "f")


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"replace": {"pattern": "(", "with": ""}}, "no regular expression"),
        ({"replace": {"pattern": "a", "with": r"\1"}}, "does not fit"),
        ({"words": {"a": "b", "A": "c"}}, "a word stands there twice"),
    ],
)
def test_rules_that_are_refused(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rule_of(relation(**stated), "f")


SLOTS = {"who": ("cats", "dogs"), "how": ("good", "bad", "big")}


def test_templates_fill_their_slots() -> None:
    stated = Template(source="{who} are {how}", follow_up="{who} are not {how}")
    groups = templates_of(stated, SLOTS, "f").groups(Random(1))
    assert len(groups) == 6
    for one in groups:
        assert one.source.text.replace(" are ", " are not ") == one.follow_up.text
        assert one.source.second == ""
    few = templates_of(msgspec.structs.replace(stated, groups=2), SLOTS, "f").groups(Random(1))
    assert len(few) == 2


def test_templates_of_pairs() -> None:
    stated = Template(source="a {who}", second="b", follow_up="c {who}", follow_up_second="d")
    (one, _) = templates_of(stated, SLOTS, "f").groups(Random(1))
    assert (one.source.second, one.follow_up.second) == ("b", "d")


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (
            Template(source="{what}", follow_up="x"),
            r"slot 'what' has no words; the file has: who, how; name its words under \[slots\], or",
        ),
        (Template(source="{Who} {who}", follow_up="x"), "slot '{Who}' has no words"),
        (Template(source="x", follow_up="{my_who}"), "slot '{my_who}' has no words"),
        (Template(source="x", follow_up="who}"), "slot '}' has no words"),
        (Template(source="a", follow_up="b", second="c"), "needs both second and follow_up_second"),
    ],
)
def test_templates_that_are_refused(stated: Template, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        templates_of(stated, SLOTS, "f")


def test_of_too_many_combinations_some_of_every_word_are_drawn() -> None:
    stated = Template(source="{a} {b} {c}", follow_up="{a} {b} not {c}", groups=200)
    slots = {name: tuple(f"{name}{at}" for at in range(100)) for name in "abc"}
    groups = templates_of(stated, slots, "f").groups(Random(1))
    assert len(groups) == 200
    assert len({one.source.text.split()[0] for one in groups}) > 50


def test_a_template_that_changes_nothing_makes_nothing() -> None:
    stated = Template(source="{who}", follow_up="{who}")
    assert templates_of(stated, SLOTS, "f").groups(Random(1)) == []


@pytest.mark.parametrize(
    ("template", "slots"),
    [
        (Template(source="{a} " * 100, follow_up="{a} " * 100 + "b", groups=10_000), ["w" * 400]),
        (Template(source="{a} " * 100, follow_up="{a}", groups=1), ["w" * 400, "v"]),
    ],
)
def test_a_template_is_bounded_before_it_is_filled(template: Template, slots: list[str]) -> None:
    with pytest.raises(UsageError, match="expected at most 100000000 characters in all, 40000 in"):
        templates_of(template, {"a": tuple(slots)}, "f")
