"""Where a mention stands in both sentences, and what of it is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import category, normalize

from mt_gate.domain import Block, Entity, Side, inverse, map_span
from mt_gate.relations.base import ExecutedGroup
from mt_gate.tasks import ner

Span = tuple[int, int]

_ARTICLE = re.compile(r"the\s+(?=\S)", re.IGNORECASE)


_MARKS = frozenset({"Mn", "Me", "Cf"})
"""Unicode categories of accents that stand apart from their letter, and of invisible characters.

Tokenizers drop them, or count them to the word before or after, or to none."""


def core(text: str, entity: Entity) -> Entity:
    """Return the entity without a leading article, a closing full stop, and marks at its ends."""
    start, end = _unmarked(text, entity.start, entity.end)
    article = _ARTICLE.match(text, start, end)
    start = article.end() if article else start
    if text[end - 1 : end] == "." and end - 1 > start:
        start, end = _unmarked(text, start, end - 1)
    return Entity(start, end, entity.label)


def _unmarked(text: str, start: int, end: int) -> Span:
    """Return a stretch without the marks at its ends; all of it if there is nothing else."""
    first, last = start, end
    while first < last and _is_mark(text[last - 1]):
        last -= 1
    while first < last and _is_mark(text[first]):
        first += 1
    return (first, last) if first < last else (start, end)


def _is_mark(character: str) -> bool:
    return not character.isascii() and category(character) in _MARKS


def image(
    alignment: Sequence[Block], source: str, follow_up: str, start: int, end: int
) -> Span | None:
    """Return where a stretch of the source is in the follow-up, without marks at its ends.

    Edits that only add or remove marks keep a name whole: ``José`` is ``Jose``, and ``Oslo`` is
    ``Oslo`` with U+200B inside. Otherwise as ``map_span``: None if characters were removed or torn
    apart.
    """
    found = map_span(alignment, start, end)
    if found is not None:
        return found
    before = [block for block in alignment if block.source <= start]
    after = [block for block in alignment if block.source + block.length >= end]
    low = _moved(before[-1], start) if before else 0
    high = _moved(after[0], end) if after else len(follow_up)
    if low >= high or _bare(follow_up[low:high]) != _bare(source[start:end]):
        return None
    return _unmarked(follow_up, low, high)


def _moved(block: Block, at: int) -> int:
    return block.follow_up + min(max(at - block.source, 0), block.length)


def _bare(text: str) -> str:
    letters = normalize("NFD", text.lower())
    return "".join(letter for letter in letters if not _is_mark(letter))


def cores(text: str, output: Mapping[str, Any]) -> dict[Entity, Entity]:
    """Return the predicted entities of a sentence by their cores, in order."""
    return {core(text, entity): entity for entity in ner.entities(output)}


class EntityPlace(NamedTuple):
    """A stretch as it stands in source and follow-up; None where it stands not, or torn."""

    source: Span | None
    follow_up: Span | None


def place_of(case: ExecutedGroup, side: Side, start: int, end: int) -> EntityPlace:
    """Return where a stretch of one side stands in both sentences."""
    source, follow_up = case.source["text"], case.follow_up["text"]
    if side is Side.SOURCE:
        return EntityPlace((start, end), image(case.alignment, source, follow_up, start, end))
    back = image(inverse(case.alignment), follow_up, source, start, end)
    return EntityPlace(back, (start, end))
