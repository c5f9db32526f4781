"""Names that somebody misspelt: what is said of one that is not known."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

import msgspec

from mt_gate.base.errors import quoted

_ALIKE = 0.7
"""How like a known name is, of 1, that may have been meant: two letters of four changed places."""
_LONGEST = 100
"""Characters of a name that is looked for among those known; longer ones are no misspelling."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that may have been meant; empty where none is like it."""
    found = get_close_matches(name, [*known], 1, _ALIKE) if len(name) <= _LONGEST else []
    return found[0] if found else ""


def unknown(what: str, name: str, known: Collection[str]) -> str:
    """Return what is said of a name that is not known: the nearest that is, and all of them."""
    meant = nearest(name, known)
    asked = f"did you mean {quoted(meant)}? " if meant else ""
    return f"unknown {what} {quoted(name)}; {asked}known: {', '.join(known)}"


def unknown_field(table: object, form: type[msgspec.Struct], *more: str) -> str:
    """Return what is said of the first key of a table that its form has not.

    Args:
        table: plain data; nothing is said of what is no table.
        form: whose fields are known.
        more: keys that are known besides.
    """
    if not isinstance(table, dict):
        return ""
    known = (*more, *(field.encode_name for field in msgspec.structs.fields(form)))
    return next((unknown("field", str(key), known) for key in table if key not in known), "")
