"""Where a mention stands in both sentences, and what of it is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from mt_gate.domain import Entity, Side, inverse, map_span
from mt_gate.relations.base import ExecutedGroup
from mt_gate.tasks import ner

Span = tuple[int, int]

_ARTICLE = re.compile(r"the\s+(?=\S)", re.IGNORECASE)


def core(text: str, entity: Entity) -> Entity:
    """Return the entity without a leading article and a closing full stop."""
    article = _ARTICLE.match(text, entity.start, entity.end)
    start = article.end() if article else entity.start
    end = entity.end
    if text[end - 1 : end] == "." and end - 1 > start:
        end -= 1
    return Entity(start, end, entity.label)


def cores(text: str, output: Mapping[str, Any]) -> dict[Entity, Entity]:
    """Return the predicted entities of a sentence by their cores, in order."""
    return {core(text, entity): entity for entity in ner.entities(output)}


class EntityPlace(NamedTuple):
    """A stretch as it stands in source and follow-up; None where it stands not, or torn."""

    source: Span | None
    follow_up: Span | None


def place_of(case: ExecutedGroup, side: Side, start: int, end: int) -> EntityPlace:
    """Return where a stretch of one side stands in both sentences."""
    if side is Side.SOURCE:
        return EntityPlace((start, end), map_span(case.alignment, start, end))
    return EntityPlace(map_span(inverse(case.alignment), start, end), (start, end))
