"""Errors of mt-gate, the exit code of each, and functions that build their messages.

A message is one line of full sentences: the problem, its cause, and what to do next. For
example ``No suite named 'moderation'. Did you mean 'moderation-default'?``
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path

import msgspec

from mt_gate.base.escaping import hide, log_line

PASS = 0
REGRESSION = 1
USAGE = 2
CANNOT_JUDGE = 3
INTERNAL = 4

HOME = "https://org.github.io/mt-gate/"
"""Address of the documentation; messages and reports link to its pages."""
LONGEST = 2_000
"""Maximum characters of a message."""


class MtGateError(Exception):
    """A failure that is reported in one line, without a traceback."""

    exit_code = INTERNAL

    def __init__(self, message: str) -> None:
        """Make the message one line of limited length that no CI service reads as a command."""
        shown = (
            char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
            for char in hide(message)[: 2 * LONGEST]
        )
        line = log_line("".join(shown))
        super().__init__(_cut(line, LONGEST))


class UsageError(MtGateError):
    """The command line or the configuration asks for something that mt-gate cannot do."""

    exit_code = USAGE


class CannotJudge(MtGateError):  # noqa: N818 - named as the verdict it leads to
    """No sound verdict is possible; callers must never treat this as a pass."""

    exit_code = CANNOT_JUDGE


def page(name: str, anchor: str = "") -> str:
    """Return the address of ``docs/NAME.md``, or of a heading on it, named as GitHub names it."""
    return f"{HOME}{name}.html{anchor and '#'}{anchor}"


def quoted(value: object, most: int = 60) -> str:
    """Format a value of a user's file for a message: quoted, escaped, shortened, without secrets.

    Do not call it for a file that was not recognised: nothing of such a file may be shown.
    """
    if isinstance(value, str):
        return repr(_cut(hide(value), most))  # hide first: a shortened secret is not recognised
    try:
        return _cut(hide(repr(value)), most)
    except (ValueError, RecursionError):  # thousands of digits, or deep nesting
        return "a value that is too large to show"


def reported(error: BaseException, most: int = 200) -> str:
    """Return a library's error message in one line, shortened, without secrets."""
    return _cut(hide(" ".join(str(error).split())), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(most - 3, 0)]}..."


_ALIKE = 0.7
"""Least similarity (0 to 1) of a suggested name; swapping two of four letters leaves 0.75."""
_LONGEST = 100
"""Maximum characters of a name that gets a suggestion; a longer name is no misspelling."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name most similar to ``name``; empty if none is similar enough."""
    matches = get_close_matches(name, [*known], 1, _ALIKE) if len(name) <= _LONGEST else []
    return matches[0] if matches else ""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return `` Did you mean 'NAME'?`` with the nearest known name; empty if none is near."""
    meant = nearest(name, known) if isinstance(name, str) else ""
    return f" Did you mean {quoted(meant)}?" if meant else ""


def unknown(what: str, name: str, known: Collection[str]) -> str:
    """Return the sentences about an unknown name: a suggestion if any, and all known names."""
    return f"Unknown {what} {quoted(name)}.{did_you_mean(name, known)} Known: {', '.join(known)}."


def unknown_field(table: object, form: type[msgspec.Struct], *more: str) -> str:
    """Return the message on the first key of a table that is not in its form or ``more``."""
    if not isinstance(table, dict):
        return ""
    known = (*more, *(field.encode_name for field in msgspec.structs.fields(form)))
    return next((unknown("field", str(key), known) for key in table if key not in known), "")


_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_SHOWN = 100


def check_path(where: str, path: str | Path) -> None:
    """Reject a path that the system cannot look up; a path that does not exist is fine.

    ``where`` names the option or setting with the path. Raises UsageError: for example, a name is
    too long, or this user may not enter a folder on the way.
    """
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        if number in _NOT_THERE:
            return
        why = os.strerror(number) if number else str(error)
        shown = quoted(str(path), _SHOWN)
        raise UsageError(f"{where} is {shown}: {why}. Choose another path.") from None
