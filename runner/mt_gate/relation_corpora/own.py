"""mt-gate's own JSON lines: ``head`` and ``tail`` as ``{start, end, type}``, and ``relation``.

With ``tokens``, ``start`` and ``end`` (exclusive) count tokens; a ``text`` next to
them is the sentence as written. With ``text`` alone they count characters, as
``start_char`` and ``end_char`` always do. ``id``, ``type`` and which thing an
argument is (``id`` or ``qid``) may be missing; ``relation`` may be a list.
"""

from __future__ import annotations

from typing import Any

from mt_gate.relation_corpora.row import (
    Mark,
    RelationRow,
    RowFault,
    fields,
    row_of_text,
    row_of_tokens,
    whole,
    word_of,
    words_of,
)


def own_row(value: Any, name: str, labels: str = "relation") -> RelationRow:
    """Return a row of the plain form, with ``name`` for an id where it has none.

    Raises Unfit: of another form, or with spans that do not fit.
    """
    head, tail = fields(value, "head", "tail")
    name = str(value.get("id") or name)
    relations = _relations(value.get(labels), labels)
    written = word_of(value.get("text"), "text")
    if value.get("tokens") is not None:
        marks = _mark(head, "head", ""), _mark(tail, "tail", "")
        return row_of_tokens(name, words_of(value["tokens"]), marks, relations, written)
    if not written:
        raise RowFault("neither tokens nor text, expected one of them")
    unit = "_char" if isinstance(head, dict) and "start_char" in head else ""
    places = _mark(head, "head", unit), _mark(tail, "tail", unit)
    return row_of_text(name, written, places, relations)


def _relations(value: Any, field: str) -> list[str]:
    if isinstance(value, list):
        return words_of(value, field)
    return [word_of(value, field)] if value is not None else []


def _mark(value: Any, what: str, unit: str) -> Mark:
    start, end = fields(value, f"start{unit}", f"end{unit}")
    entity = value.get("id") if value.get("id") is not None else value.get("qid")
    return Mark(
        whole(start, f"start of {what}"),
        whole(end, f"end of {what}"),
        word_of(value.get("type"), f"type of {what}"),
        "" if entity is None else str(entity),
    )
