"""``result.json`` and ``groups.jsonl.gz`` on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.errors import CannotJudge, reported
from mt_gate.jsonio import (
    canonical,
    decode_json,
    read_bytes,
    read_gzip_lines,
    readable,
    replacing,
    write_gzip_lines,
    write_whole,
)
from mt_gate.result import FORMAT, GroupRow, Result

RESULT, GROUPS = "result.json", "groups.jsonl.gz"
MAX_RESULT = 64 << 20
_CAUSE = "run 'mt-gate run' again"


def write_result(folder: Path, result: Result) -> None:
    """Write ``result.json``, whole or not at all."""
    write_whole(folder / RESULT, readable(result))


def write_rows(folder: Path, rows: list[GroupRow]) -> None:
    """Write ``groups.jsonl.gz``, whole or not at all."""
    with replacing(folder / GROUPS) as temporary:
        write_gzip_lines(temporary, map(canonical, rows))


def result_file(path: Path) -> Path:
    """Return the ``result.json`` that a path names: itself, or the one in that folder."""
    return path / RESULT if path.is_dir() else path


def read_result(path: Path) -> Result:
    """Read a ``result.json``.

    Raises:
        CannotJudge: missing, of a later format, or not of the expected form.
    """
    data = read_bytes(path, limit=MAX_RESULT, cause=_CAUSE)
    found = decode_json(data, dict[str, Any], path=path, cause=_CAUSE).get("format")
    if isinstance(found, int) and found > FORMAT:
        raise CannotJudge(
            f"{path}: result format {found}, this release reads up to {FORMAT}; use a newer mt-gate"
        )
    return decode_json(data, Result, path=path, cause=_CAUSE)


def read_rows(result_path: Path) -> Iterator[GroupRow]:
    """Yield the groups that stand beside a ``result.json``.

    Raises:
        CannotJudge: missing, truncated, or not of the expected form.
    """
    path = result_path.parent / GROUPS
    decoder = msgspec.json.Decoder(GroupRow)
    for line in read_gzip_lines(path, cause=_CAUSE):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(
                f"{path}: a row is not as expected: {reported(error)}; {_CAUSE}"
            ) from None
