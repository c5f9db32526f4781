"""The whole examination, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CANNOT_JUDGE, PASS, UsageError
from mt_gate.doctor.checkpoint import check_folder
from mt_gate.doctor.checkpoint import checkpoint as checkpoint_section
from mt_gate.doctor.device import CUDA, described
from mt_gate.doctor.findings import FindingSection, State
from mt_gate.doctor.installed import installed
from mt_gate.doctor.places import places
from mt_gate.doctor.trying import try_session
from mt_gate.settings.loading import config_path, read_file


class Diagnosis(NamedTuple):
    """Sections, how many problems stand in a run's way, and the exit code."""

    sections: tuple[FindingSection, ...]
    problems: int
    exit_code: int


def examine(checkpoint: Path | None, device: str | None) -> Diagnosis:
    """Look at what a run in this folder would need.

    Args:
        checkpoint: a folder to look at as well.
        device: auto, cpu or cuda; None for what the settings file says, else auto.

    Raises:
        UsageError: no such checkpoint.
    """
    values, problem = _settings()
    chosen = device or (values or {}).get("device", "auto")
    if checkpoint is not None:
        check_folder(checkpoint)
    tried = try_session(chosen)
    device_section = FindingSection("device", tuple(described(chosen, tried)))
    sections = [installed(), device_section, places(values, problem)]
    if checkpoint is not None:
        # A provider that has just failed would only say so again, past Python.
        opened_on = "cpu" if chosen == "auto" and tried.provider != CUDA else chosen
        sections.append(checkpoint_section(checkpoint, opened_on))
    problems = sum(
        finding.state is State.PROBLEM for section in sections for finding in section.findings
    )
    return Diagnosis(tuple(sections), problems, CANNOT_JUDGE if problems else PASS)


def _settings() -> tuple[Mapping[str, Any] | None, str]:
    """Return what the settings file says, or why it cannot be used."""
    path = config_path(None)
    if path is None:
        return None, ""
    try:
        return read_file(path), ""
    except UsageError as error:
        return None, str(error)
