"""From the names on the command line to the tools that repair works with."""

from __future__ import annotations

from collections.abc import Sequence

from mt_gate.errors import CannotJudge
from mt_gate.repairing.tools import RepairTools


def open_tools(fillers: Sequence[str], similarity: Sequence[str]) -> RepairTools:
    """Open the language tools.

    Args:
        fillers: names of the tool that proposes words; empty for what the machine has.
        similarity: likewise for the tool that compares stretches.

    Raises:
        CannotJudge: there is no such tool on this machine.
    """
    named = ", ".join([*fillers, *similarity]) or "none named"
    raise CannotJudge(f"no language tools ({named}): this release has none for repair yet")
