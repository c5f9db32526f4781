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

from mt_gate.results.result import Decision, GateVerdict, Result, Rule
from reporting import hostile_pages, made_up
from reporting.made_up import junit

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


def strict() -> Result:
    settings = made_up.settings(strict=True)
    return made_up.result(GateVerdict.INCONCLUSIVE, settings=settings, exit_code=1)


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


def test_new_violations_fail_only_in_a_relation_that_fails() -> None:
    found = cases(junit(made_up.result(), ROWS, made_up.CATALOGUE)).values()
    groups = [case for case in found if case.attrib["classname"].count(".") == 2]
    seen = {case.attrib["classname"].rpartition(".")[2]: outcome(case) for case in groups}
    assert seen.pop("entity-shuffle") == "failure"
    assert set(seen.values()) == {"passed"}


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


def test_a_group_keeps_its_name_when_only_its_output_changes() -> None:
    rows = made_up.rows()
    other = [msgspec.structs.replace(r, unmatched=None, follow_up_output=None) for r in rows]
    names = [
        {name for name in cases(junit(made_up.result(), made_up.again(r), {})) if "0000" in name}
        for r in (rows, other)
    ]
    assert names[0] == names[1] != set()
