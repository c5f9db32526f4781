"""Rules without code: where they fire, and where they do not."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from mt_gate.base.errors import UsageError
from mt_gate.building.own.relations_file import OwnRelation, Template
from mt_gate.building.own.rules import rule_of, templates_of


def relation(**stated: Any) -> OwnRelation:
    return msgspec.convert({"name": "one", "title": "One", **stated}, OwnRelation)


def texts(text: str, **stated: Any) -> list[str]:
    return [one.text for one in rule_of(relation(**stated), "f").rewrites(text, Random(1))]


@pytest.mark.parametrize(
    ("stated", "before", "after"),
    [
        ({"replace": {"pattern": "a", "with": "b"}}, "banana", ["bbnana"]),
        ({"replace": {"pattern": "a", "with": "b"}, "most": 2}, "banana", ["bbnbna"]),
        ({"replace": {"pattern": "A", "with": "", "ignore_case": True}}, "bar", ["br"]),
        ({"replace": {"pattern": "(b)(a)", "with": r"\2\1"}}, "bar", ["abr"]),
        ({"replace": {"pattern": "x", "with": "b"}}, "banana", []),
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


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"replace": {"pattern": "(", "with": ""}}, "no regular expression"),
        ({"replace": {"pattern": "a", "with": r"\1"}}, "does not fit"),
        ({"words": {"a": "b"}, "only_if": "("}, "no regular expression"),
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
            "slot 'what' has no words; the file has: who, how",
        ),
        (Template(source="a", follow_up="b", second="c"), "needs both second and follow_up_second"),
    ],
)
def test_templates_that_are_refused(stated: Template, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        templates_of(stated, SLOTS, "f")


def test_a_template_that_changes_nothing_makes_nothing() -> None:
    stated = Template(source="{who}", follow_up="{who}")
    assert templates_of(stated, SLOTS, "f").groups(Random(1)) == []
