"""A run of relation extraction made up for the tests of the reports: all eight relations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cases import FOLDER
from making import suite_head
from mt_gate.domain import Group, Source, Verdict
from mt_gate.reporting.words.texts import relation_texts
from mt_gate.results.result import Change, GateVerdict, GroupRow, Profiles, Result, SuiteHead
from mt_gate.running.measuring import count_all, overall
from mt_gate.suites.format import SuiteRelation, group_id, write_suite
from mt_gate.tasks.relation_extraction import fault
from reporting import made_up

CATALOGUE = relation_texts()
NONE = "no_relation"
HEADS, TAILS = "combine-shared-head", "combine-shared-tail"


def input_of(marked: str) -> dict[str, Any]:
    """Return the input that ``[Anna|head PERSON] lives in [Oslo|tail CITY].`` denotes."""
    text, places = "", {}
    for part in marked.split("["):
        inner, bracket, rest = part.partition("]")
        if not bracket:
            text += part
            continue
        words, _, role = inner.partition("|")
        name, _, kind = role.partition(" ")
        places[name] = [len(text), len(text) + len(words), kind]
        text += words + rest
    value = {"text": text, **places}
    assert not fault(value), (marked, fault(value))
    return value


def said(relation: str, score: float = 0.93) -> dict[str, Any]:
    return {"relation": relation, "score": score}


class Example(NamedTuple):
    """A violated group: relation, both sides, what was answered, and what was expected."""

    relation: str
    source: str
    follow_up: str
    before: str
    after: str
    expected: str
    stratum: str = ""
    second: str = ""
    of_second: str = ""


_CASES = json.loads((FOLDER / "reporting" / "examples.json").read_text("utf-8"))
EXAMPLES = tuple(Example(*fields) for fields in _CASES["relations"])
RELATIONS = tuple(dict.fromkeys(f"re/{example.relation}" for example in EXAMPLES))


def row(
    example: Example, change: Change | None = Change.NEW, number: int = 0, **more: Any
) -> GroupRow:
    """Return an example as a row."""
    relation = f"re/{example.relation}"
    before, after = input_of(example.source), input_of(example.follow_up)
    holds = change in (Change.FIXED, Change.OK)
    fields = {
        "id": group_id(relation, before, after),
        "relation": relation,
        "source_id": f"s{number}",
        "verdict": Verdict.SATISFIED if holds else Verdict.VIOLATED,
        "source": before,
        "follow_up": after,
        "alignment": made_up.align(before["text"], after["text"]),
        "source_output": said(example.before),
        "follow_up_output": said(example.expected if holds else example.after, 0.71),
        "unmatched": None if holds else {"expected": example.expected},
        "bound": bool(example.second),
        "stratum": example.stratum,
        "second": input_of(example.second) if example.second else None,
        "second_output": said(example.of_second, 0.8) if example.second else None,
        "change": change,
    }
    return GroupRow(**{**fields, **more})


def rows(*changes: Change | None) -> list[GroupRow]:
    return [*_rows(changes or (Change.NEW, Change.FIXED, Change.STILL, Change.OK))]


def _rows(changes: tuple[Change | None, ...]) -> Iterator[GroupRow]:
    for change in changes:
        for number, example in enumerate(EXAMPLES):
            yield row(example, change, number)


def result(
    group_rows: list[GroupRow], verdict: GateVerdict = GateVerdict.MEASURED, **more: Any
) -> Result:
    """Return the result that counts the rows."""
    counted = count_all(RELATIONS, group_rows)
    clean = made_up.result(verdict)
    if clean.baseline is not None:
        counted = tuple(
            msgspec.structs.replace(item, comparison=clean.relations[0].comparison)
            for item in counted
        )
    profile: Mapping[str, float] = {f"share of {NONE}": 0.75, "share of per:spouse": 0.25}
    fields: dict[str, Any] = {
        "suite": SuiteHead(name="re-default", version="1", task="re", sha256="ab12cd34" * 8),
        "relations": counted,
        "overall": overall(counted),
        "profile": Profiles(candidate=profile),
    }
    return msgspec.structs.replace(clean, **{**fields, **more})


BOUND = (f"re/{HEADS}", f"re/{TAILS}")


def suite(folder: Path) -> Path:
    """Write a suite that the rows are of; those of the relations bound are not in it."""
    made = [row(example, None, number) for number, example in enumerate(EXAMPLES)]
    sources = [
        Source(
            id=item.source_id,
            input=item.source,
            origin="made up",
            bind=(item.relation,) if item.bound else (),
        )
        for item in made
    ]
    groups = [
        Group(
            id=item.id,
            relation=item.relation,
            source=item.source_id,
            follow_up=item.follow_up or {},
            alignment=item.alignment,
            stratum=item.stratum,
        )
        for item in made
        if not item.bound
    ]
    relations = tuple(
        SuiteRelation(
            id=name,
            groups=sum(group.relation == name for group in groups),
            sources=sum(item.relation == name for item in made),
            bound=name in BOUND,
        )
        for name in RELATIONS
    )
    head = suite_head("re", relations, len(sources), name="made-up-re")
    write_suite(folder, head, sources, groups)
    return folder


def run(folder: Path, group_rows: list[GroupRow] | None = None) -> Path:
    """Write a run as it is stored: the rows and the result that counts them."""
    group_rows = rows(None) if group_rows is None else group_rows
    folder.mkdir(parents=True)
    return made_up.store(folder, result(group_rows), group_rows)
