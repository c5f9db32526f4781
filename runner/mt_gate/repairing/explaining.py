"""What the votes say of the kinds of error that a run found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from mt_gate.domain import Side
from mt_gate.relations.ner.error_categories import Votes, categorise
from mt_gate.repairing.conflicts import Repaired
from mt_gate.repairing.reading import Violated
from mt_gate.results.result import GroupRow, Result
from mt_gate.running import measuring


def explained_rows(
    rows: Sequence[GroupRow], groups: Iterable[Violated], repaired: Mapping[str, Repaired]
) -> list[GroupRow]:
    """Return the rows with the categories of their errors as the votes tell them."""
    errors = {
        group.id: categorise(group.case, group.lost, group.added, _known(group, repaired))
        for group in groups
    }
    return [
        msgspec.structs.replace(row, errors=errors[row.id]) if errors.get(row.id) else row
        for row in rows
    ]


def _known(group: Violated, repaired: Mapping[str, Repaired]) -> Votes:
    """Return what the votes say of both sentences of a group."""
    texts = {Side.SOURCE: group.case.source["text"], Side.FOLLOW_UP: group.case.follow_up["text"]}
    return {
        (side, *decision.ballot.suspect.span): decision.label
        for side, text in texts.items()
        if text in repaired
        for decision in repaired[text].decisions
        if decision.sure
    }


def recounted(result: Result, rows: Sequence[GroupRow]) -> Result:
    """Return the result with its errors counted anew; all else is the run's."""
    counted = measuring.count_all([relation.id for relation in result.relations], rows)
    relations = tuple(
        msgspec.structs.replace(relation, errors=again.errors)
        for relation, again in zip(result.relations, counted, strict=True)
    )
    overall = msgspec.structs.replace(result.overall, errors=measuring.overall(counted).errors)
    return msgspec.structs.replace(result, relations=relations, overall=overall)
