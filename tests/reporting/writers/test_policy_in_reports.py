"""A run judged by a policy in every report: the tier stands there, and nothing fails that warns."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from io import StringIO

from mt_gate.reporting.writers.annotations import annotations_of
from mt_gate.reporting.writers.badge import badge
from mt_gate.reporting.writers.html import report
from mt_gate.reporting.writers.junit_xml import junit
from mt_gate.reporting.writers.markdown import summary
from mt_gate.reporting.writers.sarif import sarif
from mt_gate.reporting.writers.terminal import show
from mt_gate.settings.policy import Accepted, Policy
from reporting import made_up
from reporting.judging import judged

TIERED = made_up.tiered()
ROWS = made_up.again(made_up.rows())
TEXTS = made_up.CATALOGUE


def test_junit_has_no_failure_and_each_tier() -> None:
    root = ET.fromstring(junit(TIERED, ROWS, TEXTS))
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    said = {case.get("name"): case.findtext("system-out") or "" for case in root.iter("testcase")}
    assert "tier warn" in said["ner/entity-shuffle"]
    assert "Regression (warns only):" in said["ner/entity-shuffle"]
    assert "tier report" in said["ner/structural"]
    assert "tier block" in said["ner/token-replacement"]
    assert "Relations that block" in said
    assert "the chairman's name (owner ann@example.org)" in said["verdict"]
    assert any("in a relation that warns only." in text for text in said.values())


def test_the_summary_has_the_policy() -> None:
    text = summary(TIERED, ROWS, TEXTS)
    assert text.startswith("### :warning: mt-gate: Warning")
    assert ":warning: Regression (warns only) |" in text
    assert ":grey_question: Not judged (shown only) |" in text
    assert "| Entity shuffle | warn: warns only | 1.0 pp | 0.01 |  |" in text
    assert "| Structural | report: shown only | 1.0 pp | not tested |  |" in text
    assert "accepted until 2027-01-31: another tokenizer (owner bob)." in text


def test_the_page_has_the_policy() -> None:
    text = report(TIERED, ROWS, TEXTS)
    assert "Policy that this run is judged by" in text
    assert '<span class="badge warning">' in text
    assert "Difference, relations that block" in text
    assert "Policy that this run" not in report(made_up.result(), ROWS, TEXTS)


def test_an_accepted_loss_is_called_so_on_the_page() -> None:
    name = "ner/token-replacement"
    loss = Accepted(relation=name, rise=0.5, reason="why", owner="ann", expires="2027-01-31")
    now, before = {name: "v" * 30 + "s" * 70}, {name: "v" * 10 + "s" * 90}
    found = judged(now, before, relations=(name,), policy=Policy(accepted=(loss,)))
    text = report(found, made_up.again(()), TEXTS)
    assert text.count('<span class="quiet">accepted</span>') == 3, "twice the relation, and all"


def test_an_annotation_and_an_alert_warn() -> None:
    [found] = annotations_of(TIERED, TEXTS, "ner", "report.html")
    assert found.level == "warning"
    assert found.title == "mt-gate ner: regression (warns only), Entity shuffle"
    run = json.loads(sarif(TIERED, TEXTS))["runs"][0]
    [alert] = run["results"]
    assert (alert["ruleId"], alert["level"]) == ("ner/entity-shuffle", "warning")


def test_the_badge_warns() -> None:
    found = json.loads(badge(TIERED))
    assert (found["message"], found["color"]) == ("warning", "orange")


def test_the_terminal_has_the_tiers() -> None:
    stream = StringIO()
    show(TIERED, TEXTS, stream)
    text = " ".join(stream.getvalue().split())
    assert "regression (warns only)" in text
    assert "Warning. Worse, and only a warning by the policy: Entity shuffle (+5.2 pp)." in text
