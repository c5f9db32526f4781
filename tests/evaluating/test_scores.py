from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.evaluating.evaluate import Answered, measures
from mt_gate.evaluating.labelled import Labelled
from mt_gate.evaluating.relation_labels import LabelledPair
from mt_gate.evaluating.scores import (
    Bags,
    SystemScores,
    bag_scores,
    bags_of,
    merging,
    softmax,
    system_scores,
)
from mt_gate.sut.protocol import Prediction

LABELS = ("none", "A", "B")
RNG = np.random.default_rng(6)


def bags(*names: str) -> Bags:
    return bags_of(
        LabelledPair(str(at), {}, name, "t", None, None) for at, name in enumerate(names)
    )


def said(values: Any, answered: Any = None) -> SystemScores:
    rows = np.array(values, dtype=np.float64)
    known = np.ones(len(rows), dtype=np.bool_) if answered is None else np.array(answered)
    return SystemScores("logits", LABELS, rows, known)


def unchanged(label: str) -> str:
    return "no_relation" if label == "none" else label


def test_bags_keep_the_order_of_their_first_sentence() -> None:
    actual = bags("b", "a", "b", "c", "a")
    assert actual.of.tolist() == [0, 1, 0, 2, 1]
    assert actual.order.tolist() == [0, 2, 1, 4, 3]
    assert (actual.ends - actual.starts).tolist() == [2, 2, 1]
    sets = [frozenset(text) for text in ("x", "", "y", "z", "z")]
    assert actual.union(sets) == [{"x", "y"}, {"z"}, {"z"}]


def test_the_three_by_hand() -> None:
    one, two = [0.0, np.log(2), np.log(5)], [0.0, np.log(8), np.log(1)]
    scores, together = said([one, two]), bags("x", "x")
    merge = merging(LABELS, unchanged)
    average, known = bag_scores("AVG", scores, together, merge)
    assert known.tolist() == [True]
    # The mean logits are 0, log 4 and log sqrt 5.
    assert average[0] == pytest.approx(np.array([4, 5**0.5]) / (5 + 5**0.5))
    highest, _ = bag_scores("ONE", scores, together, merge)
    assert highest[0] == pytest.approx([8 / 10, 5 / 8])
    attended, _ = bag_scores("ATT", scores, together, merge)
    # For A the sentences weigh 2 : 8, for B 5 : 1.
    of_a = np.exp(0.2 * np.array(one) + 0.8 * np.array(two))
    of_b = np.exp(5 / 6 * np.array(one) + 1 / 6 * np.array(two))
    assert attended[0] == pytest.approx([of_a[1] / of_a.sum(), of_b[2] / of_b.sum()])


def test_logits_are_enough_for_representations() -> None:
    """Compared with representations and a linear classifier, computed as they are defined."""
    weight, bias = RNG.normal(size=(3, 8)), RNG.normal(size=3) * 3
    states = RNG.normal(size=(7, 8))
    together = bags("x", "y", "x", "x", "z", "y", "x")
    scores = said(states @ weight.T + bias)
    merge = merging(LABELS, unchanged)
    average, _ = bag_scores("AVG", scores, together, merge)
    attended, _ = bag_scores("ATT", scores, together, merge)
    for bag, rows in enumerate(([0, 2, 3, 6], [1, 5], [4])):
        own = states[rows]
        assert average[bag] == pytest.approx(softmax(weight @ own.mean(axis=0) + bias)[1:])
        for label in (1, 2):
            attention = softmax(own @ weight[label])
            state = attention @ own
            expected = softmax(weight @ state + bias)[label]
            assert attended[bag, label - 1] == pytest.approx(expected)


def test_a_sentence_without_an_answer_is_left_out_of_its_bag() -> None:
    values = [[0.0, 1, 2], [9.0, 9, 9], [7.0, 7, 7]]
    scores = said(values, [True, False, False])
    merge = merging(LABELS, unchanged)
    for way in ("AVG", "ONE", "ATT"):
        actual, known = bag_scores(way, scores, bags("x", "x", "y"), merge)
        assert known.tolist() == [True, False]
        assert actual[0] == pytest.approx(softmax(np.array([0.0, 1, 2]))[1:])
        assert actual[1].tolist() == [0, 0]
    actual, known = bag_scores("AVG", said(values, [False] * 3), bags("x", "x", "y"), merge)
    assert not known.any()
    assert not actual.any()


def answer(relation: str, score: float, scores: Any = None) -> Prediction:
    output = {"relation": relation, "score": score}
    return Prediction(output if scores is None else {**output, "scores": scores})


def test_a_system_without_logits_is_scored_by_its_answers() -> None:
    actual = system_scores(
        [answer("A", 0.9), Prediction(None, reason="x"), answer("none", 0.6)], ()
    )
    assert actual.basis == "answers"
    assert actual.labels == ("A", "none")
    merge = merging(actual.labels, unchanged)
    average, _ = bag_scores("AVG", actual, bags("x", "y", "x"), merge)
    assert average[:, 0].tolist() == [0.45, 0]
    highest, _ = bag_scores("ONE", actual, bags("x", "y", "x"), merge)
    assert highest[:, 0].tolist() == [0.9, 0]


def answered(gold: Any, output: Any) -> Answered:
    return Answered(Labelled("0" * 32, {}, gold), output, gold == output)


def entities(*items: tuple[int, int, str]) -> dict[str, Any]:
    return {"entities": [[*item] for item in items]}


def counts(task: str, answers: list[Answered]) -> dict[str, list[tuple[int, int]]]:
    result: dict[str, list[tuple[int, int]]] = {}
    for item in measures(task, answers):
        result.setdefault(item.label, []).append((item.share.count, item.share.of))
    return result


def test_entities_count_by_exact_span_and_label() -> None:
    gold = entities((0, 4, "PER"), (9, 13, "LOC"))
    answers = [
        answered(gold, entities((0, 4, "PER"), (9, 12, "LOC"))),
        answered(entities((0, 3, "PER")), entities((0, 3, "LOC"))),
        answered(entities(), entities()),
        answered(entities((5, 6, "PER")), None),
    ]
    assert counts("ner", answers) == {
        "": [(1, 3), (1, 4), (2, 7)],
        "LOC": [(0, 2), (0, 1), (0, 3)],
        "PER": [(1, 1), (1, 3), (2, 4)],
    }


def test_answers_count_by_answer_and_have_no_pool() -> None:
    yes, no = {"answer": "yes", "score": 0.9}, {"answer": "no", "score": 0.1}
    answers = [answered({"answer": "yes"}, yes), answered({"answer": "no"}, yes)]
    answers += [answered({"answer": "no"}, no), answered({"answer": "yes"}, None)]
    expected = {"no": [(1, 1), (1, 2), (2, 3)], "yes": [(1, 2), (1, 2), (2, 4)]}
    assert counts("boolq", answers) == expected


ENTITIES = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["A", "B"])), max_size=4)


@given(st.lists(st.tuples(ENTITIES, ENTITIES), max_size=12))
def test_rates_lie_in_their_intervals(pairs: list[Any]) -> None:
    answers = [
        answered(*(entities(*((at, at + 1, label) for at, label in side)) for side in pair))
        for pair in pairs
    ]
    actual = {(m.label, m.name): m.share for m in measures("ner", answers)}
    for share in actual.values():
        assert 0 <= share.count <= share.of
        if share.rate is not None and share.ci95 is not None:
            assert 0 <= share.ci95[0] <= share.ci95[1] <= 1
            if share.rate in (0, 1):
                assert share.ci95[0] <= share.rate <= share.ci95[1]
    by_label = [share for (label, name), share in actual.items() if label and name == "F1"]
    assert sum(share.of for share in by_label) == actual["", "F1"].of
