"""Patterns of a stranger's file, matched within a bound of time.

The ``regex`` package counts the time that a search takes and gives up; a text is short, so
that what takes longer than ``SECONDS`` backtracks without end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

from mt_gate.base.errors import UsageError, quoted, reported

SECONDS = 1.0
"""For one pattern on one text: ten thousand times what a sound one takes."""
LONGEST_PATTERN = 2_000
"""Characters."""


class Match(NamedTuple):
    """Where a pattern matched, and what its replacement reads there."""

    start: int
    end: int
    new: str


class BoundedPattern:
    """A pattern that is matched within a bound of time."""

    def __init__(self, pattern: str, where: str, *, ignore_case: bool = False) -> None:
        """Compile a pattern.

        Args:
            pattern: as Python's ``re`` has it.
            where: the file and relation that it is of, opening each message.
            ignore_case: whether capitals match small letters.

        Raises:
            UsageError: it is none, or too long.
        """
        self._where = f"{where}: pattern {quoted(pattern)}"
        if len(pattern) > LONGEST_PATTERN:
            raise UsageError(
                f"{self._where}: {len(pattern)} characters, at most {LONGEST_PATTERN} expected"
            )
        try:
            flags = regex.IGNORECASE if ignore_case else 0
            self._pattern = regex.compile(pattern, flags | regex.VERSION0)
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            raise UsageError(
                f"{self._where} is no regular expression ({reported(error)}); expected one as "
                "Python's re module reads it"
            ) from None

    def check_replacement(self, new: str) -> None:
        r"""Refuse a replacement that names a group which the pattern lacks (``\1``).

        Raises:
            UsageError: it does.
        """
        try:
            # Read with an empty alternative, since a replacement is looked at where it is made.
            regex.compile(f"{self._pattern.pattern}|", self._pattern.flags).sub(new, "")
        except (regex.error, IndexError) as error:
            raise self._unfit(new, error) from None

    def matches(self, text: str) -> bool:
        """Whether the pattern matches anywhere in a text.

        Raises:
            UsageError: it took too long.
        """
        try:
            return self._pattern.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            raise self._too_slow(text) from None

    def replacements(self, text: str, new: str) -> Iterator[Match]:
        """Yield where the pattern matches something, and what stands there instead.

        Raises:
            UsageError: it took too long.
        """
        try:
            for match in self._pattern.finditer(text, timeout=SECONDS):
                yield Match(match.start(), match.end(), match.expand(new))
        except TimeoutError:
            raise self._too_slow(text) from None
        except (regex.error, IndexError) as error:
            raise self._unfit(new, error) from None

    def _unfit(self, new: str, error: Exception) -> UsageError:
        return UsageError(
            f"{self._where}: its replacement {quoted(new)} does not fit ({reported(error)}); "
            r"expected groups of the pattern alone, as \1 or \g<name>"
        )

    def _too_slow(self, text: str) -> UsageError:
        return UsageError(
            f"{self._where} took more than {SECONDS:g} s on a text of {len(text)} characters; "
            "repetitions within repetitions, as (a+)+, do so; write it without"
        )
