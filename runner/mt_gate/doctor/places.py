"""Where a run reads and keeps things: settings, cache, suites."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mt_gate.base import figures
from mt_gate.base.errors import MtGateError
from mt_gate.doctor.findings import DoctorFinding, FindingSection, State
from mt_gate.running.cache import default_folder
from mt_gate.settings.record import CONFIG
from mt_gate.suites.format import SHIPPED, read_head, shipped_suites

MOST_FILES = 100_000
"""Files that are counted; a cache with more is told as such."""


def places(values: Mapping[str, Any] | None, problem: str) -> FindingSection:
    """Return what is found where.

    Args:
        values: what the settings file says; None where there is none, or it cannot be used.
        problem: why it cannot be used.
    """
    cache = (values or {}).get("cache") or default_folder()
    return FindingSection("places", (_settings(values, problem), _cache(cache), *_suites()))


def _settings(values: Mapping[str, Any] | None, problem: str) -> DoctorFinding:
    if problem:
        return DoctorFinding("settings", State.PROBLEM, problem)
    if values is None:
        return DoctorFinding(
            "settings", State.ABSENT, f"no {CONFIG} in this folder: flags are used"
        )
    said = ", ".join(name.replace("_", "-") for name in values) or "nothing"
    return DoctorFinding("settings", State.OK, f"{CONFIG.resolve()} sets {said}")


def _cache(folder: Path) -> DoctorFinding:
    if not writable(folder):
        text = f"{folder} cannot be written: runs work, but nothing is cached; name another --cache"
        return DoctorFinding("cache", State.NOTE, text)
    if not folder.is_dir():
        return DoctorFinding("cache", State.OK, f"{folder}, made by the first run")
    files, size, whole = measured(folder)
    more = "" if whole else "more than "
    held = f"{more}{figures.counted(files, 'file')}, {more}{figures.size(size)}"
    return DoctorFinding("cache", State.OK, f"{folder}, {held}")


def writable(folder: Path) -> bool:
    """Say whether a file can be made in a folder, or the folder itself; nothing stays behind."""
    there = folder.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    try:
        with tempfile.TemporaryFile(dir=there):
            return True
    except OSError:
        return False


def measured(folder: Path) -> tuple[int, int, bool]:
    """Return number and bytes of the files below a folder, and whether these are all."""
    files = size = 0
    for where, _, names in os.walk(folder):
        for name in names:
            if files == MOST_FILES:
                return files, size, False
            files += 1
            try:
                size += (Path(where) / name).lstat().st_size
            except OSError:  # gone in the meantime
                continue
    return files, size, True


def _suites() -> Iterable[DoctorFinding]:
    for name in shipped_suites():
        try:
            head = read_head(SHIPPED / name)
        except MtGateError as error:
            yield DoctorFinding("suite", State.PROBLEM, str(error))
            continue
        relations = f"{len(head.relations)} relations"
        yield DoctorFinding("suite", State.OK, f"{name}: task {head.task}, {relations}")
