"""Files of labels as JSON lines, plain or packed, of bounded size."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.base.jsonio import MAX_LINE, MAX_LINES, read_bytes, read_gzip_lines

T = TypeVar("T")

MAX_LABELS = 256 << 20
"""Bytes of a file's text, unpacked."""


def decoded_lines(path: Path, kind: type[T], *, cause: str) -> Iterator[tuple[int, T]]:
    """Yield the number, counted from 1, and the record of each line that is not blank.

    Args:
        path: JSON lines; gzip where its name ends in ``.gz``.
        kind: what a line is decoded to.
        cause: what was expected and what to do, closing each message.

    Raises:
        CannotJudge: missing, too large, or a line of another form.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(_lines(path, cause), 1):
        if number > MAX_LINES:
            raise CannotJudge(f"{path}: more than {MAX_LINES} lines, empty ones counted; {cause}")
        if not line.strip():
            continue
        try:
            yield number, decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(f"{path}: line {number}: {reported(error)}; {cause}") from None


def _lines(path: Path, cause: str) -> Iterable[bytes]:
    if path.suffix == ".gz":
        return _unpacked(path, cause)
    data = read_bytes(path, limit=MAX_LABELS, cause=cause).removeprefix(codecs.BOM_UTF8)
    return _split(path, data, cause)


def _split(path: Path, data: bytes, cause: str) -> Iterator[bytes]:
    """Yield lines one by one: a list of empty ones would take many times the file."""
    for line in io.BytesIO(data):
        if len(line) > MAX_LINE:
            raise CannotJudge(f"{path}: a line has more than {MAX_LINE} bytes; {cause}")
        yield line


def _unpacked(path: Path, cause: str) -> Iterator[bytes]:
    size = 0
    for line in read_gzip_lines(path, cause=cause):
        size += len(line) + 1
        if size > MAX_LABELS:
            raise CannotJudge(
                f"{path}: more than {MAX_LABELS} bytes unpacked, as many expected at most; {cause}"
            )
        yield line
