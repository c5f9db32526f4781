"""Sentences with two marked entities and their relations, of one or of two kinds of label.

Files are read as suites are built from them (``relation_corpora``), so that
their sentences are found again. Beside a plain ``relation``, a line of
mt-gate's own form may have ``manual_labels`` that people gave and
``auto_labels`` of distant supervision. Lines of one input are one sentence with the
labels of them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import canonical
from mt_gate.relation_corpora.files import decoded, lines
from mt_gate.relation_corpora.own import own_row
from mt_gate.relation_corpora.reading import FORMATS, read_relations
from mt_gate.relation_corpora.row import RelationRow, RowFault, words_of
from mt_gate.running.predicting import input_key
from mt_gate.tasks.relation_extraction import is_none, pair

OWN = "jsonl"
CAUSE = "expected 'manual_labels', 'auto_labels' or 'relation'"
PUBLISHED_EMPTY = "published empty"
AGAIN = "of a sentence seen before, merged with it"


class LabelledPair(NamedTuple):
    """A sentence with two entities and its labels.

    ``head`` and ``tail`` say which entities they are: an id where the file has
    one, else their words, capitals and blanks aside. A kind of label is None
    where nobody gave it, and empty where there is no relation.
    """

    id: str
    input: Mapping[str, Any]
    head: str
    tail: str
    auto: frozenset[str] | None
    manual: frozenset[str] | None

    @property
    def bag(self) -> str:
        """What the sentences of one pair of entities have in common, and no others."""
        return f"{self.head}\0{self.tail}"

    def gold(self) -> frozenset[str]:
        """Return the manual labels, or the automatic ones where there are none."""
        return (self.auto if self.manual is None else self.manual) or frozenset()


class LabelledPairs(NamedTuple):
    """The sentences of a file, in its order, and by reason the lines that are none of their own."""

    pairs: list[LabelledPair]
    left_out: Mapping[str, int]


class LabelFormat(NamedTuple):
    """How a file is read.

    Args:
        form: one of ``FORMATS``.
        patch: of form ``retacred``.
        distant: whether a plain ``relation`` is of distant supervision, not a person's.
    """

    form: str = OWN
    patch: Path | None = None
    distant: bool = False


class _Labels(NamedTuple):
    auto: Iterable[str] | None
    manual: Iterable[str] | None


def labelled_pairs(path: Path, reading: LabelFormat = LabelFormat()) -> LabelledPairs:  # noqa: B008
    """Read labelled sentences.

    Args:
        path: of one of the forms, plain or ``.gz``.
        reading: which form that is.

    Raises:
        UsageError: an unknown form, or a patch that is missing or out of place.
        CannotJudge: missing, too large, a row of another form, or one without any label.
    """
    if not path.is_file():
        raise CannotJudge(f"{path}: no such file; name the file of --labels")
    found: dict[str, LabelledPair] = {}
    empty: list[str] = []
    again = 0
    for item in _pairs(path, reading, empty.append):
        before = found.get(item.id)
        again += before is not None
        found[item.id] = _together(before, item) if before else item
    if not found:
        raise CannotJudge(
            f"{path}: no labelled sentence; expected one at least; {CAUSE}; fix the file of "
            "--labels"
        )
    left_out = {AGAIN: again, PUBLISHED_EMPTY: len(empty)}
    return LabelledPairs(
        [*found.values()], {reason: number for reason, number in left_out.items() if number}
    )


def _pairs(
    path: Path, reading: LabelFormat, left_out: Callable[[str], None]
) -> Iterator[LabelledPair]:
    if reading.form == OWN and reading.patch is None:
        yield from (_pair(row, labels) for row, labels in _own(path, reading.distant))
        return
    if reading.form not in FORMATS:
        raise UsageError(f"--format {reading.form}: expected one of {', '.join(FORMATS)}")
    for row in read_relations(path, reading.form, reading.patch, left_out=left_out):
        yield _pair(row, _plain(row.relations, reading.distant))


def _own(path: Path, distant: bool) -> Iterator[tuple[RelationRow, _Labels]]:
    """Yield the rows of mt-gate's own form with both kinds of label."""
    for number, line in lines(path):
        if not line.strip():
            continue
        value = decoded(path, line.encode(), number)
        try:
            row = own_row(value, str(number))
            yield row, _labels(value, row, distant)
        except RowFault as fault:
            raise CannotJudge(
                f"{path}: line {number}: {fault}; fix the file of --labels, or name its --format"
            ) from None


def _labels(value: Mapping[str, Any], row: RelationRow, distant: bool) -> _Labels:
    auto, manual = (
        None if value.get(field) is None else words_of(value[field], field)
        for field in ("auto_labels", "manual_labels")
    )
    if auto is not None or manual is not None:
        return _Labels(auto, manual)
    if value.get("relation") is None:
        raise RowFault(f"no label of any kind; {CAUSE}")
    return _plain(row.relations, distant)


def _plain(relations: Iterable[str], distant: bool) -> _Labels:
    return _Labels(relations, None) if distant else _Labels(None, relations)


def _pair(row: RelationRow, labels: _Labels) -> LabelledPair:
    value = pair(row.text, row.head, row.tail)
    head, tail = (_entity(name) for name in (row.head_entity, row.tail_entity))
    name = input_key(canonical(value)).hex()
    return LabelledPair(name, value, head, tail, _set(labels.auto), _set(labels.manual))


def _entity(name: str) -> str:
    """Return an entity's id or words: blanks hang on how a sentence is spaced."""
    return "".join(name.casefold().split())


def _set(labels: Iterable[str] | None) -> frozenset[str] | None:
    return None if labels is None else frozenset(label for label in labels if not is_none(label))


def _together(one: LabelledPair, other: LabelledPair) -> LabelledPair:
    return one._replace(auto=_union(one.auto, other.auto), manual=_union(one.manual, other.manual))


def _union(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return other if one is None else one if other is None else one | other
