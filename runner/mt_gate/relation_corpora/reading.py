"""Read the rows of a corpus file of any known format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, quoted
from mt_gate.base.escaping import shorten
from mt_gate.relation_corpora import formats
from mt_gate.relation_corpora.files import content, decoded, lines
from mt_gate.relation_corpora.row import RelationRow, RowFault, fields, word_of

FORMATS = ("jsonl", "tacred", "retacred", "kbp37", "semeval", "fewrel", "opennre")
"""Names of formats; ``jsonl`` is mt-gate's own."""


class _Place(NamedTuple):
    """The place of a row for messages, and a function that parses it (None: published empty)."""

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

    ``patch`` has relations that replace TACRED's (format ``retacred``). ``labels`` is the field
    with the relations (format ``jsonl``). ``left_out`` is called with the names of rows with an
    empty argument (KBP37). Raises UsageError: a file is missing, the format is unknown, or a patch
    is missing or not expected. CannotJudge: a file is too large or not in the format, or spans or
    types of a row do not fit.
    """
    if form not in FORMATS:
        raise UsageError(
            f"Unknown format {quoted(form)}.{did_you_mean(form, FORMATS)} Known: "
            f"{', '.join(FORMATS)}."
        )
    if (patch is not None) != (form == "retacred"):
        raise UsageError(
            f"{path}: format {form} {'takes no' if patch else 'needs a'} --patch. For Re-TACRED, "
            "pass TACRED's file with --format retacred and the patch with --patch FILE."
        )
    if form in {"tacred", "retacred"}:
        places = _tacred(path)
    elif form == "fewrel":
        places = _fewrel(path)
    elif form in {"kbp37", "semeval"}:
        places = _marked(path, form)
    else:
        places = _json_lines(path, form, labels)
    rows = _made(path, places, left_out)
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


def _tacred(path: Path) -> Iterator[_Place]:
    values = decoded(path, content(path))
    if not isinstance(values, list):
        raise CannotJudge(f"{path} is JSON of type {type(values).__name__}. Expected a list.")
    for at, value in enumerate(values):
        name = value.get("id", at) if isinstance(value, dict) else at
        yield _Place(str(name), partial(formats.tacred_row, value))


def _patched(rows: Iterator[RelationRow], path: Path) -> Iterator[RelationRow]:
    """Yield TACRED's rows with the relations of a patch.

    Re-TACRED's patch is an object from ids to relations, and only these rows are yielded. The patch
    of TACRED Revisited is a list of ``{id, relation}``; other rows are yielded unchanged.
    """
    patch = decoded(path, content(path))
    try:
        if isinstance(patch, list):
            pairs = [fields(row, "id", "relation") for row in patch]
            relations = {str(name): word_of(label, "relation") for name, label in pairs}
        elif isinstance(patch, dict) and all(isinstance(label, str) for label in patch.values()):
            relations = patch
        else:
            raise RowFault("not a patch, expected a JSON object from ids to relations")
        met = False
        for row in rows:
            if row.id in relations:
                met = True
                yield row._replace(relations=(relations[row.id],))
            elif isinstance(patch, list):
                yield row
        if not met:
            raise RowFault(f"none of its {len(relations)} ids is in the corpus")
    except RowFault as fault:
        raise CannotJudge(f"{path}: {fault}. Pass the patch of this split.") from None


def _fewrel(path: Path) -> Iterator[_Place]:
    values = decoded(path, content(path))
    if not isinstance(values, dict) or not all(isinstance(v, list) for v in values.values()):
        raise CannotJudge(
            f"{path}: expected a JSON object from relations to lists of rows. Choose another "
            "--format."
        )
    for relation, several in values.items():
        for at, value in enumerate(several):
            name = f"{relation}-{at}"
            yield _Place(name, partial(formats.fewrel_row, value, relation, name))


def _marked(path: Path, form: str) -> Iterator[_Place]:
    prefix = path.name.partition(".")[0]
    make = formats.kbp37_row if form == "kbp37" else formats.semeval_row
    for block in formats.blocks(lines(path)):
        if not isinstance(block, formats.MarkedLines):
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
            partial(formats.opennre_row, value, name)
            if form == "opennre"
            else partial(formats.own_row, value, name, labels)
        )
        yield _Place(place, make)
