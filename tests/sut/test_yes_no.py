from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.sut.yes_no import AnswerIndices, decode

LOGIT = st.floats(-1e4, 1e4, width=32)


@given(LOGIT, LOGIT)
def test_score_is_the_probability_of_yes(yes: float, no: float) -> None:
    prediction = decode(AnswerIndices(yes=1, no=0), np.float32([no, yes]), None)
    assert prediction.output is not None
    assert prediction.output["answer"] == ("yes" if yes > no else "no")
    wanted = 1 / (1 + math.exp(min(700, no - yes)))
    assert prediction.output["score"] == pytest.approx(wanted, abs=1e-6)
    assert prediction.margin == abs(yes - no)


def test_the_other_order_of_labels() -> None:
    assert decode(AnswerIndices(yes=0, no=1), np.float32([2, 1]), None).output["answer"] == "yes"


def test_read_stands_only_where_a_passage_was_cut() -> None:
    assert decode(AnswerIndices(1, 0), np.float32([0, 1]), None).output == {
        "answer": "yes",
        "score": 0.731059,
    }
    assert decode(AnswerIndices(1, 0), np.float32([0, 1]), 7).output["read"] == 7
