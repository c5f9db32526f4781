"""A diagnosis as a person sees it."""

from __future__ import annotations

import sys
import textwrap
from typing import TextIO

from mt_gate.base.figures import counted
from mt_gate.doctor.examining import Diagnosis
from mt_gate.doctor.findings import DoctorFinding, State
from mt_gate.reporting.words.console import console, encodable

_COLOURS = {
    State.OK: "green",
    State.NOTE: "yellow",
    State.ABSENT: "dim",
    State.PROBLEM: "bold red",
}
_NAME, _STATE = 13, 9
_LEAST = 30


def show(found: Diagnosis, stream: TextIO | None = None) -> None:
    """Print a diagnosis, lines broken between words; standard output if no stream is given."""
    from rich.text import Text

    stream = stream or sys.stdout
    where, encode = console(stream), encodable(stream)
    for section in found.sections:
        where.print(Text(section.title, style="bold"))
        for finding in section.findings:
            head, *rest = _lines(finding._replace(text=encode(finding.text)), where.width)
            state = Text(f"{finding.state:{_STATE}}", style=_COLOURS[finding.state])
            name = Text(f"  {finding.name:{_NAME}}")
            where.print(Text.assemble(name, state, head), soft_wrap=True)
            for line in rest:
                where.print(Text(" " * (2 + _NAME + _STATE) + line), soft_wrap=True)
        where.print()
    if found.problems:
        verb = "prevents" if found.problems == 1 else "prevent"
        words = f"{counted(found.problems, 'problem')} {verb} a run."
        where.print(Text(words, style=_COLOURS[State.PROBLEM]))
    else:
        where.print(Text("A run can work.", style=_COLOURS[State.OK]))


def _lines(finding: DoctorFinding, width: int) -> list[str]:
    """Return a finding's text, broken between words; a path longer than a line stays whole."""
    room = max(width - 2 - _NAME - _STATE, _LEAST)
    return textwrap.wrap(finding.text, room, break_long_words=False, break_on_hyphens=False) or [""]
