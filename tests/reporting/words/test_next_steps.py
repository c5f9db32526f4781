"""What comes next after a run names its baseline as later runs will look for it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mt_gate.reporting.words.next_steps import next_steps
from mt_gate.results.result import GateVerdict, Result
from mt_gate.settings.record import Settings
from reporting import made_up


def of_suite(name: str) -> Result:
    result = made_up.result(GateVerdict.MEASURED)
    return msgspec.structs.replace(result, suite=msgspec.structs.replace(result.suite, name=name))


@pytest.mark.parametrize(
    ("suite", "told"),
    [
        ("ner-default", "mt-gate baseline record out --name ner"),
        (
            "tickets",
            "mt-gate baseline record out --name tickets, and name it: --baseline "
            "baselines/tickets.json",
        ),
        ("no file/name", "mt-gate baseline record out --name ner"),
    ],
)
def test_the_first_baseline_is_called_as_later_runs_look_for_it(suite: str, told: str) -> None:
    settings = Settings(checkpoint="models/ner", task="ner", suite=suite, out=Path("out"))
    assert next_steps(settings, of_suite(suite)) == [
        "report: out/report.html",
        f"to judge later runs by this one: {told}",
    ]


def test_a_part_of_a_suite_is_no_first_baseline() -> None:
    result = of_suite("tickets")
    part = msgspec.structs.replace(result.suite, part=("some of it",))
    settings = Settings(checkpoint="models/ner", task="ner", suite="tickets", out=Path("out"))
    assert len(next_steps(settings, msgspec.structs.replace(result, suite=part))) == 1
