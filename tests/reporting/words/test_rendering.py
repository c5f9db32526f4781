from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from cases import table
from mt_gate.reporting.words.rendering import renderer
from reporting import made_up

ROWS = made_up.rows()


@pytest.mark.parametrize(("task", "output", "labels"), table(__file__, "labels"))
def test_labels_that_readers_choose_groups_by(
    task: str, output: Mapping[str, Any], labels: list[str]
) -> None:
    assert [*renderer(task).labels(output)] == labels


@pytest.mark.parametrize(
    ("before", "after", "strength"), [(0.9, 0.2, 70), (0.5, 0.5, 0), (0.9, None, 0)]
)
def test_answers_are_ordered_by_their_change_of_score(
    before: float, after: float | None, strength: float
) -> None:
    outputs = [{"answer": "yes", "score": score} for score in (before, after)]
    row = msgspec.structs.replace(ROWS[0], source_output=outputs[0], follow_up_output=outputs[1])
    strongest = renderer("boolq").strongest
    assert strongest is not None
    assert strongest(row) == strength
