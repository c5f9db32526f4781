"""FewRel's JSON: an object from a relation to rows of ``tokens``, ``h`` and ``t``.

``h`` is ``[name, id, [[3, 4], ...]]``: token indices of each mention. The first
mention counts.
"""

from __future__ import annotations

from typing import Any

from mt_gate.base.errors import quoted
from mt_gate.relation_corpora.row import (
    Mark,
    RelationRow,
    RowFault,
    fields,
    row_of_tokens,
    word_of,
    words_of,
)


def fewrel_row(value: Any, relation: str, name: str) -> RelationRow:
    """Return a row of FewRel. Raises Unfit: of another form, or with indices that do not fit."""
    tokens, head, tail = fields(value, "tokens", "h", "t")
    marks = _mark(head, "h"), _mark(tail, "t")
    return row_of_tokens(name, words_of(tokens), marks, [relation])


def _mark(value: Any, what: str) -> Mark:
    form = f"{what} is {quoted(value)}, expected [name, id, [[token, ...], ...]]"
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], list):
        raise RowFault(form)
    first = value[2][0] if value[2] else None
    if not isinstance(first, list) or not first or any(type(at) is not int for at in first):
        raise RowFault(form)
    if first != list(range(first[0], first[0] + len(first))):
        raise RowFault(f"{what} has tokens {first}, expected neighbours")
    return Mark(first[0], first[-1] + 1, "", word_of(value[1], f"id of {what}"))
