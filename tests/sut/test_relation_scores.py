"""Scores to a relation with its probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.relation_text import check_labels, decode, with_scores

LABELS = ("no_relation", "spouse", "child")


def test_the_best_relation_with_its_probability_and_margin() -> None:
    scores = np.log(np.array([0.2, 0.7, 0.1], np.float32)) + 3
    found = decode(LABELS, scores)
    assert found.output == {"relation": "spouse", "score": 0.7}
    assert found.margin == pytest.approx(np.log(3.5), abs=1e-5)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_any_finite_scores_are_read(scores: list[float]) -> None:
    found = decode(LABELS, np.array(scores, np.float32))
    assert found.output is not None
    assert found.output["relation"] == LABELS[int(np.argmax(scores))]
    assert 1 / 3 - 1e-6 <= found.output["score"] <= 1
    assert found.margin >= 0


def test_all_scores_where_they_are_asked_for() -> None:
    scores = np.array([0.1234567, 2, -3], np.float32)
    found = with_scores(decode(LABELS, scores), scores)
    assert found.output is not None
    assert found.output["scores"] == [0.123457, 2.0, -3.0]
    assert found.output["relation"] == "spouse"


@pytest.mark.parametrize("labels", [(), ("one",), ("one", "two", "one"), ("one", " ")])
def test_labels_that_are_unfit(labels: tuple[str, ...]) -> None:
    with pytest.raises(CannotJudge, match=r"^here: labels are .*once"):
        check_labels(labels, "here")
