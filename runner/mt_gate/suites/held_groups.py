"""The groups of a suite in memory: as they are, or packed where they are many.

A group takes 0.8 KB as an object, packed a tenth of that.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, islice

import msgspec

from mt_gate.base.jsonio import canonical
from mt_gate.base.packed_lines import PackedLines
from mt_gate.domain import Group

FEW = 1 << 14
"""Groups that are held as they are: to unpack them in each pass takes a run a tenth of its time."""

_HELD = 1 << 18
"""Packed bytes of groups that are held in memory: there is a store for each relation."""


class GroupHead(msgspec.Struct, frozen=True):
    """What tells whether a group belongs to a part of a suite; fields as in ``Group``."""

    id: str
    relation: str
    source: str
    second: str = ""


class PackedGroups(Collection[Group]):
    """Groups that are unpacked in each pass over them."""

    def __init__(self, groups: Iterable[Group] = ()) -> None:
        """Pack groups, in their order."""
        self._lines = PackedLines(map(canonical, groups), _HELD)

    def append(self, group: Group) -> None:
        """Add a group at the end."""
        self._lines.add(canonical(group))

    def __len__(self) -> int:
        """Return how many groups there are."""
        return len(self._lines)

    def __iter__(self) -> Iterator[Group]:
        """Yield every group."""
        return map(_GROUP.decode, self._lines)

    def __contains__(self, item: object) -> bool:
        """Say whether a group is among them; this reads them all."""
        return any(group == item for group in self)

    def heads(self) -> Iterator[GroupHead]:
        """Yield every group without its follow-up, in a third of the time."""
        return map(_HEAD.decode, self._lines)


_GROUP = msgspec.json.Decoder(Group)
_HEAD = msgspec.json.Decoder(GroupHead)

Groups = tuple[Group, ...] | PackedGroups


def held(groups: Iterable[Group]) -> Groups:
    """Return groups to go over again and again, packed where they are more than ``FEW``."""
    coming = iter(groups)
    first = deque(islice(coming, FEW + 1))
    if len(first) <= FEW:
        return tuple(first)
    # Each is let go as it is packed.
    return PackedGroups(chain((first.popleft() for _ in range(len(first))), coming))


def heads(groups: Groups) -> Iterator[GroupHead | Group]:
    """Yield what tells whether a group belongs to a part, of each."""
    return groups.heads() if isinstance(groups, PackedGroups) else iter(groups)


def part_of_groups(groups: Groups, wanted: Callable[[GroupHead | Group], bool]) -> Groups:
    """Return the groups that are wanted; all of them as they are held already."""
    if all(map(wanted, heads(groups))):
        return groups
    return held(filter(wanted, groups))


def by_relations(groups: Groups) -> Mapping[str, Collection[Group]]:
    """Return the groups of each relation, in their order; of one without groups none."""
    kind = PackedGroups if isinstance(groups, PackedGroups) else list[Group]
    found: defaultdict[str, PackedGroups | list[Group]] = defaultdict(kind)
    for group in groups:
        found[group.relation].append(group)
    return found
