"""The lines that a command reads and writes; docs/systems.md is their description."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, quoted

SHOWN = 120
"""Characters of a line that a message quotes."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Fingerprint = Annotated[str, msgspec.Meta(max_length=200)]
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Identity(msgspec.Struct, frozen=True):
    """Who a command says it is; without a fingerprint its answers may change between runs."""

    name: Name
    fingerprint: Fingerprint = ""


class EntityReply(NamedTuple):
    """The entities of request ``id``: start, end, label."""

    id: int
    entities: list[tuple[int, int, str]]


class _Line(msgspec.Struct):
    id: Number | None = None
    entities: list[tuple[Number, Number, str]] | None = None
    system: Identity | None = None


def request(number: int, text: str) -> bytes:
    """Return the line that asks for the entities of ``text``."""
    return msgspec.json.encode({"id": number, "text": text}) + b"\n"


def read_line(line: bytes, command: str) -> Identity | EntityReply:
    """Read one line of a command's output.

    Raises:
        CannotJudge: not JSON, or neither an answer nor a word on who it is.
    """
    try:
        read = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unfit(command, line, f" ({error})") from None
    if read.system is not None and read.id is None and read.entities is None:
        return read.system
    if read.id is None or read.entities is None or read.system is not None:
        raise _unfit(command, line, "")
    return EntityReply(read.id, read.entities)


def _unfit(command: str, line: bytes, why: str) -> CannotJudge:
    shown = quoted(line.decode("utf-8", "replace"), SHOWN)
    return CannotJudge(
        f"{command}: wrote {shown}{why}; expected a line "
        '{"id": n, "entities": [[start, end, label], ...]}; '
        "write nothing else to standard output (docs/systems.md)"
    )


_DECODER = msgspec.json.Decoder(_Line)
