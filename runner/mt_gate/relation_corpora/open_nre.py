"""OpenNRE's JSON lines: NYT10 with ``text``, Wiki20 and Wiki80 with ``token``.

``h`` and ``t`` hold ``pos`` (half-open; characters of ``text``, indices of
``token``), ``name`` and ``id``.
"""

from __future__ import annotations

from typing import Any

from mt_gate.base.errors import quoted
from mt_gate.relation_corpora.row import (
    Mark,
    RelationRow,
    RowFault,
    fields,
    row_of_spaced_text,
    row_of_tokens,
    whole,
    word_of,
    words_of,
)


def opennre_row(value: Any, name: str) -> RelationRow:
    """Return a row of OpenNRE. Raises Unfit: of another form, or with positions that do not fit."""
    head, tail, relation = fields(value, "h", "t", "relation")
    marks = _mark(head, "h"), _mark(tail, "t")
    labels = [word_of(relation, "relation")]
    if value.get("token") is not None:
        return row_of_tokens(name, words_of(value["token"], "token"), marks, labels)
    if isinstance(value.get("text"), str):
        return row_of_spaced_text(name, value["text"], marks, labels)
    raise RowFault("neither token nor text, expected one of them")


def _mark(value: Any, what: str) -> Mark:
    (position,) = fields(value, "pos")
    if not isinstance(position, list) or len(position) != 2:
        raise RowFault(f"pos of {what} is {quoted(position, 40)}, expected [start, end]")
    start, end = (whole(at, f"pos of {what}") for at in position)
    entity = word_of(value.get("id"), f"id of {what}") or word_of(value.get("name"), "name")
    return Mark(start, end, word_of(value.get("type"), f"type of {what}"), entity)
