"""What an earlier run left is taken away, so that nobody takes it for this run's.

A run that comes to no result writes none; a later step that keeps or records the folder would
else find the last one's, or one that came with a pull request.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from mt_gate.base.errors import UsageError
from mt_gate.base.jsonio import remove_stale
from mt_gate.results.store import GROUPS, RESULT

NAMES = (RESULT, GROUPS, "junit.xml", "report.html", "summary.md")
"""The files that a run writes."""
SHARD, ANSWERS = "shard.json", "answers.jsonl.gz"
"""The files that a shard of one writes in their place."""
_OLD = (*NAMES, SHARD, ANSWERS)


def replaceable(out: Path) -> list[Path]:
    """Return the reports of an earlier run in a folder, which others may take the place of.

    Raises:
        UsageError: as ``remove_reports``.
    """
    kept = [out / name for name in _OLD if os.path.lexists(out / name)]
    if kept and out.is_symlink():
        raise UsageError(
            f"--out {out}: a link to a folder with reports of an earlier run, which are not "
            "removed through a link; name the folder itself"
        )
    for path in kept:
        if not stat.S_ISREG(mode := path.lstat().st_mode) and not stat.S_ISLNK(mode):
            raise UsageError(f"--out {out}: {path.name} is not a file there; name another folder")
    return kept


def remove_reports(out: Path) -> None:
    """Remove the reports of an earlier run from a folder, half-written ones too, and nothing else.

    Raises:
        UsageError: a folder stands in the place of a report, the folder is a link to one that
            holds reports, or they cannot be removed.
    """
    if not os.path.isdir(out):
        return
    try:
        for path in replaceable(out):
            path.unlink()  # of a link the link itself, as a run would replace it
        for name in _OLD:
            remove_stale(out / name)
    except OSError as error:
        raise UsageError(
            f"--out {out}: reports of an earlier run cannot be removed ({error.strerror}); name "
            "another folder"
        ) from None
