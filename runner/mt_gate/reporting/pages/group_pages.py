"""The groups of a report: the first of each list as they are, all of them as packed data.

A page with ten thousand groups as plain HTML would be slow and large. So the
first groups of each list are plain HTML, and all that fit are packed in
chunks (JSON, raw deflate, base64) that the page's script unpacks as it shows
them. What does not fit is counted, never dropped silently. What the filters and the
sorting know of each group are columns of small numbers, which compress well; the names that the
numbers mean are the choices of the filters.
"""

from __future__ import annotations

import base64
import hashlib
import heapq
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from mt_gate.base.escaping import visible
from mt_gate.base.redaction import hide, shorten
from mt_gate.reporting.words.gathering import Kind
from mt_gate.reporting.words.rendering import Renderer, renderer
from mt_gate.reporting.words.tables import stratum_in_words
from mt_gate.reporting.words.texts import ERRORS
from mt_gate.results.result import GroupRow
from mt_gate.tasks.table import TASKS

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
_PLAIN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
_MOST_CHOICES = 100
"""Choices of a filter, the most frequent first; predictions may have any number of labels."""
_LONGEST_NAME = 60
_OPENING = 80
"""Characters of a sentence that alphabetical order looks at."""
_KINDS = (Kind.NEW, Kind.VIOLATED, Kind.FIXED, Kind.STILL)


class Chunk(NamedTuple):
    """Some groups of one list, packed; ``list`` is the list's number."""

    list: int
    groups: int
    packed: str


class GroupPages(NamedTuple):
    """The lists' first groups, all chunks, and the packed index of what is in them."""

    plain: list[list[Markup]]  # of each list its first groups
    packed: list[int]  # of each list how many groups the chunks hold
    chunks: list[Chunk]
    packed_index: str
    choices: dict[str, list[str]]  # of each filter, by their number in the columns


class Names:
    """Gives names that no two things share: one that is taken gets a number at its end."""

    def __init__(self, ending: str = "_{}") -> None:
        """Start with no name taken."""
        self._ending = ending
        self._turns: Counter[str] = Counter()
        self._taken: set[str] = set()

    def give(self, name: str) -> str:
        """Return a name that is not taken: itself, or with a number from 2 on."""
        while True:  # from the last number tried, so that many alike take no long search
            self._turns[name] += 1
            turn = self._turns[name]
            unique = name if turn == 1 else name + self._ending.format(turn)
            if unique not in self._taken:
                self._taken.add(unique)
                return unique


def plain_id(group: str) -> str:
    """Return a group's id, or a hash where it cannot be part of an address."""
    if _PLAIN_ID.fullmatch(group):
        return group
    return hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def pack(value: object) -> str:
    """Return a value as JSON, deflated without a header, in base64."""
    text = hide(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    squeeze = zlib.compressobj(6, wbits=-zlib.MAX_WBITS)
    data = squeeze.compress(text.encode("utf-8")) + squeeze.flush()
    return base64.b64encode(data).decode("ascii")


class _Group(NamedTuple):
    """A group as it is shown, with the name that the page has for it."""

    row: GroupRow
    name: str
    html: Markup


def group_pages(
    lists: Sequence[tuple[Kind, Sequence[GroupRow]]],
    task: str,
    render: Callable[[GroupRow, str], Markup],
) -> GroupPages:
    """Render and pack groups until they are all in, or the bytes are spent.

    Every list gets its first chunk; after that new violations come before
    fixed ones, and those before those still violated. ``render`` returns the escaped HTML of a
    row, from it and the id that it has in the page.
    """
    names = Names()

    def shown(row: GroupRow) -> _Group:
        name = names.give(plain_id(row.id))
        return _Group(row, name, render(row, name))

    waiting = [map(shown, rows) for _, rows in lists]
    first: list[list[Markup]] = [[] for _ in lists]
    packed: list[list[_Group]] = [[] for _ in lists]
    turns = [(0, 0, number) for number in range(len(lists))]
    chunks: list[Chunk] = []
    left = PACKED
    while turns:
        _, round_, number = heapq.heappop(turns)
        taken = [*_chunk(waiting[number])]
        if round_ == 0:
            first[number] = [group.html for group in taken[:PAGE]]
        data = pack([group.html for group in taken])
        needed = len(data) + _INDEXED * len(taken)
        if not taken or needed > left:
            continue
        left -= needed
        chunks.append(Chunk(number, len(taken), data))
        packed[number] += taken
        heapq.heappush(turns, (1 + _KINDS.index(lists[number][0]), round_ + 1, number))
    chunks.sort(key=lambda chunk: chunk.list)
    order = [[chunk.list, chunk.groups] for chunk in chunks]
    index, choices = _index([group for groups in packed for group in groups], task)
    data = pack({**index, "chunks": order})
    return GroupPages(_plain(first), [*map(len, packed)], chunks, data, choices)


def _chunk(waiting: Iterator[_Group]) -> Iterator[_Group]:
    size = 0
    for group in waiting:
        yield group
        size += len(group.html)
        if size > _CHUNK:
            return


def _plain(first: Sequence[list[Markup]]) -> list[list[Markup]]:
    """Return what of each list is plain HTML.

    The shortest list is served first: what it leaves over goes to the longer ones.
    """
    sizes = [[*accumulate(len(group.encode("utf-8")) for group in groups)] for groups in first]
    markup: list[list[Markup]] = [[] for _ in first]
    left = PLAIN
    shortest = sorted(range(len(first)), key=lambda number: sizes[number][-1:])
    for waiting, number in zip(range(len(first), 0, -1), shortest, strict=True):
        within = [size for size in sizes[number] if size <= left // waiting]
        markup[number] = first[number][: len(within)]
        left -= within[-1] if within else 0
    return markup


def _index(groups: Sequence[_Group], task: str) -> tuple[dict[str, object], dict[str, list[str]]]:
    """Return what is known of each group as columns, and the choices of the filters."""
    render = renderer(task)
    # The text that is read first: a question before a passage.
    first = TASKS[task].texts[0] if task in TASKS else "text"
    rows = [group.row for group in groups]
    labels, label = _numbered([_labels(row, render) for row in rows], str)
    categories = ([error.category.value for error in row.errors] for row in rows)
    errors, error = _numbered(categories, lambda name: ERRORS.get(name, name))
    kinds = ([row.stratum] if row.stratum else [] for row in rows)
    strata, stratum = _numbered(kinds, stratum_in_words)
    openings = [str(row.source.get(first, ""))[:_OPENING].casefold() for row in rows]
    columns = {
        "ids": [group.name for group in groups],
        "label": label,
        "error": error,
        "stratum": stratum,
        "source": _ranks([row.source_id for row in rows]),
        "alphabet": _ranks(openings),
        "strength": [*map(render.strongest or render.weight, rows)],
    }
    return columns, {"labels": labels, "errors": errors, "strata": strata}


def _labels(row: GroupRow, render: Renderer) -> Iterator[str]:
    outputs = [row.source_output, row.follow_up_output, row.second_output]
    if row.before:
        outputs += [row.before.source, row.before.follow_up, row.before.second]
    for output in outputs:
        if isinstance(output, Mapping):
            yield from render.labels(output)


def _numbered(
    named: Iterable[Iterable[str]], words: Callable[[str], str]
) -> tuple[list[str], list[list[int]]]:
    """Return the most frequent names as choices, and for each group the numbers of its own.

    Of the choices none is blank and no two are alike: an option's white space is not shown at its
    ends, and once elsewhere.
    """
    distinct = [dict.fromkeys(names) for names in named]
    counted = Counter(name for names in distinct for name in names)
    often = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:_MOST_CHOICES]
    numbers = {name: number for number, (name, _) in enumerate(often)}
    unlike = Names(" ({})")
    shown = (visible(shorten(words(name), _LONGEST_NAME)) for name in numbers)
    choices = [unlike.give(" ".join(name.split()) or "(empty)") for name in shown]
    return choices, [[numbers[name] for name in names if name in numbers] for names in distinct]


def _ranks(values: Sequence[str]) -> list[int]:
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return [places[value] for value in values]
