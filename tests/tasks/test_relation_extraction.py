"""Inputs of task re: what is wrong with one is said, whatever stands there."""

from __future__ import annotations

from typing import Any

import pytest

from mt_gate.tasks.relation_extraction import fault

TEXT = "Anna lives in Oslo."


@pytest.mark.parametrize(
    "head",
    [
        [0, 4, ["PERSON"]], [0, 4, {}], [0, 4, []], [0, 4, 7], [0, 4, "PLANET"], [0, 4], "Anna",
        None,
        [0, 10**30, "PERSON"], [0.0, 4, "PERSON"], ["0" * 9999, 4, ""], [True, 4, ""],
    ],
)  # fmt: skip
def test_arguments_that_are_none(head: Any) -> None:
    found = fault({"text": TEXT, "head": head, "tail": [14, 18, "CITY"]})
    assert 0 < len(found) < 400


@pytest.mark.parametrize("kind", ["PERSON", "", None])
def test_arguments_that_are_well(kind: Any) -> None:
    assert fault({"text": TEXT, "head": [0, 4, kind], "tail": [14, 18, "CITY"]}) == ""
