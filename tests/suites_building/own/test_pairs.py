"""Groups that exist already, as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.relations.stated import Falls, Same
from mt_gate.tasks.table import TASKS
from mt_gate_suites.own.pairs import Pairs, read_pairs

SAME = {"kind": "same"}


def read(tmp_path: Path, *rows: Any, task: str = "text") -> Pairs:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return read_pairs((path,), TASKS[task])


def pair(source: object = "It is.", follow_up: object = "It was.", **more: object) -> Any:
    return {"source": source, "follow_up": follow_up, **more}


def test_relations_sources_and_groups(tmp_path: Path) -> None:
    falls = {"kind": "falls", "label": "a", "by": 0.1}
    found = read(
        tmp_path,
        pair(relation="past", output=falls, title="In the past", stratum="be"),
        pair(follow_up="It had been.", relation="past"),
        pair("Is it?", output=SAME),
    )
    assert [(one.id, one.title, one.output) for one in found.relations] == [
        ("text/past", "In the past", Falls(label="a", by=0.1)),
        ("text/same", "Same", Same()),
    ]
    assert [one.id for one in found.sources] == ["pairs-1", "pairs-2"]
    assert [(one.source, one.stratum) for one in found.groups] == [
        ("pairs-1", "be"),
        ("pairs-1", ""),
        ("pairs-2", ""),
    ]
    assert found.groups[0].alignment == ((0, 0, 3), (5, 6, 1)) or found.groups[0].alignment


def test_pairs_of_two_texts(tmp_path: Path) -> None:
    before, after = {"text": "a b", "second": "c"}, {"text": "a b", "second": "d"}
    (group,) = read(tmp_path, pair(before, after, output=SAME)).groups
    assert group.follow_up == after
    assert group.alignment == ((0, 0, 4),)


def test_gold_labels(tmp_path: Path) -> None:
    (group,) = read(tmp_path, pair(output={"kind": "equals"}, gold=["a"])).groups
    assert group.gold == ("a",)


def test_no_pair_takes_the_id_of_a_relation_of_mt_gates(tmp_path: Path) -> None:
    questions = [{"question": one, "passage": "It is."} for one in ("is it", "was it")]
    row = pair(*questions, relation="before-after", output=SAME)
    with pytest.raises(UsageError, match="boolq/before-after is a relation of mt-gate's"):
        read(tmp_path, row, task="boolq")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no pair"),
        ([{"follow_up": "a", "output": SAME}], "pairs.jsonl:1: a pair without source"),
        ([{"source": "a", "output": SAME}], "pairs.jsonl:1: a pair without follow_up; expected"),
        ([pair()], "says what must hold"),
        ([pair(relation="x")], "says what must hold in relation 'x'"),
        ([pair(output=SAME, more=1)], "unknown field 'more'; known: source, follow_up"),
        (
            [pair(output=SAME), {"source": "a", "folow_up": "b"}],
            "pairs.jsonl:2: unknown field 'folow_up'; did you mean 'follow_up'? known: source,",
        ),
        ([pair(output={"kind": "alike"})], "kind 'alike'"),
        ([pair("", output=SAME)], "pairs.jsonl:1: source: no usable text"),
        ([pair("a", "a", output=SAME)], "are the same; correct one of them, or leave out"),
        ([pair({"text": "a", "second": "b"}, "c", output=SAME)], "not the same texts"),
        ([pair(output={"kind": "equals"})], 'asks for; add gold, as ["a label"]'),
        (
            [pair(relation="x", output=SAME), pair(relation="x", output={"kind": "differs"})],
            "pairs.jsonl:2: relation 'x' has another output relation",
        ),
        ([pair(relation="Not a name", output=SAME)], "matching regex"),
        (["a"], "expected a JSON object"),
        ([pair(7, output=SAME)], "pairs.jsonl:1"),
        ([pair(id="a", output=SAME), pair("b", id="a", output=SAME)], "that of another source"),
        (
            [pair(id="pairs-2", output=SAME), pair("b", output=SAME)],
            "pairs.jsonl:2: no id, and that made for it, 'pairs-2' is that of another source",
        ),
        ([pair(stratum="s" * 201, output=SAME)], "length <= 200 - at `$.stratum`"),
        ([pair(id="s" * 201, output=SAME)], "length <= 200 - at `$.id`"),
        ([pair(gold=["s" * 201], output={"kind": "equals"})], "length <= 200"),
        ([pair(gold=["s"] * 1001, output={"kind": "equals"})], "length <= 1000"),
        ([pair(follow_up="a\udfff", output=SAME)], "pairs.jsonl:1: it has half of a character"),
        ([pair(id="\ud800", output=SAME)], "pairs.jsonl:1: it has half of a character"),
        (
            [pair(output={"kind": "falls", "label": "\ud800", "by": 0.1})],
            "pairs.jsonl:1: it has half of a character",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, *rows)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_pairs_of_one_sentence_keep_their_heads_and_share_a_cluster(tmp_path: Path) -> None:
    def asked(text: str, head: list[object]) -> dict[str, object]:
        return {"text": text, "head": head, "tail": [18, 22, "CITY"]}

    heads = [0, 4, "PERSON"], [9, 14, "PERSON"]
    before, after = "Anna met Boris in Oslo.", "Anna saw Boris in Oslo."
    rows = [pair(asked(before, one), asked(after, one), output=SAME) for one in heads]
    found = read(tmp_path, *rows, task="re")
    assert [one.input["head"] for one in found.sources] == [*heads]
    assert [one.cluster for one in found.sources] == ["", "pairs-1"]
    assert [one.source for one in found.groups] == ["pairs-1", "pairs-2"]


def test_a_pair_with_two_gold_labels_is_refused(tmp_path: Path) -> None:
    rows = [pair(output={"kind": "equals"}, gold=[label]) for label in ("a", "b")]
    with pytest.raises(UsageError, match=r"pairs.jsonl:2: a line before it has the same pair"):
        read(tmp_path, *rows)
    (group,) = read(tmp_path, rows[0], rows[0]).groups
    assert group.gold == ("a",)
