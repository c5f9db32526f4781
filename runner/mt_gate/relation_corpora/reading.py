"""One way in: a file and the name of its format to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, quoted
from mt_gate.base.redaction import shorten
from mt_gate.relation_corpora import marked_text, own, tacred
from mt_gate.relation_corpora.files import content, decoded, lines
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

FORMATS = ("jsonl", "tacred", "retacred", "kbp37", "semeval", "fewrel", "opennre")
"""``jsonl`` is mt-gate's own."""


class _Place(NamedTuple):
    """Where a row is, for messages, and how it is made; None for one published empty."""

    name: str
    make: Callable[[], RelationRow | None]


def read_relations(
    path: Path,
    form: str,
    patch: Path | None = None,
    *,
    labels: str = "relation",
    left_out: Callable[[str], object] = lambda _: None,
) -> Iterator[RelationRow]:
    """Yield the rows of a corpus, in its order; ids are unique.

    ``patch`` has relations to lay over TACRED's, for ``retacred``; ``labels`` is the field that
    relations are read from, for ``jsonl``. ``left_out`` is called with rows that the corpus itself
    publishes empty (KBP37). Raises UsageError: a file is missing, the format unknown, or a patch
    missing or out of place. CannotJudge: too large, not of the format, or a row whose spans or
    types do not fit.
    """
    if form not in FORMATS:
        raise UsageError(
            f"Unknown format {quoted(form)}.{did_you_mean(form, FORMATS)} Known: "
            f"{', '.join(FORMATS)}."
        )
    if (patch is not None) != (form == "retacred"):
        raise UsageError(
            f"{path}: format {form} {'takes no' if patch else 'needs a'} --patch. Read Re-TACRED "
            "with --format retacred --patch FILE, its patch, and TACRED's own file."
        )
    rows = _made(path, _places(path, form, labels), left_out)
    return rows if patch is None else _patched(rows, patch)


def _made(
    path: Path, places: Iterator[_Place], left_out: Callable[[str], object]
) -> Iterator[RelationRow]:
    seen: set[str] = set()
    for place in places:
        try:
            row = place.make()
            if row is not None and row.id in seen:
                raise RowFault(f"the id {quoted(row.id, 60)} occurs twice")
        except RowFault as fault:
            raise CannotJudge(
                f"{path}: row {shorten(place.name, 80)}: {fault}. Fix or remove the row, or choose "
                "another --format."
            ) from None
        if row is None:
            left_out(place.name)
        else:
            seen.add(row.id)
            yield row


def _places(path: Path, form: str, labels: str) -> Iterator[_Place]:
    if form in {"tacred", "retacred"}:
        return _tacred(path)
    if form == "fewrel":
        return _fewrel(path)
    if form in {"kbp37", "semeval"}:
        return _marked(path, form)
    return _json_lines(path, form, labels)


def _tacred(path: Path) -> Iterator[_Place]:
    values = decoded(path, content(path))
    if not isinstance(values, list):
        raise CannotJudge(f"{path} is JSON of type {type(values).__name__}. Expected a list.")
    for at, value in enumerate(values):
        name = value.get("id", at) if isinstance(value, dict) else at
        yield _Place(str(name), partial(tacred.tacred_row, value))


def _patched(rows: Iterator[RelationRow], patch: Path) -> Iterator[RelationRow]:
    try:
        yield from tacred.patched(rows, decoded(patch, content(patch)))
    except RowFault as fault:
        raise CannotJudge(f"{patch}: {fault}. Pass the patch of this split.") from None


def _fewrel(path: Path) -> Iterator[_Place]:
    values = decoded(path, content(path))
    if not isinstance(values, dict) or not all(isinstance(v, list) for v in values.values()):
        raise CannotJudge(f"{path}: expected a JSON object from relations to lists of rows.")
    for relation, several in values.items():
        for at, value in enumerate(several):
            name = f"{relation}-{at}"
            yield _Place(name, partial(_fewrel_row, value, relation, name))


def _marked(path: Path, form: str) -> Iterator[_Place]:
    prefix = path.name.partition(".")[0]
    make = marked_text.kbp37_row if form == "kbp37" else marked_text.semeval_row
    for block in marked_text.blocks(lines(path)):
        if not isinstance(block, marked_text.MarkedLines):
            raise CannotJudge(f"{path}: line {block[0]}: {block[1]}. Fix it, or change --format.")
        yield _Place(f"{block.number} (line {block.line})", partial(make, block, prefix))


def _json_lines(path: Path, form: str, labels: str) -> Iterator[_Place]:
    prefix = path.name.partition(".")[0]
    for number, line in lines(path):
        if not line.strip():
            continue
        value = decoded(path, line.encode(), number)
        name = f"{prefix}-{number}"
        identifier = value.get("id") if isinstance(value, dict) else None
        place = f"{identifier} (line {number})" if identifier else f"at line {number}"
        make = (
            partial(_opennre_row, value, name)
            if form == "opennre"
            else partial(own.own_row, value, name, labels)
        )
        yield _Place(place, make)


def _fewrel_row(value: Any, relation: str, name: str) -> RelationRow:
    """Return a row of FewRel, the first of whose mentions counts: lists of token indices.

    Raises Unfit: of another form, or with indices that do not fit.
    """
    tokens, head, tail = fields(value, "tokens", "h", "t")
    marks = _fewrel_mark(head, "h"), _fewrel_mark(tail, "t")
    return row_of_tokens(name, words_of(tokens), marks, [relation])


def _fewrel_mark(value: Any, what: str) -> Mark:
    form = f"{what} is {quoted(value)}, expected [name, id, [[token, ...], ...]]"
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], list):
        raise RowFault(form)
    first = value[2][0] if value[2] else None
    if not isinstance(first, list) or not first or any(type(at) is not int for at in first):
        raise RowFault(form)
    if first != list(range(first[0], first[0] + len(first))):
        raise RowFault(f"{what} has tokens {first}, expected neighbours")
    return Mark(first[0], first[-1] + 1, "", word_of(value[1], f"id of {what}"))


def _opennre_row(value: Any, name: str) -> RelationRow:
    """Return a row of OpenNRE: NYT10 has ``text``, Wiki20 and Wiki80 have ``token``.

    Positions are half-open. Raises Unfit: of another form, or with positions that do not fit.
    """
    head, tail, relation = fields(value, "h", "t", "relation")
    marks = _opennre_mark(head, "h"), _opennre_mark(tail, "t")
    labels = [word_of(relation, "relation")]
    if value.get("token") is not None:
        return row_of_tokens(name, words_of(value["token"], "token"), marks, labels)
    if isinstance(value.get("text"), str):
        return row_of_spaced_text(name, value["text"], marks, labels)
    raise RowFault("neither token nor text, expected one of them")


def _opennre_mark(value: Any, what: str) -> Mark:
    (position,) = fields(value, "pos")
    if not isinstance(position, list) or len(position) != 2:
        raise RowFault(f"pos of {what} is {quoted(position, 40)}, expected [start, end]")
    start, end = (whole(at, f"pos of {what}") for at in position)
    entity = word_of(value.get("id"), f"id of {what}") or word_of(value.get("name"), "name")
    return Mark(start, end, word_of(value.get("type"), f"type of {what}"), entity)
