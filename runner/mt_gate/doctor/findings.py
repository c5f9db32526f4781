"""What the doctor finds, before it is printed."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class State(StrEnum):
    """How a finding is to be taken; only a ``PROBLEM`` stands in a run's way."""

    OK = "ok"
    NOTE = "note"
    ABSENT = "absent"
    PROBLEM = "problem"


class DoctorFinding(NamedTuple):
    """One thing that was looked at, in words."""

    name: str
    state: State
    text: str


class FindingSection(NamedTuple):
    """Findings under one heading."""

    title: str
    findings: tuple[DoctorFinding, ...]
