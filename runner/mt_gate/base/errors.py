"""Failures that have a name, the exit code each one ends with, and the words of their messages.

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
"""Address of the documentation, whose pages messages and reports name."""
LONGEST = 2_000
"""Characters of a message."""


class MtGateError(Exception):
    """A failure that is reported in one line, without a traceback."""

    exit_code = INTERNAL

    def __init__(self, message: str) -> None:
        """Keep the message as one bounded line that no build takes for a command."""
        shown = (
            char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
            for char in hide(message)[: 2 * LONGEST]
        )
        line = log_line("".join(shown))
        super().__init__(_cut(line, LONGEST))


class UsageError(MtGateError):
    """The command line or the configuration asks for something that cannot be done."""

    exit_code = USAGE


class CannotJudge(MtGateError):  # noqa: N818 - named as the verdict it leads to
    """There is no sound base for a verdict; never to be taken for a pass."""

    exit_code = CANNOT_JUDGE


def page(name: str, anchor: str = "") -> str:
    """Return the address of ``docs/NAME.md``, or of a heading on it, named as GitHub names it."""
    return f"{HOME}{name}.html{anchor and '#'}{anchor}"


def quoted(value: object, most: int = 60) -> str:
    """Return a value of a user's file for a message: in quotes, escaped, cut, without secrets.

    Of a file that was not recognised as what it should be nothing is shown.
    """
    if isinstance(value, str):
        return repr(_cut(hide(value), most))  # before it is cut: half a secret is not recognised
    try:
        return _cut(hide(repr(value)), most)
    except (ValueError, RecursionError):  # an integer of thousands of digits, nesting
        return "a value that is too large to show"


def reported(error: BaseException, most: int = 200) -> str:
    """Return a library's words on what it got: one line, cut, without secrets."""
    return _cut(hide(" ".join(str(error).split())), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(most - 3, 0)]}..."


_ALIKE = 0.7
"""How like a known name is, of 1, that may have been meant: two letters of four changed places."""
_LONGEST = 100
"""Characters of a name that is looked for among those known; longer ones are no misspelling."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that may have been meant; empty if none is like it."""
    matches = get_close_matches(name, [*known], 1, _ALIKE) if len(name) <= _LONGEST else []
    return matches[0] if matches else ""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question after the nearest known name, with a space before; empty without one."""
    meant = nearest(name, known) if isinstance(name, str) else ""
    return f" Did you mean {quoted(meant)}?" if meant else ""


def unknown(what: str, name: str, known: Collection[str]) -> str:
    """Return the sentences about an unknown name: the nearest known one, and all of them."""
    return f"Unknown {what} {quoted(name)}.{did_you_mean(name, known)} Known: {', '.join(known)}."


def unknown_field(table: object, form: type[msgspec.Struct], *more: str) -> str:
    """Return what is said of the first key of a table that its form, and ``more``, has not."""
    if not isinstance(table, dict):
        return ""
    known = (*more, *(field.encode_name for field in msgspec.structs.fields(form)))
    return next((unknown("field", str(key), known) for key in table if key not in known), "")


_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_SHOWN = 100


def check_path(where: str, path: str | Path) -> None:
    """Reject a path that cannot even be looked for; one that is not there is fine.

    ``where`` is what gave it. Raises UsageError: a name is longer than names may be, or a folder on
    the way is not ours to enter.
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
