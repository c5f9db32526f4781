"""The three protocols on one small set of sentences, worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.preprocessing import MultiLabelBinarizer

from mt_gate.evaluating.records import Curve, RelationProtocols
from mt_gate.evaluating.relation_labels import UNMAPPED, LabelledPair, LabelMapping
from mt_gate.evaluating.relations import label_quality, protocols
from mt_gate.evaluating.scores import SystemScores

LABELS = ("none", "A", "B")
Case = tuple[str, str | None, str | None, tuple[float, float]]
CASES: list[Case] = [
    # bag, automatic labels, manual labels, probabilities of A and B
    ("x", "A", "A", (0.90, 0.05)),
    ("x", "A", "", (0.20, 0.10)),
    ("y", "A", "", (0.80, 0.15)),
    ("z", "", "B", (0.10, 0.60)),
    ("z", "", "", (0.30, 0.30)),
    ("w", "B", None, (0.01, 0.98)),
]


def pairs(cases: list[Case]) -> list[LabelledPair]:
    def labels(text: str | None) -> frozenset[str] | None:
        return None if text is None else frozenset(text.split())

    value = {"text": "Anna met Bo.", "head": [0, 4, ""], "tail": [9, 11, ""]}
    return [
        LabelledPair(str(at), value, bag, "t", labels(auto), labels(manual))
        for at, (bag, auto, manual, _) in enumerate(cases)
    ]


def said(cases: list[Case]) -> SystemScores:
    shares = np.array([(1 - sum(both), *both) for *_, both in cases])
    return SystemScores("logits", LABELS, np.log(shares), np.ones(len(cases), dtype=np.bool_))


def evaluated(
    cases: list[Case] = CASES, mapping: LabelMapping = UNMAPPED, *, attention: bool = False
) -> RelationProtocols:
    return protocols(pairs(cases), said(cases), mapping, attention=attention)


def curve(result: RelationProtocols, protocol: str, aggregator: str = "") -> Curve:
    (one,) = [c for c in result.curves if (c.protocol, c.aggregator) == (protocol, aggregator)]
    return one


def counts(one: Curve) -> dict[str, tuple[int, int, int]]:
    return {c.relation: (c.facts, c.predicted, c.right) for c in one.relations}


def test_held_out_is_by_the_automatic_labels() -> None:
    actual = curve(evaluated(), "held-out", "ONE")
    assert (actual.units, actual.facts, actual.out_of_reach) == (4, 3, 0)
    # Ranked: B of w, A of x, A of y are right, then B of z.
    assert actual.micro_f1.value == 1
    assert actual.threshold == pytest.approx(0.8)
    assert counts(actual) == {"A": (2, 2, 2), "B": (1, 1, 1)}
    assert actual.in_auto is None


def test_a_bag_has_the_manual_labels_of_its_sentences() -> None:
    actual = curve(evaluated(), "bag-manual", "ONE")
    # w has no manual label; x has A, z has B, y none. Ranked: A of x, A of y, B of z.
    assert (actual.units, actual.facts) == (3, 2)
    assert actual.micro_f1.value == pytest.approx(2 * 2 / (3 + 2))
    assert actual.macro_f1.value == pytest.approx((2 / 3 + 1) / 2, abs=1e-6)
    assert actual.threshold == pytest.approx(0.6)
    assert counts(actual) == {"A": (1, 2, 1), "B": (1, 1, 1)}
    assert actual.in_auto == 1
    assert actual.points[:3] == ((0.5, 1.0), (0.5, 0.5), (1.0, 0.666667))
    assert actual.auc.value == pytest.approx(0.5 * (1 / 2 + 2 / 3) / 2, abs=1e-6)


def test_false_facts_are_those_that_no_sentence_supports() -> None:
    actual = evaluated()
    (fact,) = actual.false_facts
    assert actual.false_total == 1
    assert (fact.relation, fact.score, fact.in_auto, fact.sentences) == ("A", 0.8, True, 1)
    assert (fact.text[slice(*fact.head)], fact.text[slice(*fact.tail)]) == ("Anna", "Bo")


def test_only_what_is_labelled_is_evaluated() -> None:
    by_hand = [(bag, None, manual, score) for bag, _, manual, score in CASES[:5]]
    actual = evaluated(by_hand)
    assert {c.protocol for c in actual.curves} == {"bag-manual", "sentence-manual"}
    assert actual.quality == ()
    assert curve(actual, "bag-manual", "ONE").in_auto is None
    assert not actual.false_facts[0].in_auto
    distant = [(bag, auto, None, score) for bag, auto, _, score in CASES]
    assert {c.protocol for c in evaluated(distant).curves} == {"held-out"}


def test_quality_is_over_bags_with_both_labels() -> None:
    (quality,) = evaluated().quality
    # x agrees (A, A), y does not (A, none), z does not (none, B).
    assert (quality.bags, quality.agreeing) == (3, 1)
    assert quality.precision.value == 1 / 2
    assert quality.recall.value == 1 / 2


def test_a_table_moves_both_sides() -> None:
    merged = {"A": "C", "B": "C"}
    actual = evaluated(mapping=LabelMapping("t", "0", merged, merged))
    one = curve(actual, "bag-manual", "ONE")
    assert counts(one) == {"C": (2, 3, 2)}
    # The probabilities of merged labels add up, sentence by sentence.
    assert one.threshold == pytest.approx(0.7)
    first, second = actual.quality
    assert (first.mapped, second.mapped) == (False, True)
    gone = evaluated(mapping=LabelMapping("t", "0", {"B": ""}, {"B": ""}))
    assert counts(curve(gone, "bag-manual", "ONE")) == {"A": (1, 1, 1)}


SETS = st.lists(st.tuples(*[st.sets(st.sampled_from("AB")).map(frozenset)] * 2), min_size=1)


@given(SETS)
def test_quality_is_that_of_scikit_learn(pairs: Any) -> None:
    auto, manual = zip(*pairs, strict=True)
    actual = label_quality(auto, manual, mapped=False)
    tables = MultiLabelBinarizer(classes=["A", "B"]).fit([])
    predicted, true = tables.transform(auto), tables.transform(manual)
    assert actual.pair_accuracy.value == pytest.approx(metrics.accuracy_score(true, predicted))
    for figure, score in (
        (actual.precision, metrics.precision_score),
        (actual.recall, metrics.recall_score),
    ):
        if figure.value is not None and figure.ci95 is not None:
            expected = score(true, predicted, average="micro", zero_division=0)
            assert figure.value == pytest.approx(expected)
            assert 0 <= figure.ci95[0] <= figure.ci95[1] <= 1
