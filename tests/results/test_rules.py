from __future__ import annotations

from pathlib import Path

import msgspec

from judging.made import DEFAULTS
from mt_gate.baselines import schema
from mt_gate.results import result, rules
from mt_gate.results.result import Rule, RunSettings

DECISIONS = Path(__file__).parents[2] / "docs" / "decisions.md"


def test_every_rule_has_its_decisions_and_its_figures() -> None:
    assert {*rules.DECISIONS} == {*rules._FIGURES} == {*Rule}


def test_every_rule_is_explained() -> None:
    text = DECISIONS.read_text(encoding="utf-8")
    assert [rule for rule in Rule if f"| `{rule}` |" not in text] == []


def test_a_part_may_lose_what_the_whole_may() -> None:
    whole = rules.at_part(DEFAULTS, 1.0)
    assert whole == DEFAULTS
    part = rules.at_part(msgspec.structs.replace(DEFAULTS, max_applicability_drop=1.0), 0.5)
    assert (part.margin, part.max_applicability_loss) == (0.02, 0.2)
    assert part.max_applicability_drop == 1.0, "1 allows all, in a part as well"


def test_stored_settings_belong_to_a_format() -> None:
    """Another field has a default, for older baselines; a result is of another format with it."""
    assert (result.FORMAT, schema.FORMAT) == (6, 3)
    assert [field.name for field in msgspec.structs.fields(RunSettings)] == [
        "alpha",
        "margin",
        "strict",
        "max_applicability_loss",
        "max_applicability_drop",
        "max_violation_rate",
        "must_hold",
        "required",
        "max_churn",
        "max_negative_flips",
        "policy",
        "relations",
        "complete",
        "noise",
    ]
