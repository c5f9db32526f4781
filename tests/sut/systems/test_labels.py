"""Labels that other systems answer with."""

from __future__ import annotations

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.labels import settled


def test_each_label_once_and_the_likeliest_first() -> None:
    found = settled(["a", "b", "a"], {"a": 0.2, "b": 0.8}, "s")
    assert found == Prediction({"labels": ["b", "a"], "scores": {"a": 0.2, "b": 0.8}})
    assert settled([], {}, "s") == Prediction({"labels": [], "scores": {}})


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        ([" "], {}, "s: label ' '"),
        (["x" * 257], {}, "1 to 256 characters"),
        ([], {"": 0.5}, "1 to 256 characters"),
        ([], {"a": 1.5}, "score 1.5 of 'a'; expected 0 to 1"),
        ([], {"a": float("nan")}, "score nan of 'a'"),
        ([str(at) for at in range(10_001)], {}, "more than 10,000 labels"),
    ],
)
def test_others_are_refused(labels: list[str], scores: dict[str, float], words: str) -> None:
    with pytest.raises(CannotJudge, match=words):
        settled(labels, scores, "s")
