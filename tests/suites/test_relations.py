"""Relations that a suite states: read, refused, hashed and run, with no code of their own."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from making_boolq import save_word_pair
from making_stated import write_stated
from mt_gate.base.errors import CANNOT_JUDGE, PASS, CannotJudge
from mt_gate.domain import Group
from mt_gate.suites.format import (
    GROUPS,
    HEAD,
    SOURCES,
    find_suite,
    read_suite,
    relations_in,
    write_suite,
)
from mt_gate.suites.quick import quick

PASSAGE = "Anna was a friend of Boris in Oslo."
PAIRS = [
    (
        {"question": f"was anna a friend of {name}", "passage": PASSAGE},
        {"question": f"so was anna a friend of {name}", "passage": PASSAGE},
    )
    for name in ("boris", "clara", "david", "erik")
]
SAME, FLIPS = "boolq/so-first", "boolq/yes-to-no"
STATED = {
    SAME: {"kind": "same"},
    FLIPS: {"kind": "becomes", "labels": {"yes": "no"}, "when": {"label": "yes"}},
}


@pytest.fixture
def stated(tmp_path: Path) -> Path:
    return write_stated(tmp_path / "suite", "boolq", STATED, PAIRS)


def test_a_stated_relation_is_judged_by_what_the_suite_says(stated: Path) -> None:
    relations = relations_in(read_suite(stated).head)
    assert [*relations] == [SAME, FLIPS]
    assert relations[SAME].title == f"Title of {SAME}"
    assert relations[SAME].default
    assert not relations[SAME].at_run_time


def test_without_an_output_relation_it_is_mt_gates_own() -> None:
    for name in ("ner-default", "boolq-default", "re-default"):
        assert relations_in(read_suite(find_suite(name)).head)
    relations = relations_in(read_suite(find_suite("ner-default")).head)
    assert relations["ner/structural"].title == "Statement to question"


def test_the_identity_covers_what_must_hold_but_not_its_words(stated: Path, tmp_path: Path) -> None:
    read = read_suite(stated)

    def changed(**fields: Any) -> str:
        first = msgspec.structs.replace(read.head.relations[0], **fields)
        head = msgspec.structs.replace(read.head, relations=(first, *read.head.relations[1:]))
        write_suite(tmp_path / "other", head, read.sources, read.groups)
        return read_suite(tmp_path / "other").identity.sha256

    assert changed() == read.identity.sha256
    assert changed(title="Other words") == read.identity.sha256
    assert changed(output=read.head.relations[1].output) != read.identity.sha256


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one["output"].update(kind="vanishes"), "kind 'vanishes'. Expected one of"),
        (lambda one: one.update(output={}), "no kind. Expected one of"),
        (lambda one: one.update(output="same"), "no kind. Expected one of"),
        (lambda one: one["output"].update(when={"label": "maybe"}), "label 'maybe', .*: yes, no"),
        (lambda one: one["output"].update(wen=1), "unknown field `wen`"),
        (lambda one: one.update(output={"kind": "becomes", "labels": {}}), "length >= 1"),
        (
            lambda one: one.update(output={"kind": "rises", "label": "yes", "by": 1.5}),
            "<= 1",
        ),
        (lambda one: one.update(output={"kind": "spans-mapped"}), "does not fit task boolq"),
        (lambda one: one.update(output={"kind": "equals"}), "no 'gold'"),
        (lambda one: one.update(title=" "), "no title"),
        (lambda one: one.update(bound=True), "at run time"),
        (lambda one: one.update(id="own/so-first"), "the id of a relation must begin with its"),
        (lambda one: one.update(id="boolq/voice-change"), "mt-gate has a relation of that name"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    stated: Path, edit_json: Callable, change: Callable[[dict], None], words: str
) -> None:
    edit_json(stated / HEAD, lambda head: change(head["relations"][0]))
    with pytest.raises(CannotJudge, match=words) as caught:
        read_suite(stated)
    assert "\n" not in str(caught.value)
    assert HEAD in str(caught.value) or GROUPS in str(caught.value)


def test_gold_labels_are_of_the_label_set(tmp_path: Path) -> None:
    rule = {SAME: {"kind": "equals"}}
    read_suite(write_stated(tmp_path / "one", "boolq", rule, PAIRS, gold=("yes",)))
    with pytest.raises(CannotJudge, match="gold label 'maybe', but the labels of the suite are"):
        read_suite(write_stated(tmp_path / "two", "boolq", rule, PAIRS, gold=("maybe",)))


def test_no_gold_label_is_not_the_same_as_none_stated(tmp_path: Path) -> None:
    rule = {SAME: {"kind": "equals"}}
    for gold in ((), ("yes",)):
        folder = write_stated(tmp_path / f"{len(gold)}", "boolq", rule, PAIRS, gold=gold)
        assert {group.gold for group in read_suite(folder).groups} == {gold}
    folder = write_stated(tmp_path / "none", "boolq", {SAME: {"kind": "same"}}, PAIRS)
    assert "gold" not in gzip.decompress((folder / GROUPS).read_bytes()).decode()


def with_second(folder: Path) -> Sequence[Group]:
    suite = read_suite(folder)
    last = suite.sources[-1].id
    groups = [msgspec.structs.replace(group, second=last) for group in suite.groups]
    write_suite(folder, suite.head, suite.sources, groups)
    return groups


def test_a_second_source_is_one_of_the_suite_and_stays_in_its_parts(stated: Path) -> None:
    with_second(stated)
    suite = read_suite(stated)
    assert {group.second for group in suite.groups} == {suite.sources[-1].id}
    assert {*(source.id for source in quick(suite).sources)} >= {suite.sources[-1].id}
    groups = [msgspec.structs.replace(group, second="nobody") for group in suite.groups]
    write_suite(stated, suite.head, suite.sources, groups)
    with pytest.raises(CannotJudge, match=f"names source 'nobody', which {SOURCES}"):
        read_suite(stated)


def run(command: Callable, tmp_path: Path, suite: Path, *more: str) -> Any:
    checkpoint = tmp_path / "words"
    if not checkpoint.exists():
        save_word_pair(checkpoint)
    return command(
        *("run", "--checkpoint", checkpoint, "--task", "boolq", "--suite", suite, *more),
        *("--out", tmp_path / "out", "--cache", tmp_path / "cache"),
    )


def result_of(tmp_path: Path) -> Any:
    return json.loads((tmp_path / "out" / "result.json").read_text())


def rows_of(tmp_path: Path) -> list[Any]:
    packed = (tmp_path / "out" / "groups.jsonl.gz").read_bytes()
    return [*map(json.loads, gzip.decompress(packed).splitlines())]


def test_it_runs(command: Callable, tmp_path: Path, stated: Path) -> None:
    done = run(command, tmp_path, stated)
    assert done.code == PASS, done
    result = result_of(tmp_path)
    assert [item["id"] for item in result["relations"]] == [SAME, FLIPS]
    same, flips = result["relations"]
    assert same["applicable"] == len(PAIRS)
    assert flips["applicable"] == len(PAIRS) - flips["not_applicable"].get("source-answer", 0)
    for row in rows_of(tmp_path):
        before, after = row["source_output"], row.get("follow_up_output")
        if row["relation"] == SAME:
            broken = before["answer"] != after["answer"]
        else:
            broken = bool(after) and after["answer"] == "yes"
        assert (row["verdict"] == "violated") is broken


def test_an_unknown_relation_is_one_line(
    command: Callable, tmp_path: Path, stated: Path, edit_json: Callable
) -> None:
    edit_json(stated / HEAD, lambda head: head["relations"][0].pop("output"))
    done = run(command, tmp_path, stated)
    assert done.code == CANNOT_JUDGE
    assert f"does not know relation '{SAME}' of task boolq" in done.err
