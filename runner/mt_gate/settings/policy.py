"""The policy: whether a relation's regression blocks, how large it may be, and who accepted it.

A policy is the table ``policy`` of ``mt-gate.toml`` (``values.py``). Every result stores it, so
that reports show which policy judged the run. With an empty policy the other settings apply to
every relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace


def worded(expected: str, **constraints: Any) -> Meta:
    """Return constraints that messages describe as ``expected``."""
    return Meta(extra={"expected": expected}, **constraints)


Limit = Annotated[float, Meta(ge=0, le=1)]
Margin = Annotated[
    float, worded("a number from 0 to below 1, where 0.01 is one percentage point", ge=0, lt=1)
]
"""An allowed rise. 1 is invalid: it would allow any, but a user may mean 1 percentage point."""


class Tier(StrEnum):
    """Effect of a relation's regression on the build."""

    BLOCK = "block"  # it fails the build
    WARN = "warn"  # it is tested as strictly, and the build passes with a warning
    REPORT = "report"  # it is shown and not tested


TESTED = (Tier.BLOCK, Tier.WARN)
"""Tiers whose relations are tested; each tier is a family of tests."""
MOST = 10_000

LINE = r"\A(?=.*\S)[^\x00-\x1f\x7f\ud800-\udfff]*\Z"
"""One line that is not empty, of characters that TOML and UTF-8 can write."""
RelationId = Annotated[str, worded("a relation's id in one line", pattern=LINE, max_length=200)]
TaskName = Annotated[str, worded("a task's name in one line", pattern=LINE, max_length=200)]
Share = Annotated[float, Meta(ge=0.001, le=0.999)]
"""Share of alpha, or of a tier's part of alpha."""
RelativeRise = Annotated[float, Meta(ge=0, le=1_000)]
Words = Annotated[str, worded("a sentence in one line", pattern=LINE, max_length=2_000)]
Owner = Annotated[str, worded("a name in one line", pattern=LINE, max_length=200)]
GroupId = Annotated[str, worded("a case's id", pattern=LINE, max_length=5_000)]
Day = Annotated[str, worded("a day like 2027-01-31", pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
SliceName = Annotated[str, worded("a slice such as kind: person", pattern=LINE, max_length=500)]
TierName = Annotated[Tier, worded(f"one of: {', '.join(Tier)}")]


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Policy of a relation or a task; for None, the task's entry applies, or else the settings.

    ``max_relative_rise`` is the allowed rise as a part of the baseline's violation rate; if
    ``margin`` is stricter, that counts. ``share`` is the part of the tier's alpha for a separate
    test of the relation; a task's entry has none. ``slices`` are margins of slices of known
    answers, such as ``kind: person``; other slices have the relation's margin.
    """

    tier: TierName | None = None
    margin: Margin | None = None
    max_relative_rise: RelativeRise | None = None
    share: Share | None = None
    required: bool | None = None
    slices: Annotated[Mapping[SliceName, Margin], Meta(max_length=1000)] | None = None


class Shares(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How alpha is split over the tiers; without shares, each tier has all of alpha."""

    block: Share | None = None
    warn: Share | None = None


class MustHold(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pinned case, its reason and its owner; it applies to one ``task`` only, if that is set."""

    group: GroupId
    reason: Words
    owner: Owner
    task: TaskName = ""


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """A rise of a relation that its owner accepts up to and including a day (UTC)."""

    relation: RelationId
    rise: Margin
    reason: Words
    owner: Owner
    expires: Day


class Policy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Policy entries by task and by relation id; the entry of a relation takes precedence."""

    shares: Shares = Shares()
    tasks: Annotated[Mapping[TaskName, Entry], Meta(max_length=100)] = {}
    relations: Annotated[Mapping[RelationId, Entry], Meta(max_length=200)] = {}
    must_hold: Annotated[tuple[MustHold, ...], Meta(max_length=MOST)] = ()
    accepted: Annotated[tuple[Accepted, ...], Meta(max_length=200)] = ()

    def of(self, relation: str) -> Entry:
        """Return the entry of a relation; the task's entry replaces its None fields."""
        own = self.relations.get(relation, _NOTHING)
        task = self.tasks.get(task_of(relation), _NOTHING)
        if task is _NOTHING:
            return own
        names = Entry.__struct_fields__
        both = {name: (getattr(own, name), getattr(task, name)) for name in names}
        return Entry(**{name: a if a is not None else b for name, (a, b) in both.items()})

    def tier(self, relation: str) -> Tier:
        """Return the tier of a relation; by default it blocks."""
        return self.of(relation).tier or Tier.BLOCK

    @property
    def has_tiers(self) -> bool:
        """Whether some relation may have another tier than the one that blocks."""
        every = (*self.relations.values(), *self.tasks.values())
        return any(entry.tier not in (None, Tier.BLOCK) for entry in every)

    def part_of_alpha(self, relation: str) -> float:
        """Return the part of alpha that a relation is tested with, in (0, 1]."""
        return self.part_of_family(self.tier(relation), task_of(relation), self.of(relation).share)

    def part_of_family(self, tier: Tier, task: str, share: float | None = None) -> float:
        """Return the part of alpha for a ``share``, or for all relations of a tier without a share.

        If no tier has a share, each tier has all of alpha.
        """
        shares = {Tier.BLOCK: self.shares.block, Tier.WARN: self.shares.warn}
        of_tier = shares.pop(tier, None)
        if of_tier is None:
            others = [other for other in shares.values() if other is not None]
            of_tier = 1 - others[0] if others and tier in TESTED else 1.0
        if share is not None:
            return of_tier * share
        taken = self.taken(tier, task)
        return of_tier * (1 - taken if taken else 1.0)

    def taken(self, tier: Tier, task: str) -> float:
        """Return the sum of the shares of a tier's relations in a task."""
        return sum(
            entry.share
            for relation, entry in sorted(self.relations.items())
            if entry.share is not None and task_of(relation) == task and self.tier(relation) is tier
        )

    def accepted_of(self, relation: str) -> Accepted | None:
        """Return the accepted regression of a relation: the largest, if there are several."""
        losses = [item for item in self.accepted if item.relation == relation]
        return max(losses, key=lambda item: item.rise, default=None)

    def named(self) -> tuple[str, ...]:
        """Return the relations that the policy names, each once."""
        return tuple(dict.fromkeys((*self.relations, *(item.relation for item in self.accepted))))

    def without_limits(self) -> Policy:
        """Return the policy without pinned cases and without required relations."""

        def free(entries: Mapping[str, Entry]) -> dict[str, Entry]:
            return {name: replace(entry, required=None) for name, entry in entries.items()}

        return replace(self, must_hold=(), relations=free(self.relations), tasks=free(self.tasks))


_NOTHING = Entry()


def task_of(relation: str) -> str:
    """Return the task that a relation's id begins with."""
    return relation.partition("/")[0]
