"""The digest of what a baseline says, worked out a list at a time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import msgspec

from mt_gate.base.jsonio import canonical
from mt_gate.base.mapped_arrays import let_go

_WHOLE = 1 << 16
"""Bytes of JSON that are read at once."""
_AT_ONCE = 1 << 20
_LEVELS = 7
"""How deep the longest lists lie: in an anchor's runs, of one of them a relation's, by reason."""
_BEGINNING = 64
"""Bytes of a longer text that tell what it is."""

_IDS = re.compile(
    rb'S*+\[S*+"[0-9a-f]{16}"(?:S*+,S*+"[0-9a-f]{16}")*+S*+\]S*+'.replace(b"S", rb"[ \t\r\n]")
)
"""A list of ids that are numbers, as most lists are."""
_SPACE = b" \t\r\n"


def digest_of(data: bytes | memoryview) -> str:
    """Return the sha256 of what a baseline's text says, whatever it says of that itself.

    It is of the canonical JSON of its value: line ends do not count, nor does the order of fields.

    Args:
        data: JSON of an object.
    """
    members = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    digest = hashlib.sha256()
    content = {name: of for name, of in members.items() if name != "sha256"}
    for part in _of_object(content, _LEVELS):
        digest.update(part)
    return digest.hexdigest()


def _of_object(members: dict[str, msgspec.Raw], levels: int) -> Iterator[bytes]:
    yield b"{"
    for at, name in enumerate(sorted(members)):
        yield b"," * (at > 0) + canonical(name) + b":"
        yield from _of(members[name], levels)
    yield b"}"


def _of(value: msgspec.Raw, levels: int) -> Iterator[bytes]:
    """Yield the parts of the canonical JSON of a value.

    Long objects, and long lists of objects, are read member by member, so that no more than one
    list is held as texts: of ids that are numbers none is.
    """
    text = memoryview(value)
    beginning = bytes(text[:_BEGINNING]).lstrip()
    if len(text) < _WHOLE or not levels:
        yield canonical(msgspec.json.decode(value))
    elif beginning.startswith(b"{"):
        yield from _of_object(msgspec.json.decode(value, type=dict[str, msgspec.Raw]), levels - 1)
    elif beginning.startswith(b"[") and b"{" in beginning:
        yield b"["
        for at, item in enumerate(msgspec.json.decode(value, type=list[msgspec.Raw])):
            yield b"," * (at > 0)
            yield from _of(item, levels - 1)
        yield b"]"
    elif _IDS.fullmatch(text):
        for start in range(0, len(text), _AT_ONCE):
            yield bytes(text[start : start + _AT_ONCE]).translate(None, _SPACE)
        let_go()
    else:
        yield canonical(msgspec.json.decode(value))
