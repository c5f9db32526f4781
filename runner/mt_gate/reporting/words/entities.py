"""Show groups of named entity recognition: sentences with their entities marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.domain import Entity, EntityError
from mt_gate.reporting.words import rendering, texts
from mt_gate.reporting.words.rendering import Renderer
from mt_gate.results.result import GroupRow
from mt_gate.tasks.spec import Input

_MOST_ENTITIES = 50
"""Maximum entities of one sentence in a description."""
_WORDS = 80
"""Maximum characters of one mention, or label, in a description."""
_UNMATCHED = ("source", "follow_up")


def _predicted(output: Any) -> tuple[Entity, ...]:
    return rendering.entities(output.get("entities")) if isinstance(output, Mapping) else ()


def _sentence(row: GroupRow, side: int) -> rendering.Marked:
    value, output = rendering.side_of(row, side)
    breaking = rendering.entities((row.unmatched or {}).get(_UNMATCHED[side]))
    text, predicted = str(value.get("text", "")), _predicted(output)
    return rendering.shown_text(text, row.alignment, side, predicted, breaking)


def _named(value: Input, entity: Entity) -> str:
    words = str(value.get("text", ""))[max(entity.start, 0) : max(entity.end, 0)]
    return f"{shorten(entity.label, _WORDS)} “{shorten(words, _WORDS)}”"


def _broke(row: GroupRow) -> Iterator[str]:
    """For each entity that breaks the relation, yield how it differs and the kind of error."""
    known = "expected" in (row.unmatched or {})
    for error in row.errors[: 2 * _MOST_ENTITIES]:
        before = _named(row.source, error.source) if error.source else ""
        after = _named(row.follow_up or {}, error.follow_up) if error.follow_up else ""
        if known:
            yield _missed(row, error, after)
            continue
        happened = f"{before} becomes {after}" if before and after else ""
        happened = happened or (f"{before} is missing" if before else after and f"{after} is new")
        where = f" in the {error.side.value}" if error.side else ""
        yield f"{happened} ({texts.ERRORS[error.category.value]}{where})"


def _missed(row: GroupRow, error: EntityError, after: str) -> str:
    """Return what was expected of a known entity, or of a text without entities."""
    predicted = f"predicted {after}" if after else "predicted no entity"
    wanted = "no entity"
    if error.source:
        wanted = _named(row.follow_up or row.source, error.source)
    return f"expected {wanted}; {predicted} ({texts.ERRORS[error.category.value]})"


def _answered(value: Input, output: Any) -> str:
    named = [_named(value, entity) for entity in _predicted(output)[:_MOST_ENTITIES]]
    return ", ".join(named) or "no entity"


def _only_in(output: Any, other: Any) -> Any:
    known = {*_predicted(other)}
    left = [entity for entity in _predicted(output) if entity not in known]
    return {"entities": left} if left else None


RENDERER = Renderer(
    sentence=_sentence,
    broke=lambda row: tuple(_broke(row)),
    weight=lambda row: sum(len(rendering.entities(v)) for v in (row.unmatched or {}).values()),
    profile="Entities per sentence",
    quantity=figures.quantity,
    legend=rendering.ENTITIES,
    answered=_answered,
    gist=lambda output: sorted(_predicted(output)),
    only_in=_only_in,
    labels=lambda output: (entity.label for entity in _predicted(output)),
    strength="Most entities that violate the relation",
    in_text=True,
)
