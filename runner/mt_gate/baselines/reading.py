"""Reading a baseline as untrusted text.

What is read is checked against its own digest: a hand edit or a bad merge is found, and is a
named reason not to judge, never a pass.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, quoted, reported
from mt_gate.baselines.schema import (
    FORMAT,
    NAME,
    RECORD,
    Baseline,
    digest_of,
)

MAX_BYTES = 64 * 1024 * 1024
"""A larger file is refused unread; 5,000 groups take about 180 KB in each run, the anchor's too."""


NEW_GATE = "New gate"
"""How the note begins on a pull request whose base has no gate to compare with."""


class BaselineSource(NamedTuple):
    """What stands in for a baseline's file, and what is to be told of it.

    ``data`` is the file's text, read from ``commit``; with None the file itself is
    read. ``notes`` are sentences for the result. ``outputs`` is the file of answers of the
    same commit, packed, as far as there is one. ``against`` names what was run in the same job,
    if it is no stored baseline at all.
    """

    data: bytes | None = None
    commit: str = ""
    notes: tuple[str, ...] = ()
    outputs: bytes | None = None
    against: str = ""


class _Mark(msgspec.Struct):
    """What tells a baseline, and its format, before the rest is looked at."""

    format: int
    name: msgspec.Raw


def read_baseline(path: str | Path) -> Baseline:
    """Read and check a baseline file.

    Raises:
        CannotJudge: it is missing, unreadable, too large, not a baseline, of
            another format, or changed since it was recorded.
    """
    return parse_baseline(_read_bytes(path), path)


def parse_baseline(data: bytes, path: str | Path) -> Baseline:
    """Decode and check a baseline's text.

    Args:
        data: UTF-8.
        path: where it was read, for messages only.

    Raises:
        CannotJudge: it is empty, too large, not a baseline, of another format, changed since
            it was recorded, or of other relations than its settings name.
    """
    baseline = decode(data, path)
    if (found := digest_of(data)) != baseline.sha256:
        raise CannotJudge(
            f"{path}: sha256 of its content is {found[:12]}..., it says "
            f"{baseline.sha256[:12] or 'nothing'}...; edited or badly merged, {RECORD}"
        )
    return check(msgspec.structs.replace(baseline, sha256=""), path)


def decode(data: bytes, path: str | Path) -> Baseline:
    """Return a baseline whose digest is not checked yet, its figures within their bounds."""
    if len(data) > MAX_BYTES:
        raise CannotJudge(f"{path}: larger than {MAX_BYTES} bytes, no baseline; {RECORD}")
    if not data.strip():
        raise CannotJudge(f"{path}: empty, expected a baseline; {RECORD}")
    try:
        mark = msgspec.json.decode(data, type=_Mark)
        if mark.format != FORMAT:
            raise CannotJudge(
                f"{path}: baseline format {mark.format}, this release reads {FORMAT}; "
                + ("update mt-gate" if mark.format > FORMAT else RECORD)
            )
        # Its unknown fields, too: a key that is no UTF-8 has no digest.
        msgspec.json.decode(data)
        return msgspec.json.decode(data, type=Baseline)
    except msgspec.ValidationError as error:
        raise CannotJudge(f"{path}: not a baseline ({reported(error)}); {RECORD}") from None
    except (msgspec.DecodeError, UnicodeError, OverflowError) as error:
        found = f"broken or cut off, not JSON ({reported(error)})"
        raise CannotJudge(f"{path}: {found}; {RECORD}") from None
    except RecursionError:
        raise CannotJudge(f"{path}: nested too deeply to be a baseline; {RECORD}") from None


def check(baseline: Baseline, path: str | Path) -> Baseline:
    """Return a baseline whose runs have the relations that its settings name.

    Raises:
        CannotJudge: they have others, or its name is no plain file name.
    """
    if not NAME.fullmatch(baseline.name):
        raise CannotJudge(f"{path}: name {quoted(baseline.name)}, expected a plain file name")
    for run in baseline.runs:
        if tuple(relation.id for relation in run.relations) != baseline.settings.relations:
            raise CannotJudge(f"{path}: relations other than its settings name; {RECORD}")
    return baseline


def _first(path: str | Path) -> str:
    """Say how the first baseline of that name comes about: of a run that is judged by none."""
    return (
        "record one: mt-gate run without --baseline, then mt-gate baseline record its --out folder "
        f"with --name {shlex.quote(Path(path).stem)}, and commit what it writes"
    )


def _read_bytes(path: str | Path) -> bytes:
    there = os.path.lexists(path)
    advice = RECORD if there else _first(path)
    return files.read_whole(Path(path), limit=MAX_BYTES, cause=f"expected a baseline; {advice}")
