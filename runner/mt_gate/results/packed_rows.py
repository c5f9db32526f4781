"""The rows of a run, packed in memory: read as often as they are needed, a block at a time.

A row takes 2 KB as an object, packed 0.1 to 0.4 KB. What is packed is the JSON line of a row, as
files have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from mt_gate.base import redaction
from mt_gate.base.jsonio import canonical, hidden_and_read
from mt_gate.base.packed_lines import PackedLines
from mt_gate.domain import Verdict
from mt_gate.results.result import Change, GroupRow


class RowHead(msgspec.Struct, frozen=True, kw_only=True):
    """What judging needs of a row: all but its texts and answers; fields as in ``GroupRow``.

    ``before`` is held to know whether it is there.
    """

    id: str
    relation: str
    source_id: str
    verdict: Verdict
    reason: str = ""
    bound: bool = False
    unstable: bool = False
    margin: float | None = None
    change: Change | None = None
    cluster: str = ""
    slices: tuple[str, ...] = ()
    before: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def cluster_key(self) -> str:
        """As ``GroupRow.cluster_key``."""
        return self.cluster or self.source_id

    @property
    def has_before(self) -> bool:
        """Whether it has the answers of an earlier baseline."""
        return self.before is not msgspec.UNSET


class RowTexts(msgspec.Struct, frozen=True, kw_only=True):
    """What a row's system was asked and answered, each as canonical JSON; unset if it is not."""

    relation: str
    source_id: str
    cluster: str = ""
    source: msgspec.Raw
    source_output: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    follow_up: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    follow_up_output: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    second: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    second_output: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def cluster_key(self) -> str:
        """As ``GroupRow.cluster_key``."""
        return self.cluster or self.source_id


class PackedRows:
    """Rows that are unpacked block by block in each pass."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        """Pack rows.

        Args:
            lines: the canonical JSON of each row.
        """
        self._lines = PackedLines(lines)

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._lines)

    def __iter__(self) -> Iterator[GroupRow]:
        """Yield every row."""
        return map(_ROW.decode, self.lines())

    def lines(self) -> Iterator[bytes]:
        """Yield the JSON of every row."""
        return iter(self._lines)

    def heads(self) -> Iterator[RowHead]:
        """Yield every row without its texts and answers."""
        return map(_HEAD.decode, self.lines())

    def with_lines(self) -> Iterator[tuple[RowHead, bytes]]:
        """Yield every row without its texts and answers, and its JSON."""
        return ((_HEAD.decode(line), line) for line in self.lines())

    def texts(self) -> Iterator[RowTexts]:
        """Yield of every row what was asked and answered."""
        return map(_TEXTS.decode, self.lines())

    def chosen(self, wanted: Callable[[RowHead], bool]) -> Iterator[GroupRow]:
        """Yield the rows whose head is wanted; the others are not read whole."""
        for line in self.lines():
            if wanted(_HEAD.decode(line)):
                yield _ROW.decode(line)

    def without_secrets(self) -> PackedRows:
        """Return the rows as they are read again once they are written: secrets are gone.

        Raises:
            CannotJudge: the value of a secret is a word, or a figure, that results are made of.
        """
        return PackedRows(self._hidden()) if redaction.watching() else self

    def _hidden(self) -> Iterator[bytes]:
        for old, new in zip(self.lines(), redaction.hide_lines(self.lines()), strict=True):
            yield old if old == new else canonical(hidden_and_read(new, GroupRow))


_ROW = msgspec.json.Decoder(GroupRow)
_HEAD = msgspec.json.Decoder(RowHead)
_TEXTS = msgspec.json.Decoder(RowTexts)
_FIELDS = msgspec.json.Decoder(
    msgspec.defstruct(
        "RowFields",
        [
            (name, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET)
            for name in GroupRow.__struct_fields__
        ],
    )
)
"""A row's fields, in its order, each as JSON."""


OtherFields = Mapping[str, msgspec.Raw | msgspec.UnsetType]


def other_fields(**values: object) -> OtherFields:
    """Return values of fields as ``line_with`` takes them; None takes a field away."""
    return {
        name: msgspec.UNSET if value is None else msgspec.Raw(canonical(value))
        for name, value in values.items()
    }


def line_with(line: bytes, fields: OtherFields) -> bytes:
    """Return the JSON of a row with other values of some fields.

    The other fields are not read: this takes a third of the time of a row that is.
    """
    row = _FIELDS.decode(line)
    for name, told in fields.items():
        setattr(row, name, told)
    return canonical(row)


_RUN_SIZE = len(',"run":""}') + 32
_RUN = re.compile(rb',"run":"[0-9a-f]{32}"\}')
"""The end of the JSON of a row that names its run: no other field ends like it, since quotes in
texts are escaped, and after an object another brace follows."""


def line_of_run(line: bytes, run: str) -> bytes:
    """Return the JSON of a row as one of a run, in the place of the run that it is of, if any.

    It is the last field, so that nothing else is read: this takes half of the time of
    ``line_with``.

    Args:
        line: of a row.
        run: 32 hexadecimal digits.
    """
    end = -_RUN_SIZE if _RUN.match(line, max(0, len(line) - _RUN_SIZE)) else -1
    if end == -1 and b',"run":' in line:  # in an input, or in another form
        return line_with(line, other_fields(run=run))
    return b'%b,"run":"%b"}' % (line[:end], run.encode())


def row_of(line: bytes) -> GroupRow:
    """Return a row from its JSON."""
    return _ROW.decode(line)


def packed(rows: Iterable[GroupRow]) -> PackedRows:
    """Return rows packed, in their order; those that are packed already as they are."""
    return rows if isinstance(rows, PackedRows) else PackedRows(map(canonical, rows))


def chosen(
    rows: Iterable[GroupRow], wanted: Callable[[RowHead | GroupRow], bool]
) -> Iterator[GroupRow]:
    """Yield the rows that are wanted, without reading the others whole where they are packed."""
    return rows.chosen(wanted) if isinstance(rows, PackedRows) else filter(wanted, rows)


def heads(rows: Iterable[RowHead | GroupRow]) -> Iterator[RowHead | GroupRow]:
    """Yield what judging needs of every row."""
    return rows.heads() if isinstance(rows, PackedRows) else iter(rows)
