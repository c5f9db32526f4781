"""Rules, patterns and functions of a file of relations: where they fire, and what bounds them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import spacy

from cases import cases, table
from mt_gate.base.errors import UsageError
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.own import matching
from mt_gate_suites.own.functions import LONGEST, MOST, Loaded, function_of, load_function
from mt_gate_suites.own.matching import LONGEST_PATTERN, BoundedPattern
from mt_gate_suites.own.relations_file import OwnRelation, Template
from mt_gate_suites.own.rules import rule_of, templates_of, where_it_may
from mt_gate_suites.text.transformation import OfDoc, OfDocs, OfText

EXAMPLE = Path(__file__).parents[3] / "docs" / "own-relations" / "shouting"
SLOTS = {"who": ("cats", "dogs"), "how": ("good", "bad", "big")}
COUNT = iter(range(10**6))


def relation(**stated: Any) -> OwnRelation:
    return msgspec.convert({"name": "one", "title": "One", **stated}, OwnRelation)


@cases("own/rules")
def test_rules(rule: str, before: str, after: str) -> None:
    one = relation(**json.loads(rule))
    how = where_it_may(one, rule_of(one, "f"), "f")
    assert isinstance(how, OfText)
    assert [new.text for new in how.rewrites(before, Random(1))] == json.loads(after)


def test_the_seed_chooses_the_sentence_and_alignments_show_what_stayed() -> None:
    rule = rule_of(relation(insert={"sentences": list("abcdefgh")}), "f")
    assert len({rule.rewrites("x", Random(seed))[0].text for seed in range(30)}) > 4
    (one,) = rule_of(relation(words={"buy": "purchase"}), "f").rewrites("I buy it", Random(1))
    assert one.alignment == ((0, 0, 2), (5, 10, 3))


@pytest.mark.parametrize(
    ("stated", "served"),
    [
        ({"only_if": "a", "unless": "cat"}, ["a dog"]),
        ({"unless": "cat"}, ["a dog", "the dog"]),
        ({}, ["a cat", "a dog", "the dog"]),
    ],
)
def test_conditions_of_parsed_texts(stated: dict[str, Any], served: list[str]) -> None:
    nlp = spacy.blank("en")
    docs = [*map(nlp, ["a cat", "a dog", "the dog"])]
    one = relation(use="some", **stated)
    each = where_it_may(one, OfDoc(lambda doc, _: [Rewrite(doc.text, ())]), "f")
    every = where_it_may(one, OfDocs(lambda docs, _: [[Rewrite(d.text, ())] for d in docs]), "f")
    assert isinstance(each, OfDoc)
    assert isinstance(every, OfDocs)
    assert [new.text for doc in docs for new in each.rewrites(doc, Random(1))] == served
    assert [new.text for several in every.rewrites(docs, nlp) for new in several] == served


@pytest.mark.parametrize(("stated", "message"), table(__file__, "rules_that_are_refused"))
def test_rules_that_are_refused(stated: dict[str, Any], message: str) -> None:
    one = relation(**stated)
    with pytest.raises(UsageError, match=message):
        where_it_may(one, rule_of(one, "f"), "f")


def test_templates_fill_their_slots() -> None:
    stated = Template(source="{who} are {how}", follow_up="{who} are not {how}")
    groups = templates_of(stated, SLOTS, "f").groups(Random(1))
    assert len(groups) == 6
    for one in groups:
        assert one.source.text.replace(" are ", " are not ") == one.follow_up.text
    few = msgspec.structs.replace(stated, groups=2)
    assert len(templates_of(few, SLOTS, "f").groups(Random(1))) == 2
    pairs = Template(source="a {who}", second="b", follow_up="c {who}", follow_up_second="d")
    (pair, _) = templates_of(pairs, SLOTS, "f").groups(Random(1))
    assert (pair.source.second, pair.follow_up.second) == ("b", "d")
    same = Template(source="{who}", follow_up="{who}")
    assert templates_of(same, SLOTS, "f").groups(Random(1)) == []


def test_of_too_many_combinations_some_of_every_word_are_drawn() -> None:
    stated = Template(source="{a} {b} {c}", follow_up="{a} {b} not {c}", groups=200)
    slots = {name: tuple(f"{name}{at}" for at in range(100)) for name in "abc"}
    groups = templates_of(stated, slots, "f").groups(Random(1))
    assert len(groups) == 200
    assert len({one.source.text.split()[0] for one in groups}) > 50


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (Template(source="{what}", follow_up="x"), r"slot 'what' has no words\. Slots with"),
        (Template(source="{Who} {who}", follow_up="x"), "slot '{Who}' has no words"),
        (Template(source="x", follow_up="who}"), "slot '}' has no words"),
        (Template(source="a", follow_up="b", second="c"), "needs both second and follow_up_second"),
        (Template(source="{who} " * 80, follow_up="{long}" * 80, groups=10_000), "characters in a"),
        (Template(source="{long}" * 99, follow_up="x", groups=1), "characters in all, 40000 in"),
    ],
)
def test_templates_that_are_refused(stated: Template, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        templates_of(stated, {**SLOTS, "long": ("w" * 480,)}, "f")


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "[a", "*", "(?P<n>a)(?P<n", "\\"),
        *("(?R)?a", "(a)(?1)", "(?&n)", "(?|a|b)", r"\K", r"\p{L}", r"\L<words>", "(*PRUNE)"),
        *("(?:cats){e<=1}", "a{2", "(?e)a", "(?V1)a", "[[:alpha:]]", "[a--b]", "a{1,2}{e}"),
    ],
)
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(UsageError, match="is not valid for Python"):
        BoundedPattern(pattern, "f")


def test_patterns_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for pattern in ("(a{60000}){60000}", "((a{99}){99}){99}", "(?:x|(?=a{999}){99})"):
        with pytest.raises(UsageError, match=r"items, counting each repetition \(limit 50,000"):
            BoundedPattern(pattern, "f")
    with pytest.raises(UsageError, match=r"characters \(limit"):
        BoundedPattern("a" * (LONGEST_PATTERN + 1), "f")
    with pytest.raises(UsageError, match="have more than"):
        list(BoundedPattern("(.+)", "f").replacements("a" * 10_000, r"\1" * 2_000))
    for new in (r"\g<name>", "\\"):
        with pytest.raises(UsageError, match="does not fit"):
            BoundedPattern("a", "f").check_replacement(new)
    monkeypatch.setattr(matching, "SECONDS", 0.05)
    slow, text = BoundedPattern(r"(a+)+$", "rules.toml: relation 'slow'"), "a" * 4000 + "b"
    with pytest.raises(UsageError, match=r"rules.toml: relation 'slow'.*took more than 0.05 s"):
        slow.matches(text)
    with pytest.raises(UsageError, match="took more than"):
        list(slow.replacements(text, ""))


def made(function: Callable[..., Any], text: str = "some words") -> list[str]:
    rewrites = function_of(Loaded(function, "f"), "rules.toml: relation 'own'").rewrites
    return [one.text for one in rewrites(text, Random(1))]


def test_functions_return_edits_or_texts() -> None:
    edits = [(0, 4, "any"), (5, 5, "old ")]
    assert made(lambda *_: [edits, "other words"]) == ["any old words", "other words"]
    assert made(lambda *_: []) == made(lambda *_: None) == []
    assert len(made(lambda text, rng: [f"{text} {rng.randrange(10**6)}"])) == 1
    loaded = load_function("mt_gate_shouting:shouting", EXAMPLE, "f")
    assert loaded.named.startswith("mt_gate_shouting:shouting sha256:")
    assert made(loaded.function, "I hate it.")[0] == "I HATE it!"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *_: 1 / 0, "raised ZeroDivisionError (division by zero) on 'some words'"),
        (lambda _: [], "raised TypeError"),
        (lambda *_: [7], "returned 7"),
        (lambda *_: [[(3, 1, "x")]], "Expected texts, or lists of edits"),
        (lambda *_: [[(0, 99, "x")]], "Expected texts, or lists of edits"),
        (lambda *_: [[(4, 6, ""), (0, 1, "")]], "Expected texts, or lists of edits"),
        (lambda *_: ["  "], "an empty text for 'some words'. Return [] for"),
        (lambda *_: ["a" * (LONGEST + 1)], f"for 'some words', but {LONGEST}"),
        (lambda *_: [f"{next(COUNT)}"], "is not deterministic"),
        (lambda *_: ["a"] * (MOST + 1), "at most 20"),
        (lambda text, _: text.upper(), "the text 'SOME WORDS' for 'some words'. Return a list of"),
        (lambda *_: sys.exit(3), "raised SystemExit (3) on 'some words'"),
        (lambda *_: ["some\ud800"], "half of a character (a lone surrogate, U+D800)"),
        (lambda *_: [[(0, 0, "\x1b[31m")]], "the control character U+001B for 'some words'"),
    ],
)
def test_functions_that_are_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        made(function)
    assert str(error.value).startswith("rules.toml: relation 'own': ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"), table(__file__, "names_of_functions_that_are_refused")
)
def test_names_of_functions_that_are_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "ends_python.py").write_text("raise SystemExit(0)\n")
    with pytest.raises(UsageError) as error:
        load_function(name, tmp_path, "rules.toml: relation 'own'")
    assert message in str(error.value)
