"""Reading and writing files that may be hostile, and must never be half written."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gzip
import hashlib
import json
import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from mt_gate.base import files, redaction
from mt_gate.base.errors import CannotJudge, page, reported

_CANONICAL = msgspec.json.Encoder(order="deterministic")

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)

MAX_LINE = 4 << 20
MAX_LINES = 1_000_000
MAX_UNPACKED = 1 << 30
"""Bytes of a packed file's text."""
MAX_RATIO = 100
"""Unpacked size divided by packed size, if the text exceeds ``FREE`` bytes; JSON lines reach 10."""
FREE = 64 << 20
HIDDEN_WORD = (
    "A secret in the environment has a value that is also a word of the results, so that "
    "hiding it would hide that word. Rename the variable so that it does not look like a "
    f"secret, or unset it: {page('action', 'secrets')}"
)
SMALL, QUICK = 6, 3
"""Levels of zlib: for what a repository keeps, and for what each run writes again, which takes a
third to a half of the time and comes out a tenth to a quarter larger."""
_TRAILER = 4
"""Bytes at the end of gzip that say how many bytes it unpacks to."""


def canonical(value: object) -> bytes:
    """Return the one JSON text of a value: keys sorted, no spaces, UTF-8."""
    return _CANONICAL.encode(value)


def readable(value: object) -> bytes:
    """Return JSON for people to read: indented, a line break at its end.

    A path's undecodable byte becomes a question mark.
    """
    try:
        text = msgspec.json.encode(value)
    except UnicodeEncodeError:
        plain = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        text = plain.encode("utf-8", "replace")
    return msgspec.json.format(text, indent=2) + b"\n"


def without_secrets(records: Iterable[S]) -> list[S]:
    """Return records as they are read again once they are written: secrets are gone.

    What reports are made of: a text that was cut, or its blanks taken together, is not found any
    more when a report is written.

    Raises CannotJudge: the value of a secret is a word, or a figure, that results are made of.
    """
    originals = list(records)
    if not redaction.watching():
        return originals
    texts = [canonical(record) for record in originals]
    hidden = redaction.hide_lines(texts)
    return [
        record if old == new else hidden_and_read(new, type(record))
        for record, old, new in zip(originals, texts, hidden, strict=True)
    ]


def hidden_and_read(text: bytes, kind: type[T]) -> T:
    """Return the record of a JSON text without secrets.

    Raises CannotJudge: see ``without_secrets``.
    """
    try:
        return msgspec.json.decode(redaction.hide_bytes(text), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CannotJudge(HIDDEN_WORD) from None


def sha256_file(path: Path) -> str:
    """Return the hex digest of a file that is ours, or the user's word; links are followed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a text, whole or not at all, without the values of secrets; its folder is made.

    What UTF-8 has no bytes for becomes a visible escape. Raises OSError: the old file is as it was.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with replacing(path) as temporary:
        temporary.write_bytes(redaction.hide_bytes(data))


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path next to ``path`` that takes its place if the block succeeds.

    The data are on the disk before the name changes, so that a killed process leaves the old file
    or the new one, and a temporary one next to it: who writes there next takes that away.

    Raises OSError: of ``path``: it cannot be written.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        gone = path.is_symlink() and files.has_no_data(Path(os.path.realpath(path.parent)))
        if gone or (path.exists() and not path.is_file()):  # a device would be replaced, too
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        remove_stale(path)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "rb") as mine:
            with contextlib.suppress(OSError):  # not every network folder has locks
                fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield temporary
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)
            temporary.replace(path)
    except OSError as error:
        # The name that the user knows, not the temporary one.
        if temporary is None or error.filename in (str(temporary), None):
            error.filename = str(path)
        raise
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def remove_stale(path: Path) -> None:
    """Take away what killed runs left; who still writes holds a lock."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}")
    for entry in os.scandir(path.parent):
        if not name.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
            continue
        with contextlib.suppress(OSError):
            handle = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(entry.path)
            finally:
                os.close(handle)


def write_gzip_lines(path: Path, lines: Iterable[bytes], level: int = SMALL) -> str:
    """Write lines packed, the same bytes for the same lines; return their sha256.

    The digest is of the unpacked text: packers differ from machine to machine. Values of secrets
    are left out. ``level`` is ``SMALL`` or ``QUICK``.
    """
    digest = hashlib.sha256()
    with path.open("wb") as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as packed:
        for line in redaction.hide_lines(lines):
            text = line + b"\n"
            digest.update(text)
            packed.write(text)
    return digest.hexdigest()


def read_gzip_lines(
    path: Path,
    *,
    digest: str | None = None,
    cause: str,
    most_bytes: int = MAX_UNPACKED,
    exact: int | None = None,
) -> Iterator[bytes]:
    """Yield the lines of a packed file; check it against ``digest``, if one is given, at its end.

    ``exact`` is the number of lines that its metadata states. Nothing is unpacked of a file that
    says itself that it unpacks to more than it may. Raises CannotJudge: missing, truncated, not
    gzip, out of bounds, or other text than ``digest``.
    """
    hasher, size, number = hashlib.sha256(), 0, 0
    most_lines = MAX_LINES if exact is None else exact

    def refusal(fault: str) -> CannotJudge:
        return CannotJudge(f"{path}: {fault}. {cause}")

    try:
        with files.opened(path, cause=cause) as raw, gzip.GzipFile(fileobj=raw) as file:
            packed = os.fstat(raw.fileno()).st_size
            most = min(most_bytes, max(FREE, MAX_RATIO * packed))
            if packed >= _TRAILER:
                raw.seek(-_TRAILER, os.SEEK_END)
                stated = int.from_bytes(raw.read(_TRAILER), "little")
                raw.seek(0)
                if stated > most:
                    raise refusal(f"truncated, or unpacks to {stated} bytes, limit {most}")
            while line := file.readline(MAX_LINE):
                size, number = size + len(line), number + 1
                hasher.update(line)
                text = line.removesuffix(b"\n")
                if size > most:
                    raise refusal(f"unpacks to {size} bytes or more, limit {most}")
                if len(text) >= MAX_LINE:
                    raise refusal(f"line {number} has {MAX_LINE} bytes or more")
                if number > most_lines:
                    wanted = "no more" if exact is None else "as many as its metadata states"
                    raise refusal(f"more than {most_lines} lines, expected {wanted}")
                yield text
            if exact not in (None, number):
                raise refusal(f"{number} lines, its metadata states {exact}")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise CannotJudge(f"{path} is truncated or not gzip. {cause}") from None
    except OSError as error:
        raise CannotJudge(f"{path} cannot be read ({error.strerror}). {cause}") from None
    if digest is not None and hasher.hexdigest() != digest:
        raise CannotJudge(
            f"{path}: the sha256 of its text is {hasher.hexdigest()[:12]}..., expected "
            f"{digest[:12]}... {cause}"
        )


def decode_json(data: bytes, kind: type[T], *, path: Path, cause: str) -> T:
    """Decode JSON into a record. Raises CannotJudge: not JSON, or not of that form."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fault = "empty" if not data.strip() else f"not as expected: {reported(error)}"
        raise CannotJudge(f"{path}: {fault}. {cause}") from None


def read_bytes(path: Path, *, limit: int, cause: str, inside: Path | None = None) -> bytes:
    """Read a whole regular file of bounded size, see ``files.read_whole``."""
    return files.read_whole(path, limit=limit, cause=cause, inside=inside)
