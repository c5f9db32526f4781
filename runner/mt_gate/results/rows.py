"""The rows of a run in memory, each as its line of JSON: a third of what it takes as an object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from mt_gate.base import redaction
from mt_gate.base.jsonio import canonical, hidden_and_read
from mt_gate.domain import Verdict
from mt_gate.results.result import Change, GroupRow, Result


class RowHead(msgspec.Struct, frozen=True, kw_only=True):
    """What judging needs of a row: all but its texts and answers; fields as in ``GroupRow``."""

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


class RowTexts(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs and predictions of a row, each as canonical JSON; unset if it was not."""

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


class RowLines:
    """RowLines that are decoded in each pass, as far as it needs them."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        """Take the canonical JSON of each row."""
        self.lines = [*lines]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.lines)

    def __iter__(self) -> Iterator[GroupRow]:
        """Yield every row."""
        return map(row_of, self.lines)

    def heads(self) -> Iterator[RowHead]:
        """Yield every row without its texts and answers."""
        return map(_HEAD.decode, self.lines)

    def texts(self) -> Iterator[RowTexts]:
        """Yield the inputs and predictions of every row."""
        return map(_TEXTS.decode, self.lines)

    def chosen(self, wanted: Callable[[RowHead], bool]) -> Iterator[GroupRow]:
        """Yield the rows whose head is wanted; the others are not read whole."""
        return (row_of(line) for line in self.lines if wanted(_HEAD.decode(line)))

    def without_secrets(self) -> RowLines:
        """Return the rows as they are read again once they are written: secrets are gone.

        Raises CannotJudge: the value of a secret is a word, or a figure, that results are made of.
        """
        if not redaction.watching():
            return self
        hidden = zip(self.lines, redaction.hide_lines(self.lines), strict=True)
        return RowLines(
            old if old == new else canonical(hidden_and_read(new, GroupRow)) for old, new in hidden
        )


class Run(NamedTuple):
    """A result and its rows. There may be any number of passes over the rows."""

    result: Result
    rows: RowLines | Sequence[GroupRow]


row_of = msgspec.json.Decoder(GroupRow).decode
"""Returns a row from its JSON."""
_HEAD = msgspec.json.Decoder(RowHead)
_TEXTS = msgspec.json.Decoder(RowTexts)


def as_rows(rows: Iterable[GroupRow]) -> RowLines:
    """Return rows as lines, in their order; those that are so already as they are."""
    return rows if isinstance(rows, RowLines) else RowLines(map(canonical, rows))


def chosen(
    rows: Iterable[GroupRow], wanted: Callable[[RowHead | GroupRow], bool]
) -> Iterator[GroupRow]:
    """Yield the rows that are wanted, without reading the others whole where they are lines."""
    return rows.chosen(wanted) if isinstance(rows, RowLines) else filter(wanted, rows)


def heads(rows: Iterable[RowHead | GroupRow]) -> Iterator[RowHead | GroupRow]:
    """Yield what judging needs of every row."""
    return rows.heads() if isinstance(rows, RowLines) else iter(rows)
