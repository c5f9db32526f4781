"""Paths that users give: what the file system can never have is told before it is asked for."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from mt_gate.base.errors import UsageError, quoted

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_SHOWN = 100


def check_path(where: str, path: str | Path) -> None:
    """Refuse a path that cannot even be looked for; one that is not there is fine.

    Args:
        where: what gave it, for the message.
        path: of a file or folder.

    Raises:
        UsageError: a name is longer than names may be, or a folder on the way is not ours to enter.
    """
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        if number in _NOT_THERE:
            return
        why = os.strerror(number) if number else str(error)
        shown = quoted(str(path), _SHOWN)
        raise UsageError(f"{where} is {shown}: {why}; name another path") from None
