"""TACRED's JSON, with a patch of Re-TACRED or of TACRED Revisited laid over it.

A row: ``id``, ``token``, ``subj_start``, ``subj_end`` (inclusive), ``subj_type``,
``obj_...``, ``relation``. Re-TACRED's patch is an object from ids to relations,
and its corpus are the rows that it names. That of TACRED Revisited is a list of
``{id, relation}``, and leaves the other rows as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mt_gate.relation_corpora.row import (
    Mark,
    RelationRow,
    RowFault,
    fields,
    row_of_tokens,
    whole,
    word_of,
    words_of,
)

SUBJECT, OBJECT = "subj", "obj"


def tacred_row(value: Any) -> RelationRow:
    """Return a row of TACRED. Raises Unfit: of another form, or with spans that do not fit."""
    name, tokens, relation = fields(value, "id", "token", "relation")
    head, tail = (_mark(value, which) for which in (SUBJECT, OBJECT))
    words = words_of(tokens, "token")
    return row_of_tokens(str(name), words, (head, tail), [word_of(relation, "relation")])


def _mark(value: Any, which: str) -> Mark:
    start, end, kind = fields(value, f"{which}_start", f"{which}_end", f"{which}_type")
    last = whole(end, f"{which}_end")
    return Mark(whole(start, f"{which}_start"), last + 1, word_of(kind, f"{which}_type"))


def relations_of_patch(patch: Any) -> tuple[dict[str, str], bool]:
    """Return a patch's relations by id, and whether rows that it does not name stay.

    Raises Unfit: neither an object nor a list of objects with ``id`` and ``relation``.
    """
    if isinstance(patch, dict) and all(isinstance(label, str) for label in patch.values()):
        return patch, False
    if isinstance(patch, list):
        pairs = [fields(row, "id", "relation") for row in patch]
        return {str(name): word_of(label, "relation") for name, label in pairs}, True
    raise RowFault("no patch, expected a JSON object from ids to relations")


def patched(rows: Iterator[RelationRow], patch: Any) -> Iterator[RelationRow]:
    """Yield rows with the relations of a patch.

    Raises Unfit: the patch is of another form, or names none of the rows.
    """
    relations, others_stay = relations_of_patch(patch)
    met = False
    for row in rows:
        if row.id in relations:
            met = True
            yield row._replace(relations=(relations[row.id],))
        elif others_stay:
            yield row
    if not met:
        raise RowFault(f"none of its {len(relations)} ids is a row of the corpus")
