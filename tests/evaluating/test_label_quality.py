from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.preprocessing import MultiLabelBinarizer

from mt_gate.evaluating.protocols import label_quality

SETS = st.lists(st.tuples(*[st.sets(st.sampled_from("AB")).map(frozenset)] * 2), min_size=1)


def test_by_hand() -> None:
    auto = [frozenset(text) for text in ("A", "AB", "", "B", "")]
    manual = [frozenset(text) for text in ("A", "A", "", "", "B")]
    found = label_quality(auto, manual, mapped=False)
    assert (found.agreeing, found.bags) == (2, 5)
    assert found.pair_accuracy.value == 2 / 5
    assert (found.all.predicted, found.all.facts, found.all.right) == (4, 3, 2)
    assert found.precision.value == 2 / 4
    assert found.recall.value == pytest.approx(2 / 3)
    counts = {one.relation: (one.predicted, one.facts, one.right) for one in found.relations}
    assert counts == {"A": (2, 2, 2), "B": (2, 1, 0)}


def test_without_a_fact_there_is_no_rate() -> None:
    found = label_quality([frozenset()], [frozenset()], mapped=True)
    assert found.pair_accuracy.value == 1
    assert found.precision.value is None
    assert found.recall.ci95 is None


@given(SETS)
def test_as_scikit_learn_has_it(pairs: Any) -> None:
    auto, manual = zip(*pairs, strict=True)
    found = label_quality(auto, manual, mapped=False)
    tables = MultiLabelBinarizer(classes=["A", "B"]).fit([])
    given_, true = tables.transform(auto), tables.transform(manual)
    assert found.pair_accuracy.value == pytest.approx(metrics.accuracy_score(true, given_))
    for figure, score in (
        (found.precision, metrics.precision_score),
        (found.recall, metrics.recall_score),
    ):
        if figure.value is not None and figure.ci95 is not None:
            expected = score(true, given_, average="micro", zero_division=0)
            assert figure.value == pytest.approx(expected)
            assert 0 <= figure.ci95[0] <= figure.ci95[1] <= 1
