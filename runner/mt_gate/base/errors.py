"""Failures that have a name, and the exit code each one ends with.

A message is one line: what was read, what was found, what was expected, what
to do. For example ``baselines/ner.json: suite version 3, this release runs 4;
record a new baseline``.
"""

from __future__ import annotations

from mt_gate.base.escaping import log_line
from mt_gate.base.redaction import hide

PASS = 0
REGRESSION = 1
USAGE = 2
CANNOT_JUDGE = 3
INTERNAL = 4

LONGEST = 2_000
"""Characters of a message."""


class MtGateError(Exception):
    """A failure that is told in one line, without a traceback."""

    exit_code = INTERNAL

    def __init__(self, message: str) -> None:
        """Keep the message as one bounded line that no build takes for a command."""
        line = log_line("".join(map(_printable, hide(message)[: 2 * LONGEST])))
        super().__init__(_cut(line, LONGEST))


class UsageError(MtGateError):
    """The command line or the configuration asks for something that cannot be done."""

    exit_code = USAGE


class CannotJudge(MtGateError):  # noqa: N818 - named as the verdict it leads to
    """There is no sound base for a verdict; never to be taken for a pass."""

    exit_code = CANNOT_JUDGE


def quoted(value: object, most: int = 60) -> str:
    """Return a value of somebody's file for a message: in quotes, escaped, cut, without secrets.

    Args:
        value: of a file that was recognised as what it should be: of another one nothing is shown.
        most: characters of a text that are shown.
    """
    if isinstance(value, str):
        return repr(_cut(hide(value), most))  # before it is cut: half a secret is not found
    try:
        return _cut(hide(repr(value)), most)
    except (ValueError, RecursionError):  # an integer of thousands of digits, nesting
        return "a value too large to be shown"


def reported(error: BaseException, most: int = 200) -> str:
    """Return a library's words on what it was given: one line, cut, without secrets."""
    return _cut(hide(" ".join(str(error).split())), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(most - 3, 0)]}..."


def _printable(character: str) -> str:
    """Escape what could break a line, or could not be printed at all."""
    if character.isprintable():
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
