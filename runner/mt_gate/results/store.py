"""``result.json`` and ``groups.jsonl.gz`` on disk, each naming the other.

A result stores the digest of its rows, and each row the id of its run, which depends on the whole
result. So files of two runs that are mixed in one folder are never read as one run. This detects
accidents, not forgery: anybody who can write both files can write a whole run.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from mt_gate.base import interrupts, redaction
from mt_gate.base.errors import CannotJudge, MtGateError, reported
from mt_gate.base.jsonio import (
    HIDDEN_WORD,
    QUICK,
    canonical,
    decode_json,
    hidden_and_read,
    read_bytes,
    read_gzip_lines,
    readable,
    replacing,
    write_gzip_lines,
    write_whole,
)
from mt_gate.domain import Verdict
from mt_gate.results.result import FORMAT, Change, GroupRow, Result, RunMark, Timing


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


T = TypeVar("T")

RESULT, GROUPS = "result.json", "groups.jsonl.gz"
MAX_RESULT = 64 << 20
_CAUSE = "Run 'mt-gate run' again."
_UNTIMED = Timing()


def write_rows(folder: Path, result: Result, rows: Iterable[GroupRow]) -> Result:
    """Write ``groups.jsonl.gz``, whole or not at all; return the result with their digest.

    Before ``write_result``, callers may change only the ``timing`` of the returned result.

    Raises CannotJudge: a secret of the environment is a word that results are made of.
    """
    # The digest must match the file when it is read again, so hide secrets and replace
    # undecodable bytes of paths first.
    before, result = result, hidden_and_read(readable(result), Result)
    names = [(of.suite.name, *of.settings.relations) for of in (before, result)]
    if names[0] != names[1]:
        raise CannotJudge(HIDDEN_WORD)
    nonce = secrets.token_hex(16)
    own = _id(result, nonce)
    lines = (canonical(msgspec.structs.replace(row, run=own)) for row in rows)
    with replacing(folder / GROUPS) as temporary:
        digest = write_gzip_lines(temporary, lines, QUICK)
    mark = RunMark(id=own, nonce=nonce, rows_sha256=digest)
    return msgspec.structs.replace(result, run=mark)


def result_text(result: Result) -> str:
    """Return a result as indented JSON; ``result.json`` is the same in one line."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n"


def write_result(folder: Path, result: Result) -> None:
    """Write ``result.json``, whole or not at all; it is the last file of a run."""
    assert result.run is not None, "rows are written first"
    write_whole(folder / RESULT, readable(result))


def result_file(path: Path) -> Path:
    """Return the ``result.json`` that a path names: itself, or the one in that folder."""
    return path / RESULT if path.is_dir() else path


def read_result(path: Path) -> Result:
    """Read a ``result.json``.

    Raises CannotJudge: missing, of another format, not of the expected form, changed since it was
    written, or with other relations than its settings name.
    """
    if not os.path.lexists(path):
        folder = path.parent if path.name == RESULT else path
        what = f"{folder} has no {RESULT}" if folder.is_dir() else f"{folder} does not exist"
        below = sorted(folder.glob(f"*/{RESULT}"))[:1]
        here = f" (here: {below[0].parent})" if below else ""
        raise CannotJudge(f"{what}. Pass the output folder of a finished run{here}.")
    data = read_bytes(path, limit=MAX_RESULT, cause=_CAUSE)
    number = decode_json(data, dict[str, Any], path=path, cause=_CAUSE).get("format")
    if number != FORMAT or not isinstance(number, int):
        known = number if isinstance(number, int) and 0 <= number <= 10**6 else "unknown"
        newer = isinstance(known, int) and known > FORMAT
        advice = "Use a newer mt-gate." if newer else _CAUSE
        raise CannotJudge(f"{path} has result format {known}, this release has {FORMAT}. {advice}")
    result = decode_json(data, Result, path=path, cause=_CAUSE)
    if result.run is None:
        raise CannotJudge(f"{path} names no run. Expected a complete result. {_CAUSE}")
    if (own := _id(result, result.run.nonce)) != result.run.id:
        raise CannotJudge(
            f"{path} has run id {result.run.id[:12]}..., but its content has {own[:12]}... "
            f"The file was changed after it was written. {_CAUSE}"
        )
    ids = tuple(relation.id for relation in result.relations)
    if ids != result.settings.relations:
        raise CannotJudge(f"{path}: its relations differ from those in its settings. {_CAUSE}")
    return result


def read_all_rows(path: Path, result: Result) -> RowLines:
    """Return the rows in the folder of a ``result.json``; see ``read_rows``.

    Raises CannotJudge: as there; or a row that cannot be written again, such as one with a number
    that no run writes.
    """
    return shown(path, lambda: as_rows(read_rows(path, result)))


def read_rows(path: Path, result: Result) -> Iterator[GroupRow]:
    """Yield the rows in the folder of a ``result.json``; check their counts after the last one.

    Raises CannotJudge: missing, truncated, not of the expected form, of another run, or not those
    that the result counts.
    """
    assert result.run is not None, "read from a file"
    path = path.parent / GROUPS
    counts: dict[str, Counter[str]] = {relation.id: Counter() for relation in result.relations}
    decoder = msgspec.json.Decoder(GroupRow)
    for line in read_gzip_lines(path, digest=result.run.rows_sha256, cause=_CAUSE):
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(f"{path}: a row is invalid: {reported(error)}. {_CAUSE}") from None
        if row.run != result.run.id:
            raise CannotJudge(
                f"{path}: a row belongs to run {row.run[:12] or 'none'}..., but {RESULT} next to "
                f"it to run {result.run.id[:12]}... Both files must be of one run. {_CAUSE}"
            )
        if row.relation not in counts:
            raise CannotJudge(
                f"{path}: a row belongs to {row.relation}, which {RESULT} does not have. {_CAUSE}"
            )
        counted = counts[row.relation]
        counted[row.verdict] += 1
        counted["unstable"] += row.unstable
        if row.verdict is Verdict.NOT_APPLICABLE:
            counted[f"reason {row.reason}"] += 1
        counted.update(f"error {error.category.value}" for error in row.errors)
        yield row
    for relation in result.relations:
        counted, expected = counts[relation.id], Counter[str]()
        expected[Verdict.VIOLATED] = relation.violated
        expected[Verdict.SATISFIED] = relation.applicable - relation.violated
        expected[Verdict.NOT_APPLICABLE] = relation.groups - relation.applicable
        expected["unstable"] = relation.unstable
        expected.update({f"reason {name}": of for name, of in relation.not_applicable.items()})
        expected.update({f"error {name}": of for name, of in relation.errors.items()})
        for name in {**expected, **counted}:
            if counted[name] != expected[name]:
                raise CannotJudge(
                    f"{path}: {relation.id}: {counted[name]} cases are {name}, but {RESULT} "
                    f"counts {expected[name]}. {_CAUSE}"
                )


def shown(path: Path, write: Callable[[], T]) -> T:
    """Return what ``write`` returns for a stored run; report any crash as an invalid row.

    Writers rely on valid texts, spans and predictions, and no earlier check covers all of them.

    Raises CannotJudge: they are not.
    """
    try:
        return write()
    except (MtGateError, OSError, MemoryError):
        raise
    except Exception as error:
        if interrupts.came():  # an import may turn an interrupt into another exception
            raise
        raise CannotJudge(
            f"{path}: its rows are not what a run writes ({type(error).__name__}). {_CAUSE}"
        ) from None


def _id(result: Result, nonce: str) -> str:
    content = msgspec.structs.replace(result, run=None, timing=_UNTIMED)
    return hashlib.sha256(nonce.encode() + canonical(content)).hexdigest()[:32]
