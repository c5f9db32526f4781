"""Compile and match patterns of an untrusted file within limits of time and memory.

The ``regex`` package stops a search after ``SECONDS``; texts are short, so a longer search
backtracks without end. It limits neither compilation nor recursion. So a pattern is first parsed
by Python's ``re``, and its size is counted.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import regex

from mt_gate.base.errors import UsageError, quoted, reported

SECONDS = 1.0
"""Seconds for one pattern on one text: ten thousand times what a sound pattern needs."""
LONGEST_PATTERN = 2_000
"""Maximum number of characters of a pattern."""
MOST_ITEMS = 50_000
"""Maximum items of a pattern with its repetitions written out; compiled, these need some 30 MB."""
LONGEST_REPLACEMENT = 1 << 20
"""Maximum number of characters of all replacements in one text."""
_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
_IGNORED = re.compile(r"\\N\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
"""Escapes and character classes, in which a brace is an ordinary character."""
_FUZZY = re.compile(r"\{(?!\d+(?:,\d*)?\}|,\d*\})")
"""A brace that begins no repetition: ``re`` reads it literally, ``regex`` as a fuzzy constraint."""


class BoundedPattern:
    """A pattern that is matched within a bound of time."""

    def __init__(self, pattern: str, where: str, *, ignore_case: bool = False) -> None:
        """Compile a pattern.

        Args:
            pattern: a regular expression of Python's ``re``.
            where: file and relation, which begin each message.
            ignore_case: whether capitals match small letters.

        Raises:
            UsageError: it is not a regular expression, or too long or too large.
        """
        self._where = f"{where}: pattern {quoted(pattern)}"
        if len(pattern) > LONGEST_PATTERN:
            raise UsageError(
                f"{self._where} has {len(pattern)} characters (limit {LONGEST_PATTERN}). Shorten "
                "it, or split it into several rules."
            )
        self._check_size(pattern)
        try:
            flags = regex.IGNORECASE if ignore_case else 0
            self._pattern = regex.compile(pattern, flags | regex.VERSION0)
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            raise self._not_one(reported(error)) from None

    def _check_size(self, pattern: str) -> None:
        """Reject a pattern that Python's ``re`` does not read, or that has too many items."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", FutureWarning)  # sets within sets
                size = _size(_parser.parse(pattern))
        except (re.error, FutureWarning, RecursionError, OverflowError, MemoryError) as error:
            raise self._not_one(reported(error)) from None
        if _FUZZY.search(_IGNORED.sub("", pattern)):
            raise self._not_one(r"a brace that begins no repetition: write it as \{")
        if size > MOST_ITEMS:
            raise UsageError(
                f"{self._where} has {size:,} items, counting each repetition (limit "
                f"{MOST_ITEMS:,}). Use fewer or smaller repetitions."
            )

    def _not_one(self, why: str) -> UsageError:
        return UsageError(f"{self._where} is not valid for Python's re module ({why}). Fix it.")

    def check_replacement(self, new: str) -> None:
        r"""Reject a replacement that names a group which the pattern lacks (``\1``).

        Raises:
            UsageError: it names such a group.
        """
        try:
            # Only a match checks the replacement; the empty alternative always matches.
            regex.compile(f"{self._pattern.pattern}|", self._pattern.flags).sub(new, "")
        except (regex.error, IndexError) as error:
            raise self._unfit(new, error) from None

    def matches(self, text: str) -> bool:
        """Whether the pattern matches anywhere in a text.

        Raises:
            UsageError: the search took too long.
        """
        try:
            return self._pattern.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            raise self._too_slow(text) from None

    def replacements(self, text: str, new: str) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, replacement) of each match.

        Raises:
            UsageError: the search took too long, or replacements are too long or do not fit.
        """
        left = LONGEST_REPLACEMENT
        try:
            for match in self._pattern.finditer(text, timeout=SECONDS):
                replacement = match.expand(new)
                left -= len(replacement)
                if left < 0:
                    raise UsageError(
                        f"{self._where}: its replacements in a text of {len(text)} characters have "
                        f"more than {LONGEST_REPLACEMENT} in total. Write a shorter replacement."
                    )
                yield match.start(), match.end(), replacement
        except TimeoutError:
            raise self._too_slow(text) from None
        except (regex.error, IndexError) as error:
            raise self._unfit(new, error) from None

    def _unfit(self, new: str, error: Exception) -> UsageError:
        return UsageError(
            f"{self._where}: its replacement {quoted(new)} does not fit ({reported(error)}). Use "
            "only groups of the pattern, as \\1 or \\g<name>."
        )

    def _too_slow(self, text: str) -> UsageError:
        return UsageError(
            f"{self._where} took more than {SECONDS:g} s on a text of {len(text)} characters. "
            "Avoid repetitions within repetitions, such as (a+)+."
        )


def _size(parsed: Any) -> int:
    """Return the items of a parsed pattern with its repetitions written out."""
    total = 0
    for kind, value in parsed:
        times = 1
        if kind in _REPEATS:
            least, most, value = value
            times = max(1, least if most is _constants.MAXREPEAT else most)
        total += 1 + times * sum(map(_size, _inside(value)))
    return total


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _inside(part)
