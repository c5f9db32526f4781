"""The rows of a run in memory, and the folder of its reports, which one run at a time may write.

A result stores the digest of its rows, and each row the id of its run, which depends on the whole
result. So files of two runs that are mixed in one folder are never read as one run. This detects
accidents, not forgery: anybody who can write both files can write a whole run. New reports are
written to a hidden folder and then replace the old ones together. A run that fails leaves the old
reports untouched.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from mt_gate.base import escaping, interrupts
from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, reported
from mt_gate.base.files import (
    HIDDEN_WORD,
    QUICK,
    canonical,
    decode_json,
    hidden_and_read,
    read_gzip_lines,
    read_whole,
    readable,
    remove_stale,
    replacing,
    write_gzip_lines,
    write_whole,
)
from mt_gate.domain import Verdict
from mt_gate.results.result import (
    FORMAT,
    Change,
    GroupRow,
    Overall,
    RelationResult,
    Result,
    RunMark,
    Timing,
)


class _RowKey(msgspec.Struct, frozen=True, kw_only=True):
    relation: str
    source_id: str
    cluster: str = ""

    @property
    def cluster_key(self) -> str:
        """As ``GroupRow.cluster_key``."""
        return self.cluster or self.source_id


class RowHead(_RowKey, frozen=True, kw_only=True):
    """The part of a row for judging: ``GroupRow`` without texts and predictions."""

    id: str
    verdict: Verdict
    reason: str = ""
    bound: bool = False
    unstable: bool = False
    margin: float | None = None
    change: Change | None = None
    slices: tuple[str, ...] = ()
    before: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class RowTexts(_RowKey, frozen=True, kw_only=True):
    """The inputs and predictions of a row, each as canonical JSON; unset if the row lacks them."""

    source: msgspec.Raw
    source_output: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    follow_up: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    follow_up_output: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    second: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    second_output: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True)
class RowLines:
    """The canonical JSON of rows; each pass decodes it as far as it needs."""

    lines: Sequence[bytes]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.lines)

    def __iter__(self) -> Iterator[GroupRow]:
        """Yield every row."""
        return map(row_of, self.lines)

    def texts(self) -> Iterator[RowTexts]:
        """Yield the inputs and predictions of every row."""
        return map(_TEXTS.decode, self.lines)

    def without_secrets(self) -> RowLines:
        """Return the rows without secrets, exactly as they are read again from the written file.

        Raises CannotJudge: a secret's value is also a word or a number of the rows.
        """
        hidden = zip(self.lines, escaping.hide_lines(self.lines), strict=True)
        return RowLines(
            [
                old if old == new else canonical(hidden_and_read(new, GroupRow))
                for old, new in hidden
            ]
        )


class Run(NamedTuple):
    """A result and its rows. There may be any number of passes over the rows."""

    result: Result
    rows: RowLines | Sequence[GroupRow]


row_of = msgspec.json.Decoder(GroupRow).decode
"""Decodes a row from its JSON."""
_HEAD = msgspec.json.Decoder(RowHead)
_TEXTS = msgspec.json.Decoder(RowTexts)


def as_rows(rows: Iterable[GroupRow]) -> RowLines:
    """Encode rows as lines, in their order; ``RowLines`` are returned unchanged."""
    return rows if isinstance(rows, RowLines) else RowLines([*map(canonical, rows)])


def chosen(
    rows: Iterable[GroupRow], wanted: Callable[[RowHead | GroupRow], bool]
) -> Iterator[GroupRow]:
    """Yield the wanted rows; if rows are lines, decode only the heads of the others."""
    if isinstance(rows, RowLines):
        return (row_of(line) for line in rows.lines if wanted(_HEAD.decode(line)))
    return filter(wanted, rows)


def heads(rows: Iterable[RowHead | GroupRow]) -> Iterator[RowHead | GroupRow]:
    """Yield the fields of every row that judging needs."""
    return map(_HEAD.decode, rows.lines) if isinstance(rows, RowLines) else iter(rows)


T = TypeVar("T")

RESULT, GROUPS = "result.json", "groups.jsonl.gz"
MAX_RESULT = 64 << 20
_CAUSE = "Run 'mt-gate run' again."
_UNTIMED = Timing()


def write_rows(folder: Path, result: Result, rows: Iterable[GroupRow]) -> Result:
    """Write ``groups.jsonl.gz``, whole or not at all; return the result with their digest.

    Before ``write_result``, callers may change only the ``timing`` of the returned result.

    Raises CannotJudge: a secret's value is also a word of the result, see ``HIDDEN_WORD``.
    """
    # The digest must match the file when it is read again, so hide secrets and replace
    # undecodable bytes of paths first.
    before, result = result, hidden_and_read(readable(result), Result)
    names = [(version.suite.name, *version.settings.relations) for version in (before, result)]
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
    written, with other relations than its settings name, or with contradictory counts.
    """
    if not os.path.lexists(path):
        folder = path.parent if path.name == RESULT else path
        what = f"{folder} has no {RESULT}" if folder.is_dir() else f"{folder} does not exist"
        below = sorted(folder.glob(f"*/{RESULT}"))[:1]
        here = f" (here: {below[0].parent})" if below else ""
        raise CannotJudge(f"{what}. Pass the output folder of a finished run{here}.")
    data = read_whole(path, limit=MAX_RESULT, cause=_CAUSE)
    number = decode_json(data, dict[str, Any], path=path, cause=_CAUSE).get("format")
    if number != FORMAT or not isinstance(number, int):
        known = number if isinstance(number, int) and 0 <= number <= 10**6 else "unknown"
        newer = isinstance(known, int) and known > FORMAT
        advice = "Use a newer mt-gate." if newer else _CAUSE
        raise CannotJudge(
            f"{path} has result format {known}, but this release reads {FORMAT}. {advice}"
        )
    result = decode_json(data, Result, path=path, cause=_CAUSE)
    if result.run is None:
        raise CannotJudge(f"{path} has no run id. Expected a complete result. {_CAUSE}")
    if (own := _id(result, result.run.nonce)) != result.run.id:
        raise CannotJudge(
            f"{path} has run id {result.run.id[:12]}..., but its content has {own[:12]}... "
            f"The file was changed after it was written. {_CAUSE}"
        )
    ids = tuple(relation.id for relation in result.relations)
    if ids != result.settings.relations:
        raise CannotJudge(f"{path}: its relations differ from those of its settings. {_CAUSE}")
    parts: list[Overall | RelationResult] = [result.overall, *result.relations]
    if any(part.violated > part.applicable for part in parts):
        raise CannotJudge(f"{path} counts more violated cases than testable ones. {_CAUSE}")
    return result


def read_all_rows(path: Path, result: Result) -> RowLines:
    """Return the rows in the folder of a ``result.json``; see ``read_rows``.

    Raises CannotJudge: as ``read_rows``; or a row cannot be encoded again, for example because of a
    number that no run writes.
    """
    return shown(path, lambda: as_rows(read_rows(path, result)))


def read_rows(path: Path, result: Result) -> Iterator[GroupRow]:
    """Yield the rows in the folder of a ``result.json``.

    Raises CannotJudge: missing, truncated, not of the expected form, or of another run.
    """
    assert result.run is not None, "read from a file"
    path = path.parent / GROUPS
    relations = {relation.id for relation in result.relations}
    decoder = msgspec.json.Decoder(GroupRow)
    for line in read_gzip_lines(path, digest=result.run.rows_sha256, cause=_CAUSE):
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(f"{path} has an invalid row ({reported(error)}). {_CAUSE}") from None
        if row.run != result.run.id:
            raise CannotJudge(
                f"{path} has a row of run {row.run[:12] or 'none'}..., but {RESULT} "
                f"next to it is of run {result.run.id[:12]}... Both must be of one run. {_CAUSE}"
            )
        if row.relation not in relations:
            raise CannotJudge(
                f"{path} has a row of {row.relation}, which {RESULT} does not have. {_CAUSE}"
            )
        yield row


def shown(path: Path, write: Callable[[], T]) -> T:
    """Return what ``write`` returns for a stored run; report any crash as an invalid row.

    Writers rely on valid texts, spans and predictions, and no earlier check covers all of them.

    Raises CannotJudge: a row is invalid.
    """
    try:
        return write()
    except (MtGateError, OSError, MemoryError):
        raise
    except Exception as error:
        if interrupts.came():  # an import may turn an interrupt into another exception
            raise
        raise CannotJudge(
            f"{path} has rows that mt-gate did not write ({type(error).__name__}). {_CAUSE}"
        ) from None


def _id(result: Result, nonce: str) -> str:
    content = msgspec.structs.replace(result, run=None, timing=_UNTIMED)
    return hashlib.sha256(nonce.encode() + canonical(content)).hexdigest()[:32]


NAMES = (RESULT, GROUPS, "junit.xml", "report.html", "summary.md")
"""The files that a run writes."""
SHARD, ANSWERS = "shard.json", "answers.jsonl.gz"
"""The files that a shard of a run writes instead of ``NAMES``."""
_OLD = (*NAMES, SHARD, ANSWERS)
BASE = "base"
"""The subfolder with the reports of a baseline that was run in the same job."""
_NEW = ".mt-gate-new"
"""The subfolder that holds new reports until the last of them is written."""
OF_BASE = "the base of a comparison in the same job"
"""A note that only the result in ``BASE`` has; the result of a separate run does not have it."""


class _Notes(msgspec.Struct):
    notes: tuple[str, ...] = ()


def replaceable(out: Path) -> list[Path]:
    """Return the files of an earlier run's reports. Raises UsageError: they cannot be replaced."""
    old = [out / name for name in _OLD if os.path.lexists(out / name)]
    if old and out.is_symlink():
        raise UsageError(
            f"--out {out} is a link to a folder with reports of an earlier run. mt-gate does not "
            "remove reports through a link. Name the folder itself."
        )
    for path in old:
        if not stat.S_ISREG(mode := path.lstat().st_mode) and not stat.S_ISLNK(mode):
            raise UsageError(f"--out {out}: {path.name} is not a file. Choose another folder.")
    return old


def remove_reports(out: Path) -> None:
    """Remove an earlier run's reports, including half-written ones; UsageError if that fails."""
    if not os.path.isdir(out):
        return
    try:
        for path in replaceable(out):
            path.unlink()  # removes a link instead of its target, as a run would replace the link
        for name in _OLD:
            remove_stale(out / name)
    except OSError as error:
        raise UsageError(
            f"--out {out}: reports of an earlier run cannot be removed ({error.strerror}). "
            "Choose another folder."
        ) from None


def _remove_all(out: Path, keep: Path | None = None) -> None:
    """Remove the reports of an earlier run and of its base; ``BASE`` may be an unrelated run."""
    remove_reports(out)
    base = out / BASE
    if not base.exists() or (keep is not None and same_folder(base, keep)):
        return
    try:
        data = read_whole(base / RESULT, limit=MAX_RESULT, cause=_CAUSE)
        notes = decode_json(data, _Notes, path=base / RESULT, cause=_CAUSE).notes
    except CannotJudge:  # no result of mt-gate
        return
    if OF_BASE in notes:
        remove_reports(base)
        with suppress(OSError):  # the folder has other files
            base.rmdir()


def check_writable(out: Path, named: str = "") -> None:
    """Raise UsageError if a folder could not be written; the message calls it ``named``."""
    folder = out
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    try:
        if not folder.is_dir():
            there = os.path.exists(folder)
            why = "not a folder" if there else "a broken link"
            raise NotADirectoryError(20, why, str(folder))
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"{named or f'--out {out}'} cannot be written ({error.strerror}: {folder}). "
            "Choose another folder."
        ) from None


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Lock the folder for this process; make it if needed, and remove it again if it stays empty.

    The lock is on the folder itself, so it ends with the process and leaves no file.

    Raises UsageError: another run has the lock, or the folder cannot be made.
    """
    made = [folder for folder in (out, *out.parents) if not os.path.exists(folder)]
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"--out {out} cannot be written ({error.strerror}). Choose another folder."
        ) from None
    try:
        # A file system may have no locks. Then reading still rejects a mixture of two runs.
        with suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                made.clear()
                raise UsageError(
                    f"--out {out} is in use by another mt-gate. Wait, or choose another folder."
                ) from None
        yield
    finally:
        for folder in made:
            with suppress(OSError):  # the folder is not empty, or was not made
                folder.rmdir()
        os.close(handle)


@contextmanager
def reserved(out: Path) -> Iterator[None]:
    """Lock the folder for new reports; those of an earlier run stay until ``renewed`` ends."""
    with locked(out):
        _remove_ours(out / _NEW)
        replaceable(out)
        yield


@contextmanager
def emptied(out: Path) -> Iterator[None]:
    """Lock the folder, and remove the reports of an earlier run before the block."""
    with reserved(out):
        _remove_all(out)
        yield


@contextmanager
def renewed(out: Path, keep: Path | None = None) -> Iterator[Path]:
    """Yield a folder for new reports, which replace those in ``out`` after the block.

    If the block fails, or the process is killed, the old reports stay complete. ``keep`` is the
    folder of the reports that the block reads. If that is ``out``, its reports stay until new ones
    replace them. Raises UsageError: as ``remove_reports``.
    """
    replaceable(out)
    new = out / _NEW
    _remove_ours(new)
    new.mkdir()
    try:
        yield new
        if keep is None or not same_folder(out, keep):
            # Remove the old result first: a folder without a result is never read as a run.
            _remove_all(out, keep)
        last = (GROUPS, RESULT, ANSWERS, SHARD)
        if (new / BASE / RESULT).exists():
            (out / BASE).mkdir(exist_ok=True)
        for below in (BASE, ""):
            for name in (*(name for name in NAMES if name not in last), *last):
                if (new / below / name).exists():
                    (new / below / name).replace(out / below / name)
    finally:
        _remove_ours(new)


def _remove_ours(folder: Path) -> None:
    with suppress(OSError):
        if folder.is_symlink():
            folder.unlink()
        elif folder.is_dir():
            shutil.rmtree(folder)


def check_unlinked(place: Path) -> None:
    """Reject a path in the working folder that goes through a link.

    A pull request's checkout may contain the link, and files would be written outside the checkout.

    Raises CannotJudge: the path goes through a link.
    """
    here = os.getcwd()
    named = os.path.normpath(os.path.join(here, place))
    if Path(named).is_relative_to(here) and os.path.realpath(named) != named:
        raise CannotJudge(
            f"{place}: the path has a link, which the pull request may have added. Choose a path "
            "without links."
        )


def same_folder(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same folder."""
    with suppress(OSError):
        return one.samefile(other)
    return False
