"""Pairs of premise and hypothesis that templates make: what follows, and what no longer does."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from inference_cases import RELATIONS, denials, detailed, rows, sampled
from mt_gate_suites.lexicons.numbers import CARDINALS
from mt_gate_suites.text.transformation import OfTemplates, PairOfTexts, TemplateGroup

NO_LONGER_FOLLOWS = [
    "constituent", "hypernym", "lexical-overlap", "number-comparison", "quantifier", "subsequence"
]  # fmt: skip
MODULES = [*NO_LONGER_FOLLOWS, "added-claim", "added-detail", "contradiction-order"]
MODULES += ["negated-hypothesis"]
DENIED = {"No", "Nobody", "nobody."}
UPWARD = ("A few", "At least", "More than", "Several", "Some", "Two or more")


BY_NAME = {one.name: one for one in RELATIONS}


@cache
def groups(name: str, seed: int = 1) -> list[TemplateGroup]:
    transformation = BY_NAME[name].transformation
    assert isinstance(transformation, OfTemplates)
    return list(transformation.groups(Random(seed)))


def shape(source: PairOfTexts, follow_up: PairOfTexts) -> tuple[int, ...]:
    """Return how many words each text of a group has."""
    return tuple(len(text.split()) for text in (*source, *follow_up))


@pytest.mark.parametrize("name", BY_NAME)
def test_the_example_is_what_it_makes(name: str) -> None:
    one = BY_NAME[name]
    made = {shape(group.source, group.follow_up) for group in groups(name)}
    assert shape(*(PairOfTexts(*text.split(" / ")) for text in (one.before, one.after))) in made


def four_texts(name: str) -> list[tuple[str, str, str, str]]:
    return [(*one.source, *one.follow_up) for one in groups(name)]


@pytest.mark.parametrize("name", MODULES)
def test_there_are_enough_all_distinct_and_the_same_for_a_seed(name: str) -> None:
    made = groups(name)
    assert len(set(made)) == len(made)
    assert len(made) >= 450
    assert groups.__wrapped__(name) == made
    assert all(one.source != one.follow_up for one in made)


@pytest.mark.parametrize(
    ("name", "unchanged", "grown"), [("added-claim", 0, 1), ("added-detail", 1, 0)]
)
def test_only_one_text_grows(name: str, unchanged: int, grown: int) -> None:
    for source, follow_up, _ in groups(name):
        assert follow_up[unchanged] == source[unchanged]
        assert follow_up[grown].startswith(f"{source[grown].rstrip('.')} ")


def test_the_texts_of_a_contradiction_are_swapped() -> None:
    for source, follow_up, _ in groups("contradiction-order"):
        assert (follow_up.text, follow_up.second) == (source.second, source.text)
        assert DENIED & {*source.second.split()}


def test_a_negated_hypothesis_keeps_its_premise() -> None:
    for source, follow_up, _ in groups("negated-hypothesis"):
        assert follow_up.text == source.text
        assert DENIED & {*follow_up.second.split()}
        assert not DENIED & {*source.second.split()}
    assert min(Counter(one.stratum for one in groups("negated-hypothesis")).values()) >= 150


def test_one_word_says_whether_a_clause_is_true() -> None:
    for premise, hypothesis, open_premise, same in four_texts("constituent"):
        assert hypothesis == same
        clause = hypothesis.rstrip(".").lower()
        assert clause in premise.lower()
        assert clause in open_premise.lower()
        assert premise != open_premise


def test_kind_and_thing_are_swapped() -> None:
    kinds = {kind.split()[-1] for _, kind in rows("inference", "kinds", 2)}
    for premise, hypothesis, kind_first, thing_last in four_texts("hypernym"):
        assert (premise, hypothesis) == (thing_last, kind_first)
        assert hypothesis.rstrip(".").split()[-1] in kinds
        assert premise.rstrip(".").split()[-1] not in kinds


def test_the_same_words_say_who_did_it_to_whom_the_other_way_round() -> None:
    def agent(sentence: str) -> str:
        words = sentence.rstrip(".").split()
        return words[words.index("by") + 2] if "by" in words else words[1]

    for premise, hypothesis, _, wrong in four_texts("lexical-overlap"):
        assert agent(premise) == agent(hypothesis) != agent(wrong)
        assert len({*premise.split()} & {*wrong.split()}) >= 3


def test_a_comparison_is_true_of_the_source_alone() -> None:
    def is_true(number: int, sentence: str) -> bool:
        words = sentence.split()
        than = CARDINALS.index(words[words.index("than") + 1])
        return number > than if "more" in words else number < than

    for premise, hypothesis, same, wrong in four_texts("number-comparison"):
        assert premise == same
        number = CARDINALS.index(premise.split()[3])
        assert is_true(number, hypothesis)
        assert not is_true(number, wrong)


def test_quantifiers_entail_upwards_or_downwards() -> None:
    for premise, hypothesis, turned, wrong in four_texts("quantifier"):
        upward = premise.startswith(UPWARD)
        assert (len(premise.split()) > len(hypothesis.split())) is upward
        assert turned.startswith(("No ", "Fewer", "At most")) is upward
        assert (len(turned.split()) > len(wrong.split())) is upward


def test_the_end_of_a_premise_has_another_subject() -> None:
    for premise, hypothesis, _, wrong in four_texts("subsequence"):
        assert premise.lower().endswith(wrong.lower())
        assert hypothesis.split()[1] == premise.split()[1] != wrong.split()[1]
        assert hypothesis.split()[2:] == wrong.split()[2:]


def test_a_denial_changes_one_word() -> None:
    turned = {"Somebody": "Nobody", "Some": "No", "somebody": "nobody"}
    made = [*denials()]
    assert {one.stratum for one in made} == {
        "object-pronoun",
        "subject-pronoun",
        "subject-quantifier",
    }
    for one in made:
        old, new = (text.rstrip(".").split() for text in (one.follows, one.ruled_out))
        ((before, after),) = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        assert turned[before] == after


def test_both_voices_say_the_same_and_details_vary() -> None:
    made = [*detailed()]
    assert len({one.detail for one in made}) >= 20
    for one in made[:200]:
        words = {*one.said.lower().split()} ^ {*one.said_otherwise.lower().split()}
        assert {"was", "by"} <= words
        assert one.stratum == ("passive" if " was " in one.said else "active")


def test_a_sample_is_of_distinct_groups_and_the_same_for_a_seed() -> None:
    def makes() -> list[TemplateGroup]:
        return [
            TemplateGroup(PairOfTexts(f"a{number}", "b"), PairOfTexts("c", "d"), "")
            for number in range(50)
        ] * 2

    draw = sampled(makes, most=20).groups
    assert len(set(draw(Random(1)))) == 20
    assert draw(Random(1)) == draw(Random(1)) != draw(Random(2))
    assert len(sampled(makes).groups(Random(1))) == 50
