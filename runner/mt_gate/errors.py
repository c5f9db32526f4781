"""Failures that have a name, and the exit code each one ends with.

A message is one line: what was read, what was found, what was expected, what
to do. For example ``baselines/ner.json: suite version 3, this release runs 4;
record a new baseline``.
"""

from __future__ import annotations

from mt_gate.reporting.escaping import log_line

PASS = 0
REGRESSION = 1
USAGE = 2
CANNOT_JUDGE = 3
INTERNAL = 4


class MtGateError(Exception):
    """A failure that is told in one line, without a traceback."""

    exit_code = INTERNAL

    def __init__(self, message: str) -> None:
        """Keep the message as one line that no build takes for a command."""
        super().__init__(log_line("".join(map(_printable, message))))


class UsageError(MtGateError):
    """The command line or the configuration asks for something that cannot be done."""

    exit_code = USAGE


class CannotJudge(MtGateError):  # noqa: N818 - named as the verdict it leads to
    """There is no sound base for a verdict; never to be taken for a pass."""

    exit_code = CANNOT_JUDGE


def _printable(character: str) -> str:
    """Escape what could break a line, or could not be printed at all."""
    if character.isprintable():
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
