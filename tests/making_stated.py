"""A small suite that states its relations, for any task and its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from making import suite_head
from mt_gate.domain import Group, Source
from mt_gate.relations.stated import OutputRelation
from mt_gate.suites.format import SuiteRelation, group_id, write_suite

Pair = tuple[Mapping[str, Any], Mapping[str, Any]]


def write_stated(
    folder: Path,
    task: str,
    stated: Mapping[str, Mapping[str, Any]],
    pairs: Sequence[Pair],
    *,
    labels: tuple[str, ...] = (),
    gold: tuple[str, ...] | None = None,
) -> Path:
    """Write a suite in which every pair is a group of every relation.

    Args:
        folder: of the suite.
        task: its task.
        stated: output relations by the relation's id, as a suite has them.
        pairs: sources and follow-ups.
        labels: the label set.
        gold: of every group.
    """
    sources = {
        msgspec.json.encode(before): Source(id=f"s-{at:04d}", input=before, origin="made up")
        for at, (before, _) in enumerate(pairs)
    }
    groups = [
        Group(
            id=group_id(name, before, after),
            relation=name,
            source=sources[msgspec.json.encode(before)].id,
            follow_up=after,
            gold=gold,
        )
        for name in stated
        for before, after in pairs
    ]
    relations = [
        SuiteRelation(
            id=name,
            groups=len(pairs),
            sources=len(sources),
            title=f"Title of {name}",
            description=f"What {name} asks.",
            paper="made up",
            before="before it",
            after="after it",
            output=msgspec.convert(output, OutputRelation),
        )
        for name, output in stated.items()
    ]
    head = suite_head(task, relations, len(sources), name="stated", labels=labels)
    write_suite(folder, head, sources.values(), groups)
    return folder
