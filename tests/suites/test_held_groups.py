"""Many groups are packed, and are the same groups: to whoever goes over them, and to a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import Group, cut
from mt_gate.relations.known_answer import is_known_answer
from mt_gate.suites import held_groups
from mt_gate.suites.cutting import part_of
from mt_gate.suites.format import Suite, find_suite, read_suite, write_suite
from mt_gate.suites.held_groups import PackedGroups, by_relations, heads, held
from mt_gate.suites.quick import quick


@pytest.fixture(scope="module", params=["ner-default", "re-default", "moderation-default"])
def whole(request: pytest.FixtureRequest) -> Suite:
    return read_suite(find_suite(request.param))


@pytest.fixture
def packed(whole: Suite, few: None) -> Suite:  # noqa: ARG001 - it comes first
    suite = read_suite(find_suite(whole.head.name))
    assert isinstance(suite.groups, PackedGroups)
    return suite


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_groups, "FEW", 3)


def plain(suite: Suite) -> tuple[object, ...]:
    return suite.head, suite.sources, tuple(suite.groups), suite.part


@pytest.mark.usefixtures("few")
def test_few_are_held_as_they_are(whole: Suite) -> None:
    some = tuple(whole.groups)[:5]
    assert held(iter(some[:3])) == some[:3]
    assert isinstance(held(iter(some[:4])), PackedGroups)
    assert tuple(held(iter(some[:4]))) == some[:4]


def test_they_are_the_groups(whole: Suite, packed: Suite) -> None:
    assert plain(packed) == plain(whole)
    assert len(packed.groups) == len(whole.groups)
    assert tuple(whole.groups)[7] in packed.groups
    assert "no group" not in packed.groups
    for group, head in zip(whole.groups, heads(packed.groups), strict=True):
        for name in ("id", "relation", "source", "second"):
            assert getattr(head, name) == getattr(group, name)


def test_of_each_relation_in_their_order(whole: Suite, packed: Suite) -> None:
    wanted: defaultdict[str, list[Group]] = defaultdict(list)
    for group in whole.groups:
        wanted[group.relation].append(group)
    for found in (by_relations(whole.groups), by_relations(packed.groups)):
        assert {name: [*groups] for name, groups in found.items()} == wanted
        assert not [*found["none"]]


@pytest.mark.parametrize(
    "part",
    [
        quick,
        lambda suite: suite.without([suite.head.sources[0].name]),
        lambda suite: part_of(suite, lambda cluster: cut(cluster, 3) == 1),
        lambda suite: part_of(suite, lambda _: True),
    ],
)
def test_a_part_is_the_same_part(
    whole: Suite, packed: Suite, part: Callable[[Suite], Suite]
) -> None:
    assert plain(part(packed)) == plain(part(whole))


def test_all_of_them_are_not_packed_again(packed: Suite) -> None:
    assert part_of(packed, lambda _: True).groups is packed.groups


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda groups: groups[:-1] + groups[:1], "a group id occurs twice"),
        (lambda groups: groups[:-1], "lists .* groups, groups.jsonl.gz has"),
    ],
)
def test_they_are_checked(whole: Suite, tmp_path: Path, change: Any, words: str) -> None:
    stored = tuple(group for group in whole.groups if not is_known_answer(group.relation))
    write_suite(tmp_path, whole.head, whole.sources, change(stored))
    with pytest.raises(CannotJudge, match=words):
        read_suite(tmp_path)
