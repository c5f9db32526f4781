"""Read corpus files, plain or gzip, with size limits and one-line errors."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, reported
from mt_gate.base.files import MAX_LINE

MAX_FILE = 1 << 30
"""Maximum bytes of a file, unpacked; five times TACRED's largest file."""
_CHECK = "Check --labels, --sources, --patch or the recipe's --data."


def content(path: Path) -> bytes:
    """Return a file's bytes, unpacked if its name ends in ``.gz``.

    Raises UsageError: the file does not exist. CannotJudge: it is unreadable, too large, truncated,
    or not gzip.
    """
    if not os.path.lexists(path):
        raise UsageError(f"{path} does not exist. {_CHECK}")
    try:
        with files.opened(path, cause=_CHECK) as raw:
            file = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
            data = file.read(MAX_FILE + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise CannotJudge(f"{path} is truncated or not gzip. Copy it again.") from None
    except OSError as error:
        raise CannotJudge(f"{path} cannot be read ({error.strerror}). {_CHECK}") from None
    if len(data) > MAX_FILE:
        raise CannotJudge(f"{path} is larger than {MAX_FILE} bytes unpacked. Split it.")
    return data


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line numbers, counted from 1, and lines.

    Raises UsageError: the file does not exist. CannotJudge: it is unreadable, too large, truncated,
    not gzip or not UTF-8, or has a line that is too long.
    """
    for number, line in enumerate(content(path).split(b"\n"), 1):
        if len(line) > MAX_LINE:
            raise CannotJudge(f"{path}: line {number} has over {MAX_LINE} bytes. Shorten it.")
        try:
            yield number, line.decode().rstrip("\r")
        except UnicodeDecodeError as error:
            raise CannotJudge(
                f"{path}: line {number} is not UTF-8 ({error.reason}). Save the file as UTF-8."
            ) from None


def decoded(path: Path, data: bytes, line: int = 0) -> Any:
    """Decode JSON to plain values; ``line`` is its line number, 0 for a whole file.

    Raises CannotJudge: it is not JSON.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        where = f" line {line}:" if line else ""
        raise CannotJudge(
            f"{path}:{where} not JSON ({reported(error)}). Fix it, or choose another --format."
        ) from None
