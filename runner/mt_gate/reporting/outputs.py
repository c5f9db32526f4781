"""How the groups of each task are shown: one small renderer a task.

A renderer turns a row's inputs and outputs, which are the task's own plain
JSON values, into marked sentences and a few words on what broke.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mt_gate.domain import Entity, EntityError, map_span
from mt_gate.reporting import figures, marks, texts
from mt_gate.reporting.escaping import shorten
from mt_gate.result import GroupRow

SOURCE, FOLLOW_UP = 0, 1

_LONG = 1500
"""Characters of one sentence that a report shows."""

_MOST_ENTITIES = 50
"""Entities of one sentence that a description names."""

_WORDS = 80
"""Characters of one mention that a description shows."""


class Renderer(NamedTuple):
    """What a report must know of a task.

    ``sentence`` marks up one side of a row, ``broke`` says in words what
    breaks the relation, ``weight`` ranks rows by how much does, ``profile``
    names the output profile, ``legend`` is true where entities are marked.
    """

    sentence: Callable[[GroupRow, int], marks.Marked]
    broke: Callable[[GroupRow], tuple[str, ...]]
    weight: Callable[[GroupRow], int]
    profile: str
    quantity: Callable[[float | None], str]
    legend: bool


def _input(row: GroupRow, side: int) -> Mapping[str, Any]:
    return row.source if side == SOURCE else row.follow_up or {}


def _output(row: GroupRow, side: int) -> Any:
    return row.source_output if side == SOURCE else row.follow_up_output


def _text(row: GroupRow, side: int) -> str:
    text = _input(row, side).get("text", "")
    return text if isinstance(text, str) else str(text)


def _with_note(marked: marks.Marked, left: int) -> marks.Marked:
    """Return the marked beginning of a text, saying how much of it is left out."""
    if left <= 0:
        return marked
    note = marks.Piece(f"… ({figures.counted(left, 'character')} more)", marks.KEPT)
    return marked._replace(segments=(*marked.segments, marks.Segment((note,))))


def _predicted(row: GroupRow, side: int) -> tuple[Entity, ...]:
    output = _output(row, side)
    return marks.entities(output.get("entities")) if isinstance(output, Mapping) else ()


def _unmatched(row: GroupRow, side: int) -> tuple[Entity, ...]:
    key = "source" if side == SOURCE else "follow_up"
    return marks.entities((row.unmatched or {}).get(key))


def _ner_sentence(row: GroupRow, side: int) -> marks.Marked:
    text = _text(row, side)
    predicted, unmatched = _predicted(row, side), _unmatched(row, side)
    marked = marks.mark(text[:_LONG], predicted, unmatched, row.alignment, side)
    return _with_note(marked, len(text) - _LONG)


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


def _ner_broke(row: GroupRow) -> tuple[str, ...]:
    """Return a line for every entity that breaks the relation."""
    if row.errors:
        return tuple(_explained(row, error) for error in row.errors[: 2 * _MOST_ENTITIES])
    return _ner_unexplained(row)


def _ner_unexplained(row: GroupRow) -> tuple[str, ...]:
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


def _ner_weight(row: GroupRow) -> int:
    return len(_unmatched(row, SOURCE)) + len(_unmatched(row, FOLLOW_UP))


def _any_sentence(row: GroupRow, side: int) -> marks.Marked:
    text = "; ".join(f"{name}: {value}" for name, value in _input(row, side).items())
    output = _output(row, side)
    shown = text if output is None else f"{text} -> {output}"
    whole = marks.Marked((marks.Segment((marks.Piece(shown[:_LONG], marks.KEPT),)),))
    return _with_note(whole, len(shown) - _LONG)


_RENDERERS = {
    "ner": Renderer(
        sentence=_ner_sentence,
        broke=_ner_broke,
        weight=_ner_weight,
        profile="Entities a sentence",
        quantity=figures.quantity,
        legend=True,
    )
}

_ANY = Renderer(
    sentence=_any_sentence,
    broke=lambda _: (),
    weight=lambda _: 0,
    profile="Answers",
    quantity=figures.quantity,
    legend=False,
)


def renderer(task: str) -> Renderer:
    """Return the renderer of a task; an unknown one shows inputs as they are."""
    return _RENDERERS.get(task, _ANY)
