"""Policies held against the relations that there are, and against today."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import PASS, USAGE, UsageError
from mt_gate.running.preparing import check_limits, check_policy
from mt_gate.settings.loading import merged
from mt_gate.settings.policy import Accepted, Entry, Policy


def accepted(relation: str, expires: str) -> Accepted:
    return Accepted(relation=relation, rise=0.1, reason="a reason", owner="ann", expires=expires)


def test_what_there_is_and_lasts_is_taken() -> None:
    policy = Policy(
        relations={"ner/structural": Entry(), "boolq/tense-change": Entry()},
        accepted=(accepted("ner/structural", "2027-01-31"), accepted("re/same-type", "2020-01-01")),
    )
    check_policy(policy, "ner", "2027-01-31")


@pytest.mark.parametrize(
    "policy",
    [
        Policy(relations={"ner/strctural": Entry()}),
        Policy(accepted=(accepted("ner/strctural", "2027-01-31"),)),
    ],
)
def test_an_unknown_relation_is_named(policy: Policy) -> None:
    with pytest.raises(UsageError, match="'ner/strctural' is unknown; known: ner/token-rep"):
        check_policy(policy, "boolq", "2027-01-31")


def test_a_loss_that_was_accepted_for_too_long_fails_with_its_name() -> None:
    policy = Policy(accepted=(accepted("ner/structural", "2027-01-31"),))
    told = r"accepted loss of ner/structural expired on 2027-01-31 \(owner ann: a reason\)"
    with pytest.raises(UsageError, match=told):
        check_policy(policy, "ner", "2027-02-01")


def test_nothing_is_asked_under_a_policy_that_has_expired(run_gate: Any, tmp_path: Path) -> None:
    day = datetime.now(UTC).date()
    text = (
        'accepted = [{{relation = "ner/structural", rise = 0.1, reason = "a reason", '
        'owner = "ann", expires = "{}"}}]'
    )
    past = run_gate(policy=text.format(day - timedelta(days=1)))
    assert past.code == USAGE
    assert "the accepted loss of ner/structural expired on" in past.err
    assert not (tmp_path / "out" / "result.json").exists()
    assert run_gate(policy=text.format(day + timedelta(days=1))).code == PASS


def test_a_suite_s_own_relations_are_known() -> None:
    policy = Policy(relations={"text/typo": Entry()})
    check_policy(policy, "text", "2027-01-01", ["text/typo"])
    with pytest.raises(UsageError, match="'text/typo' is unknown; known: text/case"):
        check_policy(policy, "text", "2027-01-01", ["text/case"])
    check_policy(policy, "ner", "2027-01-01", ["ner/structural"])


@pytest.mark.parametrize(
    ("limit", "known"),
    [
        ("ner/structral=0", False),
        ("ner/structural=0", True),
        ("ner/entity-shuffle=0", True),  # of mt-gate, and not in this suite
        ("mine/own=0", True),
        ("0", True),
        ("boolq/anything=0", True),  # one file may have the settings of several tasks,
        ("ner/of-another-suite=0", True),  # and of several suites
        ("structural=0", False),
        ("mine/wn=0", False),
    ],
)
def test_limits_of_unknown_relations_are_refused(limit: str, known: bool) -> None:
    given = {"checkpoint": "x", "task": "ner", "max_violation_rate": limit}
    settings = merged(given, {}, Path("mt-gate.toml"))
    refused = pytest.raises(UsageError, match=r"^max-violation-rate: unknown relation")
    with nullcontext() if known else refused:
        check_limits(settings, ["ner/structural", "mine/own"])
