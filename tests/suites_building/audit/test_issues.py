"""Suspicious issues: drawn, marked, read back; and judged by labels, with categories of error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scipy.stats import binomtest

from baselines.made import result_of
from conftest import Answer, check_refused
from making import question
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.domain import Entity, Verdict
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.entities import compare_entities
from mt_gate.results.result import GroupRow
from mt_gate.suites.format import read_suite
from mt_gate_suites.audit.issues import read_issues
from mt_gate_suites.audit.sheet import from_csv, to_csv
from reporting import made_up

NAMES = ("Anna", "Boris", "Clara", "David", "Erik", "Rome")
# Labels on the name: in the original, in the edited text, and the gold one.
CASES = {
    "omission": ("PER", None, "PER"),
    "over-labelling": ("PER", None, None),
    "incorrect-category": ("PER", "ORG", "PER"),
}


def text_of(name: str) -> str:
    return f"{name} was in Oslo."


def row(name: str, before: str | None, after: str | None) -> GroupRow:
    """Return a judged case of ``ner/structural``; the name has these labels, Oslo is right."""
    text = text_of(name)
    edited, blocks = question(text)
    outputs = []
    for words, label in ((text, before), (edited, after)):
        at, oslo = words.index(name), words.index("Oslo")
        entities = [Entity(at, at + len(name), label)] if label else []
        entities.append(Entity(oslo, oslo + 4, "LOC"))
        outputs.append({"entities": [[*entity] for entity in sorted(entities)]})
    case = ExecutedGroup({"text": text}, {"text": edited}, *outputs, blocks)
    judged = compare_entities(case)
    return GroupRow(
        id=f"id-{name}",
        relation="ner/structural",
        source_id=name,
        verdict=judged.verdict,
        source=case.source,
        follow_up=case.follow_up,
        alignment=blocks,
        source_output=outputs[0],
        follow_up_output=outputs[1],
        unmatched=judged.unmatched,
        errors=judged.errors,
    )


@pytest.fixture
def rows() -> list[GroupRow]:
    made = [row(name, *CASES[kind][:2]) for name, kind in zip(NAMES, CASES, strict=False)]
    made.append(row("Rome", "LOC", "LOC"))
    assert [one.verdict for one in made] == [Verdict.VIOLATED] * 3 + [Verdict.SATISFIED]
    return made


@pytest.fixture
def out(rows: list[GroupRow], suite: Path, tmp_path: Path) -> Path:
    whole = result_of(rows)
    result = msgspec.structs.replace(whole, suite=read_suite(suite).identity)
    folder = tmp_path / "run"
    folder.mkdir()
    return made_up.store(folder, result, rows)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    lines = []
    for name, (_, _, gold) in zip(NAMES, CASES.values(), strict=False):
        oslo = [text_of(name).index("Oslo"), text_of(name).index("Oslo") + 4, "LOC"]
        entities = [[0, len(name), gold]] if gold else []
        lines.append(json.dumps({"text": text_of(name), "entities": [*entities, oslo]}))
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_labels_tell_omission_from_over_labelling(suite: Path, out: Path, labels: Path) -> None:
    read = read_suite(suite)
    without = read_issues(read, out, None)
    assert [issue.categories for issue in without] == [
        ("undecided",), ("undecided",), ("incorrect-category",),
    ]  # fmt: skip
    assert {issue.wrong for issue in without} == {None}
    by_labels = read_issues(read, out, labels)
    assert [issue.categories for issue in by_labels] == [(kind,) for kind in CASES]
    assert all(issue.wrong for issue in by_labels)


def test_a_sheet_is_marked_and_read_back(
    command: Callable[..., Answer], suite: Path, out: Path, labels: Path
) -> None:
    audit = ("suite", "audit", suite, "--issues", "--result", out)
    answer = command(*audit, "--out", "sheets", "--labels", labels)
    assert answer.code == PASS, answer
    assert "By labels, ner/structural: 3 of 3 issues erroneous, 100%" in answer.err
    sheet = Path("sheets/issues.csv")
    lines = from_csv(sheet.read_bytes(), sheet)
    assert {line.id for line in lines} == {f"id-{name}" for name in NAMES[:3]}
    assert {line.stratum for line in lines} == {"omission", "over-labelling", "incorrect category"}
    assert all("original: " in line.answers and "edited: " in line.answers for line in lines)
    read = (*audit, "--read", sheet)
    check_refused(command(*read), CANNOT_JUDGE, "is marked ''")
    marks = {"id-Anna": "error", "id-Boris": "none", "id-Clara": "Error"}
    sheet.write_bytes(to_csv(line._replace(mark=marks[line.id]) for line in lines))
    answer = command(*read)
    assert answer.code == PASS, answer
    low, high = binomtest(2, 3).proportion_ci(method="wilson")
    interval = f"(95% CI {100 * low:.1f}% to {100 * high:.1f}%)"
    assert f"ner/structural: 2 of 3 issues erroneous, 66.7% {interval}" in answer.err
    assert "omission or over-labelling: 1 of 2 issues erroneous" in answer.err
    assert "incorrect category: 1 of 1 issue erroneous" in answer.err
    strange = [lines[0]._replace(id="id-Rome", mark="error")]
    sheet.write_bytes(to_csv(strange))
    check_refused(command(*read), CANNOT_JUDGE, "'id-Rome' is not a violated case")
    check_refused(command(*audit, "--out", "sheets"), USAGE, "exists and may have marks")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--issues", "--out", "x"], "--issues needs --result"),
        (["--labels", "x", "--out", "x"], "--labels needs --issues"),
        (["--issues", "--result", "r"], "--issues needs --out DIR"),
    ],
)
def test_options_that_do_not_fit(
    command: Callable[..., Answer], suite: Path, flags: list[str], words: str
) -> None:
    check_refused(command("suite", "audit", suite, *flags), USAGE, words)
