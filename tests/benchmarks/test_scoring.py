"""What of an answer a score is made of."""

from __future__ import annotations

import pytest

from fault_bench.scoring import measure_of, sample_counts
from mt_gate.evaluating.labelled import Labelled
from mt_gate.sut.protocol import Prediction


@pytest.mark.parametrize(
    ("task", "measure", "gold", "answers", "counts"),
    [
        (
            "ner",
            "F1",
            {"entities": [[0, 4, "PER"], [5, 8, "LOC"]]},
            [
                {"entities": [[0, 4, "PER"], [5, 8, "LOC"]]},
                {"entities": [[0, 4, "PER"], [5, 8, "ORG"]]},
                {"entities": []},
                None,
            ],
            [(4, 4), (2, 4), (0, 2), (0, 2)],
        ),
        (
            "boolq",
            "accuracy",
            {"answer": "yes"},
            [{"answer": "yes"}, {"answer": "no"}, None],
            [(1, 1), (0, 1), (0, 1)],
        ),
        (
            "re",
            "F1",
            {"relations": ["a"]},
            [{"relation": "a"}, {"relation": "b"}, {"relation": "no_relation"}],
            [(2, 2), (0, 2), (0, 1)],
        ),
    ],
)
def test_scores_are_ratios_of_sums_of_these(
    task: str, measure: str, gold: dict, answers: list, counts: list
) -> None:
    labelled = [Labelled(str(at), {}, gold) for at in range(len(answers))]
    predictions = [Prediction(answer) for answer in answers]
    assert sample_counts(task, labelled, predictions) == tuple(counts)
    assert measure_of(task) == measure
