"""The JUnit file in programs that read such files, and with whatever texts a run may hold."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import junitparser
import msgspec
import pytest

import node
from mt_gate.base import files
from mt_gate.base.escaping import visible
from mt_gate.reporting.writers.findings import GROUPS_SHOWN
from mt_gate.results.result import Change, Decision, GateVerdict, GroupRow, Result
from reporting import made_up
from reporting.made_up import junit


class Counts(NamedTuple):
    """How many cases a file has, and of these how many failed, broke and were skipped."""

    tests: int
    failures: int
    errors: int
    skipped: int


def expected(stored: dict, rows: list[GroupRow]) -> Counts:
    """Return the counts that follow from ``result.json``, decoded, and the groups."""
    failing = {Decision.REGRESSION, Decision.COLLAPSE}
    if stored["settings"]["strict"]:
        failing.add(Decision.INCONCLUSIVE)
    fails = stored["exit_code"] == 1
    tests, failures, skipped = 1, int(fails), 0
    pooled = stored["overall"].get("comparison")
    parts = [pooled] if pooled else []
    parts += [relation.get("comparison") for relation in stored["relations"]]
    tests += len(parts) + (stored.get("churn") is not None)
    for comparison in parts:
        decision = comparison["decision"] if comparison else None
        failures += fails and decision in failing
        uncompared = comparison is None and stored["verdict"] == GateVerdict.CANNOT_JUDGE
        skipped += decision == Decision.NOT_COMPARABLE or uncompared
    for relation in stored["relations"]:
        new = sum(row.relation == relation["id"] and row.change is Change.NEW for row in rows)
        shown = min(new, GROUPS_SHOWN)
        tests += shown + (new > shown)
        failed = (relation.get("comparison") or {}).get("decision") in failing
        failures += shown * (fails and failed)
    return Counts(tests, failures, int(stored["exit_code"] == 3), skipped)


def by_junitparser(path: Path) -> Counts:
    report = junitparser.JUnitXml.fromfile(str(path))
    assert sum(1 for suite in report for _ in suite) == report.tests
    return Counts(report.tests, report.failures, report.errors, report.skipped)


def by_junit2html(path: Path) -> Counts:
    parser = pytest.importorskip("junit2htmlreport.parser", reason="junit2html is a reader to try")
    outcomes = [case.outcome() for suite in parser.Junit(str(path)).suites for case in suite.all()]
    return Counts(len(outcomes), outcomes.count("failed"), 0, outcomes.count("skipped"))


_VIEWER = """
import parse from "xunit-viewer/src/cli/parse.js";
let text = "";
for await (const part of process.stdin.setEncoding("utf8")) text += part;
const suites = Object.values((await parse(text)).suites);
const tests = suites.flatMap((suite) => Object.values(suite.tests));
console.log(JSON.stringify(tests.map((test) => test.status)));
"""


def by_xunit_viewer(path: Path) -> Counts:
    statuses = json.loads(node.script("xunit-viewer", _VIEWER, path.read_text(encoding="utf-8")))
    return Counts(len(statuses), *map(statuses.count, ("failure", "error", "skipped")))


def by_its_own_counts(path: Path) -> Counts:
    """Return what the file says of itself, which Jenkins' and GitLab's readers do not count."""
    root = ET.parse(path).getroot()
    names = ("tests", "failures", "errors", "skipped")
    [suite] = root.iter("testsuite")
    assert all(root.get(name) == suite.get(name) for name in names[:3])
    return Counts(*(int(suite.attrib[name]) for name in names))


def crowded() -> Result:
    return made_up.result(GateVerdict.REGRESSION, notes=("many groups",))


RUNS: dict[str, tuple[Callable[[], Result], dict[Change | None, int]]] = {
    verdict.value: (lambda verdict=verdict: made_up.result(verdict), {Change.NEW: 9, Change.OK: 4})
    for verdict in GateVerdict
} | {"strict": (made_up.strict, {Change.NEW: 12}), "crowded": (crowded, {Change.NEW: 400})}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize(
    "reader", [by_its_own_counts, by_junitparser, by_junit2html, by_xunit_viewer]
)
def test_readers_count_what_the_result_says(
    reader: Callable[[Path], Counts], name: str, tmp_path: Path
) -> None:
    make, numbers = RUNS[name]
    result = make()
    rows = made_up.rows(numbers if result.baseline else {None: 9})
    path = tmp_path / "junit.xml"
    path.write_text(junit(result, made_up.again(rows), made_up.CATALOGUE), encoding="utf-8")
    wanted = expected(json.loads(files.canonical(msgspec.to_builtins(result))), rows)
    if reader is by_junit2html:  # to it an error is a failure
        wanted = wanted._replace(failures=wanted.failures + wanted.errors, errors=0)
    assert reader(path) == wanted


TEXTS, DOCUMENTS = 10_000, 10
_SPECIAL = [
    *map(chr, [*range(0x30), *range(0x7F, 0xA1)]),
    *map(chr, (0x2028, 0x2029, 0x200B, 0x202E, 0x2066, 0xFEFF, 0xFFF9, 0xE0001, 0x10FFFF)),
    *map(chr, (0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x1FFFF)),
    *("]]>", "<![CDATA[", "<!--", "-->", "<?xml ?>", "&amp;", "&#0;", "&#x1;", "<x a='", '">'),
    *("\r\n", "\ud83d\ude00", "\U0001f6eb", "é", "e\u0301", "\x1b[31m", "%s", "{0}", "\\x00"),
]


def fuzzed(seed: int) -> Iterator[str]:
    """Yield texts of special pieces, of any code points, and of ordinary letters."""
    draw = random.Random(seed)
    yield from _SPECIAL
    yield from map(chr, range(0xD7F0, 0xE010, 3))
    while True:
        pieces = (
            draw.choice(_SPECIAL) if draw.random() < 0.5 else chr(draw.randrange(0x110000))
            for _ in range(draw.randrange(12))
        )
        yield "".join(pieces) + draw.choice(("", "text", " "))


def documents() -> Iterator[tuple[list[str], str]]:
    """Yield texts, and the file of a run that holds them in notes, ids, reasons and names."""
    source = fuzzed(7)
    clean, rows = made_up.result(), made_up.rows({Change.NEW: 40})
    for _ in range(DOCUMENTS):
        texts = [next(source) for _ in range(TEXTS // DOCUMENTS)]
        half = len(texts) // 2
        ids = [f"{number} {text}" for number, text in enumerate(texts[half:])]
        compared = made_up.comparison(Decision.REGRESSION, 0.05)
        relations = tuple(
            made_up.relation(name, 9, 3, msgspec.structs.replace(compared, reason=texts[number]))
            for number, name in enumerate(ids)
        )
        head = msgspec.structs.replace(clean.checkpoint, name=texts[half])
        result = msgspec.structs.replace(
            clean, relations=relations, notes=tuple(texts[:half]), checkpoint=head
        )
        poisoned = [
            msgspec.structs.replace(row, relation=name, id=name, source_id=text)
            for row, name, text in zip(rows, ids, texts, strict=False)
        ]
        yield texts, junit(result, made_up.again(poisoned), {})


def check_texts(root: ET.Element, texts: list[str]) -> None:
    """Check that a parsed file holds the texts, cleaned as ``docs/reports.md`` says."""
    half = len(texts) // 2
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    verdict = cases["verdict"].findtext("failure") or ""
    assert verdict.endswith("\n".join(map(visible, texts[:half])))
    for number, text in enumerate(texts[half:]):
        failure = cases[visible(f"{number} {text}")].find("failure")
        assert failure is not None
        assert (failure.text or "") == visible(texts[number])
    properties = {p.attrib["name"]: p.attrib["value"] for p in root.iter("property")}
    assert properties["checkpoint"] == visible(texts[half])


def test_fuzzed_texts_stay_texts(tmp_path: Path) -> None:
    """10,000 texts, in three parsers: well formed, and cleaned of nothing but what is said."""
    etree = pytest.importorskip("lxml.etree", reason="lxml is a parser to try")
    xmllint = shutil.which("xmllint")
    total = 0
    for number, (actual, text) in enumerate(documents()):
        path = tmp_path / f"{number}.xml"
        path.write_text(text, encoding="utf-8")
        check_texts(ET.parse(path).getroot(), actual)
        check_texts(etree.parse(str(path)).getroot(), actual)
        total += len(actual)
    assert total == TEXTS
    if xmllint is not None:
        files = [str(path) for path in sorted(tmp_path.glob("*.xml"))]
        command = [xmllint, "--noout", "--nonet", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
