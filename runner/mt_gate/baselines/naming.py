"""What a baseline may be called, and where the one of a name lies."""

from __future__ import annotations

import re
from pathlib import Path

from mt_gate.base.errors import UsageError, quoted

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_name(name: str) -> str:
    """Return the name if it can be a file's name anywhere.

    Raises:
        UsageError: it has another character, or starts with one that is no letter or digit.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"baseline name {quoted(name)}: expected letters, digits, '.', '_' and '-', starting "
            "with a letter or digit, at most 100 in total"
        )
    return name


def baseline_path(folder: str | Path, name: str) -> Path:
    """Return ``folder/<name>.json``; raises UsageError as ``check_name`` does."""
    return Path(folder) / f"{check_name(name)}.json"
