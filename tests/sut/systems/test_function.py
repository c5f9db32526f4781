"""Python callables as systems: what they get, and what their outputs become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cases import table
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.systems.function import BATCH, FunctionSystem
from mt_gate.tasks.table import TASKS


def predict(function: Callable, task: str, *inputs: Any) -> list[Any]:
    batches = FunctionSystem(function, task).predict(inputs)
    return [prediction.output for batch in batches for _, prediction in batch]


@pytest.mark.parametrize(
    ("task", "value", "output", "expected"), table(__file__, "outputs_become_predictions")
)
def test_outputs_become_predictions(task: str, value: Any, output: Any, expected: Any) -> None:
    seen = []

    def function(batch: list[Any]) -> list[Any]:
        seen.extend(batch)
        return [output] * len(batch)

    assert predict(function, task, value) == [expected]
    assert seen == [value["text"] if [*value] == ["text"] else value]


@pytest.mark.parametrize(("task", "output", "words"), table(__file__, "outputs_that_do_not_fit"))
def test_outputs_that_do_not_fit(task: str, output: Any, words: str) -> None:
    def some_output(batch: list[Any]) -> list[Any]:
        return [output] * len(batch)

    some_output.__qualname__ = "some_output"
    with pytest.raises(CannotJudge) as failure:
        predict(some_output, task, TASKS[task].probe)
    assert words in str(failure.value)


def test_a_score_of_numpy_is_a_number() -> None:
    assert predict(
        lambda batch: np.full(len(batch), 0.25), "boolq", TASKS["boolq"].probe
    ) == [{"answer": "no", "score": 0.25}]  # fmt: skip


def test_inputs_come_in_batches_and_in_their_order() -> None:
    sizes = []

    def first_word(batch: list[str]) -> list[str]:
        sizes.append(len(batch))
        return [text.partition(" ")[0] for text in batch]

    inputs = [{"text": f"w{at} is a text"} for at in range(2 * BATCH + 1)]
    outputs = predict(first_word, "text", *inputs)
    assert sizes == [BATCH, BATCH, 1]
    assert [output["labels"] for output in outputs] == [[f"w{at}"] for at in range(2 * BATCH + 1)]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ([], "returned 0 outputs for 2 inputs"),
        (["a", "b", "c"], "returned 3 outputs for 2 inputs"),
        ("ab", "returned no list for 2 inputs"),
        ({"a": 1, "b": 2}, "returned no list for 2 inputs"),
        (None, "failed on inputs 0 to 1 (TypeError"),
    ],
)
def test_a_result_of_another_length(result: Any, words: str) -> None:
    with pytest.raises(CannotJudge) as failure:
        predict(lambda _: result, "text", {"text": "a"}, {"text": "b"})
    assert words in str(failure.value)


def test_an_exception_of_the_callable_is_the_cause() -> None:
    def broken(_: list[str]) -> list[str]:
        raise KeyError("a\nb")

    with pytest.raises(CannotJudge, match=r"broken failed on inputs 0 to 0 \(KeyError") as failure:
        predict(broken, "text", {"text": "a"})
    assert isinstance(failure.value.__cause__, KeyError)
    assert "\n" not in str(failure.value)
