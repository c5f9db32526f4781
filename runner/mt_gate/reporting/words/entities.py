"""How the groups of named entity recognition are shown: sentences with their entities marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.domain import Entity, EntityError
from mt_gate.reporting.words import marks, rendering, texts
from mt_gate.reporting.words.rendering import Renderer
from mt_gate.results.result import GroupRow
from mt_gate.tasks.spec import Input

_MOST_ENTITIES = 50
"""Entities of one sentence that a description names."""

_WORDS = 80
"""Characters of one mention that a description shows."""


def _text(row: GroupRow, side: int) -> str:
    text = rendering.given(row, side).get("text", "")
    return text if isinstance(text, str) else str(text)


def _predicted(row: GroupRow, side: int) -> tuple[Entity, ...]:
    output = rendering.said(row, side)
    return marks.entities(output.get("entities")) if isinstance(output, Mapping) else ()


def _unmatched(row: GroupRow, side: int) -> tuple[Entity, ...]:
    key = "source" if side == rendering.SOURCE else "follow_up"
    return marks.entities((row.unmatched or {}).get(key))


def _sentence(row: GroupRow, side: int) -> marks.Marked:
    text = _text(row, side)
    predicted, unmatched = _predicted(row, side), _unmatched(row, side)
    marked = marks.mark(text[: rendering.LONG], predicted, unmatched, row.alignment, side)
    return rendering.with_note(marked, len(text) - rendering.LONG)


def _named(text: str, entity: Entity) -> str:
    words = text[max(entity.start, 0) : max(entity.end, 0)]
    return f"{shorten(entity.label, _WORDS)} “{shorten(words, _WORDS)}”"


def _what_happened(row: GroupRow, before: Entity | None, after: Entity | None) -> str:
    """Return how an entity of the source and one of the follow-up differ."""
    source, follow_up = _text(row, rendering.SOURCE), _text(row, rendering.FOLLOW_UP)
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
    return tuple(_explained(row, error) for error in row.errors[: 2 * _MOST_ENTITIES])


def _weight(row: GroupRow) -> int:
    return len(_unmatched(row, rendering.SOURCE)) + len(_unmatched(row, rendering.FOLLOW_UP))


def _answered(value: Input, output: Any) -> str:
    """Return the entities of an answer in words, with their labels."""
    found = marks.entities(output.get("entities")) if isinstance(output, Mapping) else ()
    text = str(value.get("text", ""))
    named = [_named(text, entity) for entity in found[:_MOST_ENTITIES]]
    return ", ".join(named) or "no entity"


def _only_in(output: Any, other: Any) -> Any:
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
    legend=rendering.ENTITIES,
    answered=_answered,
    gist=lambda output: sorted(marks.entities(output.get("entities"))),
    only_in=_only_in,
    labels=_labels,
    strength="Most entities that break the relation",
    in_text=True,
)
