"""Sentences with two marked entities and their relations, and tables that rename relations.

Files are read with the suite builder's code (``relation_corpora``), so sentence ids match. Next to
a plain ``relation``, a line of mt-gate's own format may have ``manual_labels`` by annotators and
``auto_labels`` by distant supervision. Lines with the same input are merged; their labels are
combined.

A table is TSV or CSV with one label and its new label per line, or a JSON object. An empty new
label deletes the label, which then counts as no relation. A third part, ``file`` or ``system``,
limits a line to the labels of that side. New labels are not mapped again.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.base.escaping import shorten
from mt_gate.base.figures import counted
from mt_gate.base.files import decode_json, read_whole
from mt_gate.evaluating.labelled import sample_id
from mt_gate.ontologies.reading import shipped_mappings
from mt_gate.relation_corpora.files import decoded, lines
from mt_gate.relation_corpora.formats import own_row
from mt_gate.relation_corpora.reading import read_relations
from mt_gate.relation_corpora.row import RelationRow, RowFault, words_of
from mt_gate.tasks.relation_extraction import NO_RELATION, is_no_relation, make_input

OWN_FORMAT = "jsonl"
DUPLICATE = "merged with a duplicate sentence"
MAX_MAPPING = 1 << 20
_LABELS = "Expected 'manual_labels', 'auto_labels' or 'relation'."
_TABLE = "Expected one label and its new label per line (tab or comma), or a JSON object."
_LONGEST = 200
_SIDES = ("file", "system")
LabelSet = frozenset[str] | None


class LabelledPair(NamedTuple):
    """A sentence with two entities and its labels.

    ``head`` and ``tail`` identify the entities: their ids, or their words without case and spaces
    if the file has no ids. ``auto`` and ``manual`` are None if not annotated, and empty for no
    relation.
    """

    id: str
    input: Mapping[str, Any]
    head: str
    tail: str
    auto: LabelSet
    manual: LabelSet

    @property
    def bag(self) -> str:
        """Return the key shared by all sentences of an entity pair."""
        return f"{self.head}\0{self.tail}"

    def gold(self) -> frozenset[str]:
        """Return the manual labels, or the automatic ones if it has no manual labels."""
        return (self.auto if self.manual is None else self.manual) or frozenset()


class LabelFormat(NamedTuple):
    """Options for reading a label file."""

    form: str = OWN_FORMAT  # a format of ``read_relations``
    patch: Path | None = None  # only for format ``retacred``
    distant: bool = False  # whether a plain ``relation`` is from distant supervision


def labelled_pairs(
    path: Path,
    reading: LabelFormat = LabelFormat(),  # noqa: B008
) -> tuple[list[LabelledPair], dict[str, int]]:
    """Read labelled sentences, and count skipped lines by reason."""
    if not path.is_file():
        raise CannotJudge(f"{path} does not exist. Check --labels.")
    by_key: dict[str, LabelledPair] = {}
    empty: list[str] = []
    duplicates = 0
    if reading.form == OWN_FORMAT and reading.patch is None:
        pairs = _own_pairs(path, reading.distant)
    else:
        rows = read_relations(path, reading.form, reading.patch, left_out=empty.append)
        pairs = (_pair(row, *_plain(row, reading.distant)) for row in rows)
    for item in pairs:
        before = by_key.get(item.id)
        if before is not None:
            duplicates += 1
            auto, manual = _union(before.auto, item.auto), _union(before.manual, item.manual)
            item = before._replace(auto=auto, manual=manual)
        by_key[item.id] = item
    if not by_key:
        raise CannotJudge(f"{path} has no labelled sentence. {_LABELS} Fix the file of --labels.")
    skipped = {DUPLICATE: duplicates, "with an empty head or tail in the corpus": len(empty)}
    return [*by_key.values()], {reason: number for reason, number in skipped.items() if number}


def _own_pairs(path: Path, distant: bool) -> Iterator[LabelledPair]:
    """Yield the sentences of a file in mt-gate's own format, with both kinds of label."""
    for number, line in lines(path):
        if not line.strip():
            continue
        value = decoded(path, line.encode(), number)
        try:
            row = own_row(value, str(number))
            auto, manual = (
                None if value.get(field) is None else _names(words_of(value[field], field))
                for field in ("auto_labels", "manual_labels")
            )
            if auto is None and manual is None:
                if value.get("relation") is None:
                    raise RowFault(f"it has no labels. {_LABELS.rstrip('.')}")
                auto, manual = _plain(row, distant)
            yield _pair(row, auto, manual)
        except RowFault as fault:
            raise CannotJudge(
                f"{path}: line {number}: {fault}. Fix the file of --labels, or pass its --format."
            ) from None


def _plain(row: RelationRow, distant: bool) -> tuple[LabelSet, LabelSet]:
    names = _names(row.relations)
    return (names, None) if distant else (None, names)


def _names(labels: Iterable[str]) -> frozenset[str]:
    return frozenset(label for label in labels if not is_no_relation(label))


def _pair(row: RelationRow, auto: LabelSet, manual: LabelSet) -> LabelledPair:
    value = make_input(row.text, row.head, row.tail)
    # Spaces between the words of an entity depend on how its sentence is spaced.
    head, tail = ("".join(name.casefold().split()) for name in (row.head_entity, row.tail_entity))
    return LabelledPair(sample_id(value), value, head, tail, auto, manual)


def _union(first: LabelSet, second: LabelSet) -> LabelSet:
    return first if second is None else second | (first or frozenset())


class LabelMapping(NamedTuple):
    """A table of new labels, for the labels of the ``file`` and for those of the ``system``."""

    name: str = ""
    sha256: str = ""
    file: Mapping[str, str] = {}
    system: Mapping[str, str] = {}

    def map_system_label(self, label: str) -> str:
        """Return the new label for a label of the system."""
        return _mapped(self.system, label)

    def file_relations(self, labels: Iterable[str]) -> frozenset[str]:
        """Return the new labels for labels of the file; empty if there is no relation."""
        return frozenset(_mapped(self.file, label) for label in labels) - {NO_RELATION}

    def system_relations(self, labels: Iterable[str]) -> frozenset[str]:
        """Return the new labels for a system's labels; empty if there is no relation."""
        return frozenset(map(self.map_system_label, labels)) - {NO_RELATION}


UNMAPPED = LabelMapping()


def _mapped(table: Mapping[str, str], label: str) -> str:
    new_label = table.get(label, label)
    return NO_RELATION if not new_label or is_no_relation(new_label) else new_label


def read_mapping(path: Path) -> LabelMapping:
    """Read a table of labels: a file, or a built-in one by its name."""
    if not path.exists():
        path = shipped_mappings().get(str(path), path)
    data = read_whole(path, limit=MAX_MAPPING, cause=_TABLE)
    sides: dict[str, dict[str, str]] = {side: {} for side in _SIDES}
    entries = _json_entries if path.suffix.lower() == ".json" else _csv_entries
    for where, label, other, side in entries(path, data):
        if not label or max(len(label), len(other)) > _LONGEST:
            raise CannotJudge(
                f"{path}: {where}: mt-gate cannot map label {quoted(label, 40)} to "
                f"{quoted(other, 40)}. A label needs 1 to {_LONGEST} characters, its new label at "
                f"most {_LONGEST}. Fix the table."
            )
        for name in (side,) if side else _SIDES:
            if label in sides[name]:
                raise CannotJudge(f"{path}: {where}: {quoted(label)} occurs twice. Remove one.")
            sides[name][label] = other
    if not any(sides.values()):
        raise CannotJudge(f"{path} has no labels. {_TABLE}")
    return LabelMapping(path.name, hashlib.sha256(data).hexdigest(), **sides)


Entries = Iterator[tuple[str, str, str, str]]
"""The place of each entry, its label, its new label, and its side, if any."""


def _csv_entries(path: Path, data: bytes) -> Entries:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotJudge(f"{path} is not UTF-8 ({error.reason}). {_TABLE}") from None
    reader = csv.reader(io.StringIO(text), delimiter="," if path.suffix.lower() == ".csv" else "\t")
    try:
        for row in reader:
            if not any(cell.strip() for cell in row) or row[0].startswith("#"):
                continue
            where = f"line {reader.line_num}"
            label, other, side, *more = [*(cell.strip() for cell in row), "", ""]
            if len(row) < 2 or any(more) or side not in ("", *_SIDES):
                raise CannotJudge(
                    f"{path}: {where} has {counted(len(row), 'part')}. {_TABLE} A third part may "
                    f"be {' or '.join(_SIDES)}."
                )
            yield where, label, other, side
    except csv.Error as error:
        raise CannotJudge(
            f"{path}: line {reader.line_num} cannot be read ({error}). A .csv file needs commas, a "
            ".json file an object, any other file tabs. Fix the file of --mapping."
        ) from None


def _json_entries(path: Path, data: bytes) -> Entries:
    entries = decode_json(data, dict[str, str | dict[str, str] | None], path=path, cause=_TABLE)
    for key, value in entries.items():
        if not isinstance(value, dict):
            yield quoted(key, 40), key, value or "", ""
        elif key in _SIDES:
            yield from ((quoted(a, 40), a, b, key) for a, b in value.items())
        else:
            raise CannotJudge(
                f"{path}: {quoted(key, 40)} is an object. Only 'file' and 'system' may be objects. "
                'Write "label": "new label".'
            )


def name_labels(labels: Iterable[str], most: int = 40) -> str:
    """Join at most ``most`` labels, then the number left."""
    every = sorted(labels)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(shorten(label, 60) for label in every[:most]) + more
