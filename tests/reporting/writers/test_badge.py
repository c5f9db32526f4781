from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mt_gate.reporting.writers.badge import badge
from mt_gate.results.result import GateVerdict
from reporting import hostile, made_up

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


def test_hostile_texts_are_visible() -> None:
    text = badge(hostile.result(made_up.result()))
    assert not set("\x1b\x00\u202e\u2028\r") & set(json.loads(text)["label"])


def test_command(run_gate: Callable[..., Any], command: Callable[..., Any], tmp_path: Path) -> None:
    assert run_gate().code == 0
    path = tmp_path / "badge.json"
    assert command("report", tmp_path / "out", "--format", "badge", "--output", path).code == 0
    assert json.loads(path.read_text())["label"] == "mt-gate ner"
