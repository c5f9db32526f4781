from __future__ import annotations

import json

import pytest

from mt_gate.reporting.writers.findings import badge
from mt_gate.results.result import GateVerdict
from reporting import made_up

GOOD, BAD = {"brightgreen", "blue"}, {"red"}


@pytest.mark.parametrize("verdict", GateVerdict)
def test_the_colour_agrees_with_the_exit_code(verdict: GateVerdict) -> None:
    result = made_up.result(verdict)
    value = json.loads(badge(result))
    assert [*value] == ["schemaVersion", "label", "message", "color"]
    assert value["schemaVersion"] == 1
    assert value["message"].replace(" ", "-") == verdict
    assert (value["color"] in BAD) == (result.exit_code == 1)
    assert value["color"] not in GOOD or result.exit_code == 0


def test_a_strict_run_that_fails_is_red() -> None:
    settings = made_up.settings(strict=True)
    result = made_up.result(GateVerdict.INCONCLUSIVE, settings=settings, exit_code=1)
    assert json.loads(badge(result))["color"] == "red"
