from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path

import junitparser
import msgspec
import pytest

from mt_gate.reporting.writers.junit_xml import GROUPS_SHOWN, junit
from mt_gate.results.result import Change, Decision, GateVerdict, Result, Rule
from reporting import golden, hostile, made_up

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
    found = cases(junit(result, ROWS, made_up.CATALOGUE))
    return {r.id: outcome(found[r.id]) for r in result.relations}


def test_golden() -> None:
    golden.check("made_up_junit.xml", junit(made_up.result(), ROWS, made_up.CATALOGUE))


def strict() -> Result:
    settings = made_up.settings(strict=True)
    return made_up.result(GateVerdict.INCONCLUSIVE, settings=settings, exit_code=1)


@pytest.mark.parametrize("verdict", GateVerdict)
def test_failures_agree_with_the_exit_code(verdict: GateVerdict, tmp_path: Path) -> None:
    result = made_up.result(verdict)
    report = parsed(junit(result, ROWS, made_up.CATALOGUE), tmp_path)
    assert (report.failures > 0) == (result.exit_code == 1)
    assert (report.errors > 0) == (result.exit_code == 3)
    assert report.tests == sum(1 for suite in report for _ in suite)


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
    assert relation_outcomes(strict())["ner/structural"] == "failure"


def test_what_fails_without_an_applicable_group_is_a_failure() -> None:
    limit = made_up.comparison(Decision.INCONCLUSIVE, None, rule=Rule.LIMIT, fails=True)
    none = made_up.relation("ner/structural", 0, 0, limit, vacuous=200)
    result = strict()
    others = tuple(one for one in result.relations if one.id != none.id)
    result = msgspec.structs.replace(result, relations=(none, *others))
    assert relation_outcomes(result)["ner/structural"] == "failure"


def test_a_relation_without_applicable_group_is_skipped_with_its_reasons() -> None:
    silent = made_up.relation("ner/structural", 0, 0, vacuous=12)
    result = made_up.result(GateVerdict.MEASURED, relations=(silent,))
    case = cases(junit(result, made_up.again([]), {}))["ner/structural"]
    skipped = case.find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "No group is applicable (vacuous: 12)."


def test_a_collapsed_relation_fails_though_nothing_is_applicable() -> None:
    fallen = made_up.comparison(Decision.COLLAPSE, None)
    silent = made_up.relation("ner/structural", 0, 0, fallen, vacuous=12)
    result = made_up.result(GateVerdict.COLLAPSE, relations=(silent,))
    assert relation_outcomes(result) == {"ner/structural": "failure"}


def test_the_message_carries_the_figures() -> None:
    case = cases(junit(made_up.result(), ROWS, made_up.CATALOGUE))["ner/entity-shuffle"]
    failure = case.find("failure")
    assert failure is not None
    for part in ("+5.2 pp", "[+3.2, +7.2] pp", "p adjusted <0.001", "effect 3.1 pp", "400 pairs"):
        assert part in failure.attrib["message"]


def test_new_violations_fail_only_in_a_relation_that_fails() -> None:
    found = cases(junit(made_up.result(), ROWS, made_up.CATALOGUE)).values()
    groups = [case for case in found if case.attrib["classname"].count(".") == 2]
    seen = {case.attrib["classname"].rpartition(".")[2]: outcome(case) for case in groups}
    assert seen.pop("entity-shuffle") == "failure"
    assert set(seen.values()) == {"passed"}


def test_fixed_and_still_violated_groups_are_no_cases() -> None:
    rows = made_up.again(made_up.rows({Change.FIXED: 4, Change.STILL: 4}))
    found = cases(junit(made_up.result(), rows, made_up.CATALOGUE)).values()
    assert not [case for case in found if case.attrib["classname"].count(".") == 2]


def test_at_most_fifty_groups_and_a_count_of_the_others() -> None:
    text = junit(made_up.result(), made_up.many(10_000, "ner/entity-shuffle"), made_up.CATALOGUE)
    found = cases(text)
    groups = [name for name in found if name.startswith("0000")]
    assert len(groups) == GROUPS_SHOWN
    rest = found["further newly violated groups"]
    assert outcome(rest) == "passed"
    assert "9,950 more newly violated groups" in (rest.findtext("system-out") or "")


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


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    result, rows = hostile.result(made_up.result()), hostile.rows(made_up.rows())
    text = junit(result, made_up.again(rows), hostile.CATALOGUE)
    report = parsed(text, tmp_path)
    clean = parsed(junit(made_up.result(), ROWS, made_up.CATALOGUE), tmp_path)
    assert (report.tests, report.failures) == (clean.tests, clean.failures)
    assert {element.tag for element in ET.fromstring(text).iter()} <= {
        *("testsuites", "testsuite", "properties", "property"),
        *("testcase", "failure", "skipped", "system-out"),
    }
    assert "\\x00" in text
    assert "\\ud800" in text


def test_hostile_report_fits_jenkins_schema(schema: Path, tmp_path: Path) -> None:
    result, rows = hostile.result(made_up.result()), hostile.rows(made_up.rows())
    parsed(junit(result, made_up.again(rows), hostile.CATALOGUE), tmp_path)
    checked(tmp_path / "junit.xml", schema)


def test_line_breaks_stay_in_the_text() -> None:
    found = cases(junit(made_up.result(), ROWS, made_up.CATALOGUE))
    text = found["verdict"].findtext("failure") or ""
    assert text.count("\n") == 2


def test_junit2html_reads_the_counts(tmp_path: Path) -> None:
    parser = pytest.importorskip("junit2htmlreport.parser", reason="junit2html is a reader to try")
    result = made_up.result()
    parsed(junit(result, ROWS, made_up.CATALOGUE), tmp_path)
    report = parser.Junit(str(tmp_path / "junit.xml"))
    found = [case for suite in report.suites for case in suite.all()]
    assert len(found) == len(cases((tmp_path / "junit.xml").read_text(encoding="utf-8")))
    assert sum(1 for case in found if case.failed()) == 4
    assert sum(1 for case in found if case.skipped) == 1


def test_a_group_keeps_its_name_when_only_its_output_changes() -> None:
    rows = made_up.rows()
    other = [msgspec.structs.replace(r, unmatched=None, follow_up_output=None) for r in rows]
    names = [
        {name for name in cases(junit(made_up.result(), made_up.again(r), {})) if "0000" in name}
        for r in (rows, other)
    ]
    assert names[0] == names[1] != set()
