"""What a suite that is built takes the place of: another build of it, and no other suite."""

from __future__ import annotations

import os
from pathlib import Path

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.suites.format import HEAD, SuiteFile, read_head


def suite_there(out: Path, name: str) -> SuiteFile | None:
    """Return the suite of that name that a folder holds; None where there is none to read.

    Raises:
        UsageError: the folder holds a suite of another name.
    """
    if not os.path.lexists(out / HEAD):
        return None
    try:
        there = read_head(out)
    except CannotJudge:  # no suite that could be lost
        return None
    if there.name != name:
        raise UsageError(
            f"{out} holds suite {quoted(there.name)}, which {quoted(name)} would replace. Choose "
            "another --out, or the same --name."
        )
    return there


def lost_marks(there: SuiteFile | None, built: SuiteFile, out: Path) -> str:
    """Return a message if a build removes stored figures of an audit."""
    marked = {item.id for item in built.relations if item.precision}
    gone = [item.id for item in there.relations if item.precision] if there else []
    if marked.issuperset(gone):
        return ""
    return (
        f"{out}: the review figures of the old suite are no longer in suite.json. Where its "
        f"cases are the same, restore them: mt-gate suite audit {out} --read SHEET.csv"
    )
