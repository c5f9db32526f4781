"""A quick suite is a part of a shipped one with a share of each relation and kind of edit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from making_relations import group, source, suite
from mt_gate.base.errors import PASS, USAGE
from mt_gate.reporting.words import texts
from mt_gate.results.store import read_result
from mt_gate.suites.format import Suite, find_suite, read_suite
from mt_gate.suites.quick import open_suite, part_of, quick, quick_suites
from mt_gate.tasks.table import TASKS

each = pytest.mark.parametrize(("name", "whole"), quick_suites().items())


def kinds(suite: Suite) -> Counter[tuple[str, str]]:
    counts = Counter((group.relation, group.stratum) for group in suite.groups)
    counts.update((name, "") for source in suite.sources for name in source.bind)
    return counts


@each
def test_each_relation_and_kind_of_edit_keeps_a_share(name: str, whole: str) -> None:
    suite, part = read_suite(find_suite(whole)), open_suite(name)
    before, after = kinds(suite), kinds(part)
    size = TASKS[suite.head.task].quick_part
    known = (f"{suite.head.task}/known-answer", "")
    before.pop(known, None)
    answers = after.pop(known, 0)
    assert after == {
        kind: min(count, max(size.least, math.ceil(size.share * count)))
        for kind, count in before.items()
    }
    ids = {source.id for source in part.sources}
    assert all(group.source in ids for group in part.groups)
    used = {group.source for group in part.groups}
    assert all(source.bind or source.id in used for source in part.sources)
    known = [source for source in part.sources if source.gold is not None]
    spans = TASKS[suite.head.task].spans
    assert answers == (sum(len(source.entities) for source in known) if spans else len(known))
    for relation in part.head.relations:
        own = [group.source for group in part.groups if group.relation == relation.id]
        bound = sum(relation.id in source.bind for source in part.sources)
        counts = (0, bound) if relation.bound else (len(own), len(set(own)))
        assert (relation.groups, relation.sources) == counts


@each
def test_to_a_baseline_it_is_another_suite(name: str, whole: str) -> None:
    suite, part = read_suite(find_suite(whole)), open_suite(name)
    assert part.identity.name == whole
    assert part.identity.sha256 != suite.identity.sha256
    assert part.identity == open_suite(name).identity
    seeded = msgspec.structs.replace(suite, head=msgspec.structs.replace(suite.head, seed=5))
    assert quick(seeded).part != part.part


def test_it_is_run_and_named_again(run_gate: Callable, command: Callable, tmp_path: Path) -> None:
    answer = run_gate(suite="ner-quick", relations="ner/structural")
    assert answer.code == PASS, answer
    result = read_result(tmp_path / "out" / "result.json")
    assert result.suite == open_suite("ner-quick").identity
    (words,) = result.suite.part
    assert words.startswith("quick, ")
    assert f"Subset of ner-default: {words}" in result.notes
    assert "--suite ner-quick " in texts.command(result)
    shown = command("suite", "show", "ner-quick", "--groups", 0)
    assert f"Subset: {words}" in shown.out
    assert "ner-quick  a sample of ner-default" in command("suite", "list").out


def test_no_such_suite(command: Callable) -> None:
    for name, meant in {"ner-quikc": "ner-quick", "re": "re-default"}.items():
        answer = command("suite", "show", name)
        assert answer.code == USAGE
        assert f"No suite named '{name}'. Did you mean '{meant}'?" in answer.err


RELATION = "re/swap"


def test_a_part_has_its_clusters_whole_and_second_sources_bind_nothing_there() -> None:
    sources = [
        msgspec.structs.replace(
            source(f"[Anna|h PERSON] met [Bo|t PERSON] {at}.", f"s{at}", bind=("re/bound",)),
            cluster=cluster,
        )
        for at, cluster in enumerate(["one", "", "one", "two"])
    ]
    groups = [
        msgspec.structs.replace(
            group(RELATION, one, "[Bo|h PERSON] met [Anna|t PERSON]."), second=sources[3].id
        )
        for one in sources
    ]
    whole = suite([RELATION], sources, groups)
    part = part_of(whole, {"one", "s1"}.__contains__)
    assert [actual.id for actual in part.sources] == ["s0", "s1", "s2", "s3"]
    assert [bool(actual.bind) for actual in part.sources] == [True, True, True, False]
    assert [actual.source for actual in part.groups] == ["s0", "s1", "s2"]
    assert part_of(whole, lambda _: True) == whole
    nothing = part_of(whole, lambda _: False)
    assert not nothing.sources
    assert not nothing.groups
