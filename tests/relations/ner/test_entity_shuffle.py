from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Verdict
from mt_gate.relations.base import Case
from mt_gate.relations.ner.entity_shuffle import RELATION, shuffle


def output(text: str, *names: str) -> dict[str, list]:
    """Return an output with ``names`` ("Anna:PER"), each found after the one before it."""
    found, at = [], 0
    for item in names:
        name, _, label = item.partition(":")
        start = text.index(name, at)
        at = start + len(name)
        found.append([start, at, label or "PER"])
    return {"entities": found}


def follow_ups(text: str, *names: str) -> list[str]:
    built = shuffle({"text": text}, output(text, *names), Random(1))
    return [str(item.input["text"]) for item in built]


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Anna met Boris in Oslo.", ("Anna", "Boris", "Oslo:LOC"), ["Boris met Anna in Oslo."]),
        ("Anna's dog bit Boris.", ("Anna", "Boris"), ["Boris's dog bit Anna."]),
        ("In Boston and Rome he sang.", ("Boston", "Rome"), ["In Rome and Boston he sang."]),
        (
            "The Beatles met the Stones.",
            ("The Beatles:ORG", "Stones:ORG"),
            ["The Stones met the Beatles."],
        ),
        (
            "He moved from Dallas, Texas to Austin, Nevada.",
            ("Dallas", "Texas", "Austin", "Nevada"),
            [
                "He moved from Austin, Texas to Dallas, Nevada.",
                "He moved from Dallas, Nevada to Austin, Texas.",
            ],
        ),
    ],
)
def test_names_of_one_label_change_places(
    text: str, names: tuple[str, ...], expected: list[str]
) -> None:
    assert sorted(follow_ups(text, *names)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Anna met Boris.", ("Anna", "Boris:ORG")),  # two labels
        ("Anna slept.", ("Anna",)),  # one name
        ("It rained.", ()),
        ("Anna met Anna.", ("Anna", "Anna")),  # nothing would change
        ("He left the UK for France.", ("UK", "France")),  # "the France"
        ("A Boston man met an Oslo man.", ("Boston", "Oslo")),  # "an Boston man"
        ("Mrs. Smith met John.", ("Smith", "John")),  # "Mrs. John"
        ("The University of Texas left Ohio.", ("Texas", "Ohio")),  # inside a longer name
        ("He saw Texas Rangers and Ohio.", ("Texas", "Ohio")),
        ("He lives in Dallas, Texas.", ("Dallas", "Texas")),  # "Texas, Dallas"
        ("He left the U.S. for Rome.", ("U.S.", "Rome")),  # whose full stop?
        ("He left anti-Rome for Oslo.", ("Rome", "Oslo")),  # part of a word
        ("He likes iPhones and ebay.", ("iPhones", "ebay")),  # would want a capital
    ],
)
def test_what_is_not_safe_stays(text: str, names: tuple[str, ...]) -> None:
    assert follow_ups(text, *names) == []


def listing(count: int) -> tuple[str, list[str]]:
    names = [f"{chr(65 + number)}na" for number in range(count)]
    return f"They are {', '.join(names[:-1])} and {names[-1]}.", names


@pytest.mark.parametrize(("count", "expected"), [(2, 1), (3, 5), (4, 23), (5, 8), (9, 8)])
def test_all_permutations_of_four_and_eight_of_more(count: int, expected: int) -> None:
    text, names = listing(count)
    built = follow_ups(text, *names)
    assert len(built) == len(set(built)) == expected
    assert text not in built


@given(st.integers(2, 8), st.randoms(use_true_random=False))
def test_follow_ups_are_rearrangements_that_an_oracle_answers_alike(
    count: int, rng: Random
) -> None:
    text, names = listing(count)
    before = output(text, *names)
    for item in shuffle({"text": text}, before, rng):
        after = str(item.input["text"])
        assert Counter(after) == Counter(text)
        for block in item.alignment:
            source = text[block.source : block.source + block.length]
            assert source == after[block.follow_up : block.follow_up + block.length]
        assert sum(block.length for block in item.alignment) == len(after)
        found = [[after.index(name), after.index(name) + len(name), "PER"] for name in names]
        oracle = {"entities": sorted(found)}
        case = Case({"text": text}, item.input, before, oracle, item.alignment)
        assert RELATION.holds(case).verdict is Verdict.SATISFIED


def test_one_seed_draws_one_sample() -> None:
    text, names = listing(7)
    assert follow_ups(text, *names) == follow_ups(text, *names)
