"""How the groups of named entity recognition are shown: sentences with their entities marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.domain import Entity, EntityError, map_span
from mt_gate.reporting.words import marks, texts
from mt_gate.reporting.words.rendering import (
    ENTITIES,
    FOLLOW_UP,
    LONG,
    SOURCE,
    Renderer,
    given,
    said,
    with_note,
)
from mt_gate.results.result import GroupRow
from mt_gate.tasks.spec import Input

_MOST_ENTITIES = 50
"""Entities of one sentence that a description names."""

_WORDS = 80
"""Characters of one mention that a description shows."""


def _text(row: GroupRow, side: int) -> str:
    text = given(row, side).get("text", "")
    return text if isinstance(text, str) else str(text)


def _predicted(row: GroupRow, side: int) -> tuple[Entity, ...]:
    output = said(row, side)
    return marks.entities(output.get("entities")) if isinstance(output, Mapping) else ()


def _unmatched(row: GroupRow, side: int) -> tuple[Entity, ...]:
    key = "source" if side == SOURCE else "follow_up"
    return marks.entities((row.unmatched or {}).get(key))


def _sentence(row: GroupRow, side: int) -> marks.Marked:
    text = _text(row, side)
    predicted, unmatched = _predicted(row, side), _unmatched(row, side)
    marked = marks.mark(text[:LONG], predicted, unmatched, row.alignment, side)
    return with_note(marked, len(text) - LONG)


def _named(text: str, entity: Entity) -> str:
    words = text[max(entity.start, 0) : max(entity.end, 0)]
    return f"{shorten(entity.label, _WORDS)} “{shorten(words, _WORDS)}”"


def _counterpart(row: GroupRow, entity: Entity, others: Sequence[Entity]) -> Entity | None:
    """Return the follow-up's entity over the place where a source entity stands."""
    image = map_span(row.alignment, entity.start, entity.end)
    if image is None:
        return None
    overlapping = (o for o in others if o.start < image[1] and image[0] < o.end)
    return next(overlapping, None)


def _what_happened(row: GroupRow, before: Entity | None, after: Entity | None) -> str:
    """Return how an entity of the source and one of the follow-up differ."""
    source, follow_up = _text(row, SOURCE), _text(row, FOLLOW_UP)
    if before is None:
        return f"{_named(follow_up, after)} appears" if after else ""
    if after is None:
        return f"{_named(source, before)} is lost"
    return f"{_named(source, before)} becomes {_named(follow_up, after)}"


def _explained(row: GroupRow, error: EntityError) -> str:
    """Return what happened to an entity, and what kind of error that is."""
    where = f" in the {error.side.value}" if error.side else ""
    happened = _what_happened(row, error.source, error.follow_up)
    return f"{happened} ({texts.ERRORS[error.category.value]}{where})"


def _broke(row: GroupRow) -> tuple[str, ...]:
    """Return a line for every entity that breaks the relation."""
    if row.errors:
        return tuple(_explained(row, error) for error in row.errors[: 2 * _MOST_ENTITIES])
    return _unexplained(row)


def _unexplained(row: GroupRow) -> tuple[str, ...]:
    """Return the lines of a row that names no kinds of error, as older releases wrote it."""
    extra = [*_unmatched(row, FOLLOW_UP)][:_MOST_ENTITIES]
    lines = []
    for entity in _unmatched(row, SOURCE)[:_MOST_ENTITIES]:
        became = _counterpart(row, entity, extra)
        if became is not None:
            extra.remove(became)
        lines.append(_what_happened(row, entity, became))
    lines.extend(_what_happened(row, None, entity) for entity in extra)
    return tuple(lines)


def _weight(row: GroupRow) -> int:
    return len(_unmatched(row, SOURCE)) + len(_unmatched(row, FOLLOW_UP))


def _answered(value: Input, output: Any) -> str:
    """Return the entities of an answer in words, with their labels."""
    found = marks.entities(output.get("entities")) if isinstance(output, Mapping) else ()
    text = str(value.get("text", ""))
    named = [_named(text, entity) for entity in found[:_MOST_ENTITIES]]
    return ", ".join(named) or "no entity"


def _gist(output: Any) -> Any:
    return sorted(marks.entities(output.get("entities")))


def _apart(output: Any, other: Any) -> Any:
    """Return the output with those entities alone that another one has not."""
    known = {*marks.entities(other.get("entities"))}
    left = [e for e in marks.entities(output.get("entities")) if e not in known]
    return {"entities": left} if left else None


def _labels(output: Any) -> Iterable[str]:
    return (entity.label for entity in marks.entities(output.get("entities")))


RENDERER = Renderer(
    sentence=_sentence,
    broke=_broke,
    weight=_weight,
    profile="Entities per sentence",
    quantity=figures.quantity,
    legend=ENTITIES,
    answered=_answered,
    gist=_gist,
    apart=_apart,
    labels=_labels,
    strength="Most entities that break the relation",
    in_text=True,
)
