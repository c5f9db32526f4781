from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.systems.entities import MAX_LABEL, settled

TEXT = "Anna met Boris in New York City."
SPANS = st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30), st.sampled_from("ABC")))


def found(entities: list) -> list:
    output = settled(TEXT, entities, "here").output
    assert output is not None
    return output["entities"]


def test_disjoint_entities_are_sorted_and_otherwise_left_alone() -> None:
    entities = [(18, 31, "LOC"), (0, 4, "PER"), (9, 14, "PER")]
    assert found(entities) == [[0, 4, "PER"], [9, 14, "PER"], [18, 31, "LOC"]]
    assert found([(0, 4, "PER"), (4, 5, "X")]) == [[0, 4, "PER"], [4, 5, "X"]]
    assert found([]) == []


def test_of_overlapping_ones_the_longest_stays_then_the_first() -> None:
    assert found([(18, 26, "LOC"), (18, 31, "GPE")]) == [[18, 31, "GPE"]]
    assert found([(4, 10, "B"), (0, 6, "A")]) == [[0, 6, "A"]]
    assert found([(0, 4, "FIRST"), (0, 4, "SECOND")]) == [[0, 4, "FIRST"]]


def test_the_rest_stays_beside_what_was_dropped() -> None:
    assert found([(0, 10, "A"), (8, 14, "B"), (12, 14, "C")]) == [[0, 10, "A"], [12, 14, "C"]]


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (5, 2), (0, 33), (40, 50)])
def test_spans_that_are_none_of_the_text(start: int, end: int) -> None:
    with pytest.raises(CannotJudge, match=f"here: entity at {start} to {end} of a text of 32"):
        found([(start, end, "PER")])


@pytest.mark.parametrize("label", ["", "  ", "x" * (MAX_LABEL + 1)])
def test_labels_that_are_none(label: str) -> None:
    with pytest.raises(CannotJudge, match="label"):
        found([(0, 4, label)])


def test_the_whole_text_and_the_longest_label() -> None:
    assert found([(0, len(TEXT), "x" * MAX_LABEL)]) == [[0, len(TEXT), "x" * MAX_LABEL]]


@given(SPANS)
def test_whatever_comes_out_is_sorted_disjoint_and_was_given(spans: list) -> None:
    inside = [span for span in spans if 0 <= span[0] < span[1]]
    if inside != spans:
        with pytest.raises(CannotJudge):
            found(spans)
        return
    kept = found(spans)
    assert all(tuple(entity) in spans for entity in kept)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(kept))
    for start, end, _ in spans:  # what was dropped gave way to one at least as long
        assert any(a < end and start < b and b - a >= end - start for a, b, _ in kept)
