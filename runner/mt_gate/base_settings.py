"""The settings of a pull request: those that judge it are its base's, so that it moves none.

``settings.SETTINGS`` says of each whose it is. A difference between the two files is told, whether
it counts or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base_commit import WORKTREE, Base, BaseFile
from mt_gate.errors import CannotJudge, UsageError
from mt_gate.settings import (
    CONFIG,
    MAX_BYTES,
    SETTINGS,
    TESTED,
    Settings,
    Whose,
    beside,
    dashed,
    load,
    merged,
    of,
    parse,
    read_file,
    shown,
)

_MOST = 6
"""Settings that a note names; the rest are counted."""


class Asked(NamedTuple):
    """The settings of a run, what judges it, and sentences on what the two files say otherwise."""

    settings: Settings
    base: Base | None = None
    notes: tuple[str, ...] = ()


class _Files(NamedTuple):
    """The settings of the two files, and of both those that count."""

    own: Mapping[str, Any]
    base: Mapping[str, Any]
    counted: Mapping[str, Any]


def load_judged(given: Mapping[str, Any], config: Path | None, base: Base | None) -> Asked:
    """Merge and check settings, where a base may be there to judge.

    Args:
        given: what the action's inputs say, by setting's name; they override either file.
        config: a file that must be there; None for ``mt-gate.toml`` if it is.
        base: of the pull request; None where the working tree's file is all there is.

    Raises:
        UsageError: unknown keys, or values outside what is allowed.
        CannotJudge: the base's file cannot be read, or only the pull request names a program.
    """
    path = config or CONFIG
    here = os.path.lexists(path)
    if base is None or not base.judges or not (here or base.holds(path)):
        return Asked(load(given, config), base)
    there = base.read(path, MAX_BYTES)
    if there.data is None and not here:
        return Asked(load(given, config), base)
    files = _files(read_file(path) if here else {}, _parsed(path, there))
    named = any(given.get(name) or name in files.counted for name in TESTED)
    if "system" in files.own and not named:
        raise CannotJudge(
            f"{path}: system {_told(files.own['system'])} comes with {base.who} and is not run, "
            f"its base, {there.short}, names none; set the input system in the workflow, merge "
            f"the settings first, or set baseline-from: {WORKTREE}"
        )
    settings = merged(given, files.counted, path)
    return Asked(settings, base, tuple(_notes(path, base.who, there, files, here=here)))


def _parsed(path: Path, there: BaseFile) -> dict[str, Any]:
    if there.data is None:
        return {}
    try:
        return parse(there.data, f"{path} of base commit {there.short}")
    except UsageError as error:
        raise CannotJudge(
            f"{error}; mend it in the base first, or set baseline-from: {WORKTREE}"
        ) from None


def _files(own: Mapping[str, Any], base: Mapping[str, Any]) -> _Files:
    judges = of(base, Whose.JUDGE)
    if "task" in own:  # a gate that nobody else has named a task for is new
        judges.setdefault("task", own["task"])
    rest = of(own, Whose.TESTED) | of(own, Whose.PLACE)
    return _Files(own, base, {**beside(judges, rest), **judges})


def _notes(path: Path, who: str, there: BaseFile, files: _Files, *, here: bool) -> Iterator[str]:
    """Yield what the two files say otherwise: first what does not count, then what does."""
    own, counted = files.own, files.counted
    changed = [name for name in SETTINGS if own.get(name) != files.base.get(name)]
    lost = [name for name in changed if counted.get(name) != own.get(name)]
    if there.data is None:
        if lost:
            yield (
                f"{path} is not in the base of {who}, {there.short}: of it {_named(lost, files)} "
                "count for nothing, inputs and defaults do"
            )
        return
    done = f"{'edited' if here else 'removed'} by {who}{there.behind}"
    if lost:
        yield (
            f"{path} is {done}: {_named(lost, files)}; judged by the one of its base, {there.short}"
        )
    tested = [name for name in changed if SETTINGS[name].whose is Whose.TESTED if name not in lost]
    if tested:
        yield f"{path} is {done}, and tested as it says there: {_named(tested, files)}"


def _named(names: Iterable[str], files: _Files) -> str:
    """Return settings with the value of the pull request, and the base's in brackets."""
    told = [
        f"{dashed(name)} {_told(files.own.get(name))} (base: {_told(files.base.get(name))})"
        for name in names
    ]
    more = [f"and {len(told) - _MOST} more"] if len(told) > _MOST else []
    return ", ".join(told[:_MOST] + more)


def _told(value: Any) -> str:
    match value:
        case None:
            return "not set"
        case bool():
            return str(value).lower()
        case Path():
            return shown(str(value))
        case tuple():
            return shown(", ".join(value))
        case dict():
            return shown(", ".join(f"{key}={item}" for key, item in value.items()))
    return shown(value)
