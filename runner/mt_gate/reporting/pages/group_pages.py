"""The groups of a report: the first of each list as they are, all of them as packed data.

A page with ten thousand groups as plain HTML would be slow and large. So the
first groups of each list stand in the page, and all that fit are packed in
chunks (JSON, raw deflate, base64) that the page's script unpacks as it shows
them. What does not fit is counted, never dropped silently.
"""

from __future__ import annotations

import base64
import heapq
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from mt_gate.base.redaction import hide
from mt_gate.reporting.pages.group_index import FactReader, Facts, Index, index
from mt_gate.reporting.words.gathering import KeptRows, Kind
from mt_gate.results.result import GroupRow

if TYPE_CHECKING:
    from markupsafe import Markup

PAGE = 25
"""Groups of one list that are shown at a time."""

PACKED = 4_200_000
"""Bytes of base64 that all chunks and the index may take."""

PLAIN = 350_000
"""Bytes that the groups in plain HTML may take."""

_CHUNK = 64_000
"""A chunk ends with the group that takes it beyond so many characters."""

_INDEXED = 32
"""Bytes of the packed index that a group is taken to need."""

_KINDS = (Kind.NEW, Kind.VIOLATED, Kind.FIXED, Kind.STILL)

Render = Callable[[GroupRow, str], "Markup"]
"""From a row, and the id that it has in the page, to its HTML."""


class Listed(NamedTuple):
    """The groups of one relation and kind, most telling first."""

    kind: Kind
    kept: KeptRows


class Chunk(NamedTuple):
    """Some groups of one list, packed; ``list`` is the list's number."""

    list: int
    groups: int
    packed: str


class GroupPages(NamedTuple):
    """The lists' first groups, all chunks, and the packed index of what is in them.

    ``plain`` and ``packed`` have an entry a list: its first groups, and how
    many of its groups the chunks hold.
    """

    plain: tuple[tuple[Markup, ...], ...]
    packed: tuple[int, ...]
    chunks: tuple[Chunk, ...]
    packed_index: str
    choices: Index


def pack(value: object) -> str:
    """Return a value as JSON, deflated without a header, in base64."""
    text = hide(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    squeeze = zlib.compressobj(6, wbits=-zlib.MAX_WBITS)
    data = squeeze.compress(text.encode("utf-8")) + squeeze.flush()
    return base64.b64encode(data).decode("ascii")


class _Queue:
    """The groups of one list still to be rendered."""

    def __init__(self, listed: Listed, reader: FactReader, render: Render) -> None:
        self._waiting = (self._group(row, reader, render) for row in listed.kept)
        self.facts: list[Facts] = []
        self.first: list[Markup] = []
        """Up to a page of groups that may stand in plain HTML."""
        self.packed = 0

    @staticmethod
    def _group(row: GroupRow, reader: FactReader, render: Render) -> tuple[Facts, Markup]:
        facts = reader.facts(row)
        return facts, render(row, facts.id)

    def chunk(self) -> list[tuple[Facts, Markup]]:
        """Return the next groups, none where all were returned."""
        taken: list[tuple[Facts, Markup]] = []
        size = 0
        for group in self._waiting:
            taken.append(group)
            size += len(group[1])
            if size > _CHUNK:
                break
        return taken

    def keep(self, taken: Sequence[tuple[Facts, Markup]]) -> None:
        """Note that groups were packed."""
        self.facts.extend(facts for facts, _ in taken)
        self.packed += len(taken)


def _size(groups: Iterable[Markup]) -> int:
    return sum(len(group.encode("utf-8")) for group in groups)


def _within(groups: Sequence[Markup], allowance: int) -> tuple[Markup, ...]:
    """Return the first groups, ``allowance`` bytes at most."""
    sizes = accumulate(_size([group]) for group in groups)
    return tuple(group for group, size in zip(groups, sizes, strict=True) if size <= allowance)


def _plain(first: Sequence[Sequence[Markup]]) -> tuple[tuple[Markup, ...], ...]:
    """Return what of each list stands in plain HTML.

    The shortest list is served first: what it leaves over goes to the longer ones.
    """
    kept: list[tuple[Markup, ...]] = [()] * len(first)
    left = PLAIN
    shortest = sorted(range(len(first)), key=lambda number: _size(first[number]))
    for waiting, number in zip(range(len(first), 0, -1), shortest, strict=True):
        kept[number] = _within(first[number], left // waiting)
        left -= _size(kept[number])
    return tuple(kept)


def group_pages(lists: Sequence[Listed], task: str, render: Render) -> GroupPages:
    """Render and pack groups until they are all in, or the bytes are spent.

    Every list gets its first chunk; after that new violations come before
    fixed ones, and those before the ones that stand still.

    Args:
        lists: the lists in the order in which the page has them.
        task: says what of an output can be filtered by.
        render: the HTML of one group, escaped.
    """
    reader = FactReader(task)
    queues = [_Queue(listed, reader, render) for listed in lists]
    turns = [(0, 0, number) for number in range(len(lists))]
    chunks: list[Chunk] = []
    left = PACKED
    while turns:
        _, round_, number = heapq.heappop(turns)
        taken = queues[number].chunk()
        if round_ == 0:
            queues[number].first.extend(group for _, group in taken[:PAGE])
        packed = pack([group for _, group in taken])
        needed = len(packed) + _INDEXED * len(taken)
        if not taken or needed > left:
            continue
        left -= needed
        chunks.append(Chunk(number, len(taken), packed))
        queues[number].keep(taken)
        heapq.heappush(turns, (1 + _KINDS.index(lists[number].kind), round_ + 1, number))
    return _pages(queues, chunks)


def _pages(queues: Sequence[_Queue], chunks: Sequence[Chunk]) -> GroupPages:
    """Return the pages, with chunks and index in the lists' order."""
    ordered = tuple(sorted(chunks, key=lambda chunk: chunk.list))
    choices = index([facts for queue in queues for facts in queue.facts])
    parts = [[chunk.list, chunk.groups] for chunk in ordered]
    return GroupPages(
        _plain([queue.first for queue in queues]),
        tuple(queue.packed for queue in queues),
        ordered,
        pack({"chunks": parts, **choices.columns}),
        choices,
    )
