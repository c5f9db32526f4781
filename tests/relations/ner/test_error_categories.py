from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.domain import Block, Entity, EntityError, ErrorCategory, Side, Verdict
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.entities import Votes, categorise, compare_entities

SOURCE, QUESTION = "Project Stratum is in Oslo.", "Is Project Stratum in Oslo?"
BLOCKS = (Block(0, 3, 15), Block(16, 0, 2), Block(18, 18, 8))
PROJECT, STRATUM, BOTH, OSLO = (0, 7), (8, 15), (0, 15), (22, 26)
S, F = Side.SOURCE, Side.FOLLOW_UP
NONE: Votes = {}


def in_question(span: tuple[int, int]) -> tuple[int, int]:
    """Return where a span of the source is in the question."""
    return (span[0] + 3, span[1] + 3) if span[1] <= 15 else span


def named(span: tuple[int, int], label: str) -> list[object]:
    return [*span, label]


def explained(before: list, after: list, votes: Votes = NONE) -> list[tuple[str, str | None]]:
    """Return category and side of each error of the group; follow-up spans in source terms."""
    moved = [named(in_question((start, end)), label) for start, end, label in after]
    case = ExecutedGroup(
        {"text": SOURCE}, {"text": QUESTION}, {"entities": before}, {"entities": moved}, BLOCKS
    )
    unmatched = compare_entities(case).unmatched or {"source": [], "follow_up": []}
    lost = [Entity(*item) for item in unmatched["source"]]
    added = [Entity(*item) for item in unmatched["follow_up"]]
    return [(error.category, error.side) for error in categorise(case, lost, added, votes)]


@pytest.mark.parametrize(
    ("before", "after", "errors"),
    table(__file__, "two_answers_alone_name_no_side"),
)
def test_two_answers_alone_name_no_side(before: list, after: list, errors: list[str]) -> None:
    assert explained(before, after) == [(error, None) for error in errors]


@pytest.mark.parametrize(
    ("said", "right", "errors"),
    [
        (("LOC", "ORG"), "LOC", [("incorrect-category", "follow-up")]),
        (("LOC", "ORG"), "ORG", [("incorrect-category", "source")]),
        (("LOC", "ORG"), None, [("over-labelling", "source"), ("over-labelling", "follow-up")]),
        (
            ("LOC", "ORG"),
            "PER",
            [("incorrect-category", "source"), ("incorrect-category", "follow-up")],
        ),
        (("LOC", None), "LOC", [("omission", "follow-up")]),
        (("LOC", None), None, [("over-labelling", "source")]),
        ((None, "LOC"), "LOC", [("omission", "source")]),
        ((None, "LOC"), None, [("over-labelling", "follow-up")]),
        ((None, "LOC"), "ORG", [("omission", "source"), ("incorrect-category", "follow-up")]),
    ],
)
@pytest.mark.parametrize("sides", [(S,), (F,), (S, F)])
def test_a_vote_on_either_side_names_the_wrong_one(
    said: tuple[str | None, str | None],
    right: str | None,
    errors: list,
    sides: tuple[Side, ...],
) -> None:
    before, after = ([named(OSLO, label)] if label else [] for label in said)
    assert explained(before, after, {(side, *OSLO): right for side in sides}) == errors


def test_votes_that_contradict_each_other_decide_nothing() -> None:
    votes = {(S, *OSLO): "LOC", (F, *OSLO): "ORG"}
    got = explained([named(OSLO, "LOC")], [named(OSLO, "ORG")], votes)
    assert got == [("incorrect-category", None)]


def test_a_vote_on_another_stretch_decides_nothing() -> None:
    assert explained([named(OSLO, "LOC")], [], {(S, *PROJECT): "LOC"}) == [("undecided", None)]


@pytest.mark.parametrize(
    ("whole", "part", "errors"),
    [
        ("ORG", None, [("range-error", "follow-up")]),
        (None, "ORG", [("range-error", "source")]),
        ("PER", None, [("incorrect-category", "source"), ("range-error", "follow-up")]),
        (None, None, [("over-labelling", "source"), ("over-labelling", "follow-up")]),
        ("ORG", "ORG", [("range-error", None)]),  # both cannot be
    ],
)
def test_a_vote_tells_which_range_is_right(
    whole: str | None, part: str | None, errors: list
) -> None:
    votes = {(S, *BOTH): whole, (F, *in_question(STRATUM)): part}
    assert explained([named(BOTH, "ORG")], [named(STRATUM, "ORG")], votes) == errors


def test_half_a_vote_on_a_range() -> None:
    before, after = [named(BOTH, "ORG")], [named(STRATUM, "ORG")]
    assert explained(before, after, {(S, *BOTH): None}) == [("range-error", "source")]
    assert explained(before, after, {(S, *BOTH): "ORG"}) == [("range-error", "follow-up")]


def test_a_counterpart_that_breaks_nothing_is_still_named() -> None:
    """An output relation may pass over an entity that has no image; it explains the other."""
    before, after = [[22, 26, "LOC"]], [[18, 26, "LOC"]]
    blocks = (Block(0, 3, 15), Block(22, 22, 4))
    outputs = ({"entities": before}, {"entities": after})
    case = ExecutedGroup({"text": SOURCE}, {"text": QUESTION}, *outputs, blocks)
    (error,) = categorise(case, [Entity(22, 26, "LOC")], [])
    assert error == EntityError(
        category=ErrorCategory.RANGE_ERROR,
        source=Entity(22, 26, "LOC"),
        follow_up=Entity(18, 26, "LOC"),
    )


def test_an_entity_torn_by_the_edit_is_undecided() -> None:
    case = ExecutedGroup(
        {"text": SOURCE},
        {"text": QUESTION},
        {"entities": [[0, 18, "ORG"]]},
        {"entities": []},
        BLOCKS,
    )
    judgement = compare_entities(case)
    assert judgement.verdict is Verdict.VIOLATED
    assert [error.category for error in judgement.errors] == ["undecided"]


labels = st.sampled_from(["LOC", "ORG", "PER"])
words = [PROJECT, STRATUM, BOTH, OSLO]


@st.composite
def answers(draw: st.DrawFn) -> list[list[object]]:
    """Disjoint entities over the sentence's words."""
    chosen = draw(st.sampled_from([[], [0], [1], [0, 1], [2], [3], [0, 3], [0, 1, 3], [2, 3]]))
    return [named(words[index], draw(labels)) for index in chosen]


@given(answers(), answers(), st.dictionaries(st.sampled_from(words), st.none() | labels))
def test_every_entity_that_breaks_the_relation_is_explained(
    before: list, after: list, right: dict
) -> None:
    moved = [named(in_question((start, end)), label) for start, end, label in after]
    outputs = ({"entities": before}, {"entities": moved})
    case = ExecutedGroup({"text": SOURCE}, {"text": QUESTION}, *outputs, BLOCKS)
    judgement = compare_entities(case)
    assert bool(judgement.errors) is (judgement.verdict is Verdict.VIOLATED)
    if judgement.unmatched is None:
        return
    lost, added = ([Entity(*e) for e in judgement.unmatched[k]] for k in ("source", "follow_up"))
    votes = {(S, *span): label for span, label in right.items()}
    for errors in (judgement.errors, categorise(case, lost, added, votes)):
        assert {e.source for e in errors} - {None} >= set(lost)
        assert {e.follow_up for e in errors} - {None} >= set(added)
        assert len(set(map(repr, errors))) == len(errors)
        for error in errors:
            assert (error.category is ErrorCategory.UNDECIDED) <= (error.side is None)
            assert error.source or error.follow_up
