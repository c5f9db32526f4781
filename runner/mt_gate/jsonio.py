"""Reading and writing files that may be hostile, and must never be half written."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from mt_gate import files
from mt_gate.errors import CannotJudge

T = TypeVar("T")

MAX_LINE = 4 << 20
MAX_UNPACKED = 4 << 30


def canonical(value: object) -> bytes:
    """Return the one JSON text of a value: keys sorted, no blanks, UTF-8."""
    return msgspec.json.encode(value, order="deterministic")


def sha256_file(path: Path) -> str:
    """Return the hex digest of a file that is ours, or the user's word; links are followed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place if the block succeeds.

    The data are on the disk before the name changes, so that a killed process
    leaves the old file or the new one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_gzip_lines(path: Path, lines: Iterable[bytes]) -> str:
    """Write lines packed, the same bytes for the same lines; return their sha256.

    The digest is of the unpacked text: packers differ from machine to machine.
    """
    digest = hashlib.sha256()
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
        for line in lines:
            digest.update(line + b"\n")
            packed.write(line + b"\n")
    return digest.hexdigest()


def read_gzip_lines(path: Path, *, digest: str | None = None, cause: str) -> Iterator[bytes]:
    """Yield the lines of a packed file; check it against ``digest`` at its end.

    Args:
        path: gzip of UTF-8 lines.
        digest: sha256 of the unpacked text, hex; None to take what is there.
        cause: what to do, closing each message.

    Raises:
        CannotJudge: missing, truncated, not gzip, over-long, or other text than ``digest``.
    """
    found = hashlib.sha256()
    size = 0
    try:
        with files.opened(path, cause=cause) as raw, gzip.GzipFile(fileobj=raw) as file:
            while line := file.readline(MAX_LINE):
                size += len(line)
                if len(line) == MAX_LINE or size > MAX_UNPACKED:
                    raise CannotJudge(f"{path}: larger than a suite may be; {cause}")
                found.update(line)
                yield line.rstrip(b"\n")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CannotJudge(f"{path}: truncated or not gzip ({error}); {cause}") from None
    except OSError as error:
        raise CannotJudge(f"{path}: cannot be read ({error.strerror}); {cause}") from None
    if digest is not None and found.hexdigest() != digest:
        raise CannotJudge(
            f"{path}: sha256 of its text is {found.hexdigest()[:12]}..., expected "
            f"{digest[:12]}...; {cause}"
        )


def decode_json(data: bytes, kind: type[T], *, path: Path, cause: str) -> T:
    """Decode JSON into a record.

    Raises:
        CannotJudge: not JSON, or not of that form.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        found = "empty" if not data.strip() else f"not as expected: {error}"
        raise CannotJudge(f"{path}: {found}; {cause}") from None


def read_bytes(path: Path, *, limit: int, cause: str, inside: Path | None = None) -> bytes:
    """Read a whole regular file of bounded size, see ``files.read_whole``."""
    return files.read_whole(path, limit=limit, cause=cause, inside=inside)
