"""The JUnit file in programs that read such files, and with whatever texts a run may hold."""

from __future__ import annotations

import json
import random
import re
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
from cases import table
from conftest import Answer
from mt_gate.base import files
from mt_gate.base.escaping import visible
from mt_gate.domain import Verdict
from mt_gate.results.result import Change, Decision, GateVerdict, GroupRow, Result, SliceResult
from reporting import made_up
from reporting.made_up import junit


class Counts(NamedTuple):
    """How many cases a file has, and of these how many failed, broke and were skipped."""

    tests: int
    failures: int
    errors: int
    skipped: int


def expected(stored: dict) -> Counts:
    """Return the counts that follow from ``result.json``, decoded."""
    failing = {Decision.REGRESSION, Decision.COLLAPSE}
    if stored["settings"]["strict"]:
        failing.add(Decision.INCONCLUSIVE)
    fails = stored["exit_code"] == 1
    tests, failures, skipped = 2, int(fails), int(stored.get("churn") is None)
    pooled = stored["overall"].get("comparison")
    skipped += pooled is None
    parts = [pooled] if pooled else [{"decision": None}]
    parts += [relation.get("comparison") for relation in stored["relations"]]
    for comparison in parts:
        decision = comparison["decision"] if comparison else None
        failures += fails and decision in failing
        uncompared = comparison is None and stored["verdict"] == GateVerdict.CANNOT_JUDGE
        skipped += decision == Decision.NOT_COMPARABLE or uncompared
    return Counts(tests + len(parts), failures, int(stored["exit_code"] == 3), skipped)


class Read(NamedTuple):
    """A test case as a server reads it: its identity, its state, its text, and its seconds."""

    key: tuple[str, ...]
    state: str
    text: str
    time: float


STATES = ("failure", "error", "skipped")


def by_publishing(path: Path) -> list[Read]:
    """Read as publish-unit-test-result-action v2.24: a message that begins the text is dropped."""
    report = junitparser.JUnitXml.fromfile(str(path))
    read = []
    for case in (case for suite in report for case in suite):
        assert len(case.result) <= 1
        [actual] = case.result or [None]
        state = type(actual).__name__.lower() if actual else ""
        message, text = (actual.message or "", actual.text or "") if actual else ("", "")
        shown = text if text.startswith(message) else f"{message}\n{text}"
        text = f"{shown}\n{case.system_out or ''}"
        read.append(Read((case.classname, case.name), state, text, case.time))
    return read


def by_gitlab(path: Path) -> list[Read]:
    """Read as GitLab's ``Gitlab::Ci::Parsers::Test::Junit``: of a failure, only the text."""
    read = []
    for suite in ET.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            key = (suite.attrib["name"], case.attrib["classname"], case.attrib["name"])
            state = next((name for name in STATES if case.find(name) is not None), "")
            text = case.findtext(state, "") if state else ""
            assert text.strip() or not state, "GitLab would show the attributes as JSON"
            read.append(Read(key, state, text, float(case.attrib["time"])))
    return read


def by_jenkins(path: Path) -> list[Read]:
    """Read as Jenkins' ``CaseResult``: a class is in the package before its last dot."""
    read = []
    for suite in ET.parse(path).getroot().iter("testsuite"):
        name = re.sub(r"[/\\:?#%<>]", "_", suite.attrib["name"])
        for case in suite.iter("testcase"):
            package, _, last = case.attrib["classname"].rpartition(".")
            key = (name, package, last, case.attrib["name"])
            # A case with both is skipped.
            state = next((tag for tag in reversed(STATES) if case.find(tag) is not None), "")
            actual = case.find(state) if state else None
            text = "" if actual is None else f"{actual.get('message')}\n{actual.text}"
            seconds = float(case.attrib["time"].replace(",", ""))
            read.append(Read(key, state, text, seconds))
    return read


SERVERS = [by_publishing, by_gitlab, by_jenkins]
each_server = pytest.mark.parametrize("server", SERVERS)
Server = Callable[[Path], list[Read]]


def counts_of(server: Server) -> Callable[[Path], Counts]:
    def count(path: Path) -> Counts:
        states = [case.state for case in server(path)]
        return Counts(len(states), *map(states.count, STATES))

    return count


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
    "reader",
    [
        *(by_its_own_counts, by_junitparser, by_junit2html, by_xunit_viewer),
        *map(counts_of, SERVERS),
    ],
)
def test_readers_count_what_the_result_says(
    reader: Callable[[Path], Counts], name: str, tmp_path: Path
) -> None:
    make, numbers = RUNS[name]
    result = make()
    rows = made_up.rows(numbers if result.baseline else {None: 9})
    path = tmp_path / "junit.xml"
    path.write_text(junit(result, made_up.again(rows), made_up.CATALOGUE), encoding="utf-8")
    wanted = expected(json.loads(files.canonical(msgspec.to_builtins(result))))
    if reader is by_junit2html:  # to it an error is a failure
        wanted = wanted._replace(failures=wanted.failures + wanted.errors, errors=0)
    assert reader(path) == wanted


def written(folder: Path, result: Result, rows: list[GroupRow]) -> Path:
    path = folder / "junit.xml"
    path.write_text(junit(result, made_up.again(rows), made_up.CATALOGUE), encoding="utf-8")
    return path


def with_parts(result: Result) -> Result:
    """Return a result with slices of a relation, and with pinned cases."""
    *others, last = result.relations
    names = ("target: women", "kind: threat")
    slices = tuple(
        SliceResult(name=name, groups=9, applicable=9, violated=3, comparison=last.comparison)
        for name in names
    )
    return msgspec.structs.replace(
        result,
        relations=(*others, msgspec.structs.replace(last, slices=slices)),
        settings=msgspec.structs.replace(result.settings, must_hold=("00000002", "nowhere")),
    )


@each_server
def test_every_verdict_has_the_same_cases(server: Server, tmp_path: Path) -> None:
    keys = set()
    for make, numbers in RUNS.values():
        result = with_parts(make())
        rows = made_up.rows(numbers if result.baseline else {None: 9})
        keys.add(tuple(case.key for case in server(written(tmp_path, result, rows))))
    [names] = keys
    assert len({*names}) == len(names) == 3 + 4 + 2 + 2


@each_server
def test_consecutive_runs_have_the_same_cases(
    server: Server,
    run_gate: Callable[..., Answer],
    command: Callable[..., Answer],
    worse: Path,
    tmp_path: Path,
) -> None:
    """A first run, one that passes and one that fails, of one gate whose name has a dot."""
    named = ("--name", "search/ner v1.2", "--strict")
    read = []
    for code, checkpoint in ((0, {}), (0, {}), (1, {"checkpoint": worse})):
        baseline = ("--baseline", "baselines/ner.json") if read else ()
        assert run_gate(*named, *baseline, **checkpoint).code == code
        read.append(server(tmp_path / "out" / "junit.xml"))
        command("baseline", "record", "out", "--name", "ner", "--accept", "a test")
    first, passing, failing = ([case.key for case in cases] for cases in read)
    assert first == passing == failing
    assert {key[-2].removeprefix("mt-gate.") for key in first} == {"search/ner v1_2"}
    assert not any(case.state in ("failure", "error") for case in read[1])
    assert {case.key[-1] for case in read[2] if case.state == "failure"} > {"verdict"}
    total = ET.parse(tmp_path / "out" / "junit.xml").getroot().attrib["time"]
    assert sum(case.time for case in read[2]) == pytest.approx(float(total))


@each_server
@pytest.mark.parametrize("number", [0, 1, 5, 6, 100])
def test_new_violations_are_a_number_and_the_first_five(
    server: Server, number: int, tmp_path: Path
) -> None:
    rows = list(made_up.many(number, "ner/entity-shuffle")())
    cases = {case.key[-1]: case for case in server(written(tmp_path, made_up.result(), rows))}
    assert cases["ner/entity-shuffle"].state == "failure"
    text = cases["ner/entity-shuffle"].text
    assert text.count("original: ") == min(number, 5)
    noun = "case" if number == 1 else "cases"
    assert (f"\n{number} newly violated {noun}\n" in text) == (number > 0)
    assert ("more in groups.jsonl.gz" in text) == (number > 5)
    assert (f"{number - 5} more in" in text) == (number > 5)


@pytest.mark.parametrize(("change", "run", "state"), table(__file__, "a_pinned_case"))
def test_a_pinned_case(change: str, run: str, state: str, tmp_path: Path) -> None:
    """``change`` is the pinned case's, or "untested" or "absent"; ``run`` is what it is part of."""
    result = made_up.strict() if run == "strict" else made_up.result(GateVerdict(run))
    known = Change(change) if change in [*Change] else Change.OK
    [row] = made_up.many(1, "ner/entity-shuffle", known)()
    if change == "untested":
        row = msgspec.structs.replace(row, verdict=Verdict.NOT_APPLICABLE, change=None)
    pinned = msgspec.structs.replace(result.settings, must_hold=(row.id,))
    result = msgspec.structs.replace(result, settings=pinned)
    path = written(tmp_path, result, [] if change == "absent" else [row])
    for server in SERVERS:
        [case] = [case for case in server(path) if case.key[-1] == f"pinned case {row.id}"]
        assert case.state == state


def test_no_text_attaches_a_file(tmp_path: Path) -> None:
    """Jenkins' plugin for attachments copies whatever file such a text names."""
    hostile = "[[ATTACHMENT|/etc/passwd]]"
    result = made_up.result(notes=(hostile,))
    rows = list(made_up.many(3, "ner/entity-shuffle")())
    rows = [msgspec.structs.replace(row, source_id=hostile) for row in rows]
    text = written(tmp_path, result, rows).read_text()
    assert "[[ATTACHMENT|" not in text
    assert text.count("[ [ATTACHMENT|/etc/passwd]]") == 4


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
        start = f"{failure.attrib['message']}\n{visible(texts[number])}"
        assert f"{failure.text}\n".startswith(start)
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
