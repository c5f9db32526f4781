"""Suites extended by written pairs: nothing of the old suite is lost or changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Answer
from mt_gate.base.errors import PASS, USAGE, UsageError
from mt_gate.suites.format import Suite, find_suite, read_suite
from mt_gate_suites.own.extending import extend_suite

BASE = "boolq-default"


@pytest.fixture(scope="module")
def base() -> Suite:
    return read_suite(find_suite(BASE))


def line(base: Suite, question: str, edited: str, **more: Any) -> dict[str, Any]:
    passage = base.sources[0].input["passage"]
    before = {"question": question, "passage": passage}
    return {
        "relation": "before-after",
        "source": before,
        "follow_up": {**before, "question": edited},
        **more,
    }


@pytest.fixture
def extend(tmp_path: Path) -> Callable[..., Suite]:
    def run(*lines: dict[str, Any], rejected: str = "") -> Suite:
        path, ids = tmp_path / "pairs.jsonl", tmp_path / "rejected.tsv"
        path.write_text("".join(f"{json.dumps(item)}\n" for item in lines))
        ids.write_text(rejected)
        extend_suite(BASE, (path,), tmp_path / "out", print, licence="CC0", rejected=ids)
        return read_suite(tmp_path / "out")

    return run


def test_pairs_are_added_to_relations_of_the_suite(base: Suite, extend: Callable) -> None:
    lines = [
        line(base, "did it rain before noon", "did it rain after noon", id="w-1"),
        line(base, "did it rain before one", "did it rain after one", origin="BoolQ dev"),
    ]
    suite = extend(*lines)
    old = {group.id: group for group in base.groups}
    new = [group for group in suite.groups if group.id not in old]
    assert [group for group in suite.groups if group.id in old] == list(base.groups)
    assert {(group.relation, group.stratum) for group in new} == {("boolq/before-after", "written")}
    sources = {source.id: source for source in suite.sources}
    added = [sources[group.source] for group in new]
    assert {source.cluster for source in added} == {base.sources[0].id}, "they share its passage"
    assert {source.origin for source in added} == {"pairs.jsonl", "BoolQ dev"}
    assert all(sources[source.id] == source for source in base.sources)
    assert suite.head.version == str(int(base.head.version) + 1)
    relations = {relation.id: relation for relation in suite.head.relations}
    for relation in base.head.relations:
        now = relations[relation.id]
        if relation.id == "boolq/before-after":
            assert (now.groups, now.precision) == (relation.groups + 2, None)
        else:
            assert now == relation
    corpora = {corpus.name: corpus for corpus in suite.head.sources}
    assert (corpora["pairs.jsonl"].licence, corpora["pairs.jsonl"].sentences) == ("CC0", 1)


def test_a_pair_of_the_suite_adds_nothing(base: Suite, extend: Callable) -> None:
    group = next(group for group in base.groups if group.relation == "boolq/before-after")
    source = next(source for source in base.sources if source.id == group.source)
    same = {"relation": "before-after", "source": source.input, "follow_up": group.follow_up}
    with pytest.raises(UsageError, match="has no pair"):
        extend(same)
    more = line(base, "did it rain before noon", "did it rain after noon")
    assert len(extend(same, more).groups) == len(base.groups) + 1


def test_rejected_cases_and_sources_leave(base: Suite, extend: Callable, tmp_path: Path) -> None:
    group = next(group for group in base.groups if group.relation == "boolq/before-after")
    source = next(group.source for group in base.groups if group.relation == "boolq/voice-change")
    more = line(base, "did it rain before noon", "did it rain after noon")
    suite = extend(more, rejected=f"{group.id}\tthe order is not stated\n{source}\n")
    assert group.id not in {group.id for group in suite.groups}
    assert source not in {item.id for item in suite.sources}
    assert source not in {group.source for group in suite.groups}
    with pytest.raises(UsageError, match="nowhere cannot be read"):
        extend_suite(BASE, (), tmp_path, print, licence="CC0", rejected=Path("nowhere"))


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--rejected", "x"), "--extend SUITE needs --kind pairs"),
        (("--extend", BASE, "--sources", "x"), "--extend SUITE needs --kind pairs"),
        (
            ("--extend", BASE, "--kind", "pairs", "--sources", "x", "--task", "re"),
            "--task does not work with --extend",
        ),
        (("--extend", "none", "--kind", "pairs", "--sources", "x"), "No suite named 'none'"),
        (("--extend", BASE, "--kind", "pairs", "--sources", "x"), "x does not exist"),
    ],
)
def test_what_does_not_fit_is_one_line(
    command: Callable[..., Answer], tmp_path: Path, flags: tuple[str, ...], words: str
) -> None:
    answer = command("suite", "build", *flags, "--out", tmp_path / "out")
    assert answer.code == USAGE
    assert words in answer.err
    assert len(answer.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_the_command(command: Callable[..., Answer], base: Suite, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(line(base, "did it rain before noon", "did it rain after noon")))
    flags = ("--kind", "pairs", "--extend", BASE, "--sources", path, "--out", tmp_path / "out")
    answer = command("suite", "build", *flags)
    assert answer.code == PASS, answer
    assert "boolq-default: 1 case added, 0 removed" in answer.err
