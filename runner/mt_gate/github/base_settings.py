"""The settings of a pull request; those that decide the verdict come from its base.

``SETTINGS`` defines the origin of each. A note lists all differences between the two files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, quoted
from mt_gate.github.base_commit import WORKTREE, Base, BaseCommit, find_top
from mt_gate.settings.loading import (
    FILES,
    MAX_BYTES,
    TESTED,
    StoredSettings,
    describe,
    drop_conflicting,
    find_settings,
    load,
    merged,
    parse,
    read_toml,
    settings_table,
)
from mt_gate.settings.record import SETTINGS, Settings, Whose, dashed, of
from mt_gate.settings.values import in_text
from mt_gate.tasks.table import TASKS

_MOST = 6
"""Maximum settings that a note names; the rest are counted."""


class JudgedSettings(NamedTuple):
    """The settings of a run, its base, and notes on differences between the two files.

    ``checkpoint`` is the checkpoint that an input or the base's file names; empty if neither does.
    """

    settings: Settings
    base: Base | None = None
    notes: tuple[str, ...] = ()
    checkpoint: str = ""


class _Both(NamedTuple):
    """The settings of both files; ``base`` is None if the base has no file.

    ``name`` is the file's, ``who`` the pull request's, and ``here`` is whether that has the file.
    """

    name: str
    who: str
    here: bool
    own: Mapping[str, Any]
    commit: BaseCommit
    base: Mapping[str, Any] | None


def load_judged(
    inputs: Mapping[str, Any], config: Path | None, base: Base | None
) -> JudgedSettings:
    """Merge and check settings; those that judge come from the base, if there is one.

    ``inputs`` are the action's inputs by name of the setting; they override both files. ``config``
    is a file that must exist; None means the first of ``FILES`` with settings, in each of the two
    commits. Unknown or invalid settings are a ``UsageError``. An unreadable file of the base, or a
    program that only the pull request names, is a ``CannotJudge``.
    """
    checked_out = find_settings(config) if config is None or os.path.lexists(config) else None
    stored, commit = _read_base(config, base, checked_out) if base and base.judges else (None, None)
    if commit is None or base is None or (file := checked_out or stored) is None:
        return JudgedSettings(load(inputs, config), base, checkpoint=inputs.get("checkpoint") or "")
    own, there = checked_out.values if checked_out else {}, stored.values if stored else None
    both = _Both(describe(file.path), base.who, checked_out is not None, own, commit, there)
    # The values of ``counted`` apply unless an input overrides them.
    judges = of(there or {}, Whose.JUDGE)
    if "task" in own:  # a gate whose base names no task is new
        judges.setdefault("task", own["task"])
    counted = {**drop_conflicting(judges, of(own, Whose.TESTED) | of(own, Whose.PLACE)), **judges}
    stated = {name: value for name, value in inputs.items() if value is not None}
    if "system" in own and not {*stated, *counted}.intersection(TESTED):
        raise CannotJudge(
            f"{both.name}: system {_in_words(own['system'])} comes with {base.who}, so mt-gate "
            f"does not run it. The base, {commit.short}, has no system. Set the input system in "
            f"the workflow, merge the settings first, or set baseline-from: {WORKTREE}"
        )
    notes = tuple(_notes(both, counted, stated))
    checkpoint = stated.get("checkpoint") or (there or {}).get("checkpoint", "")
    return JudgedSettings(merged(stated, counted, file.path), base, notes, checkpoint)


def _read_base(
    config: Path | None, base: Base, own: StoredSettings | None
) -> tuple[StoredSettings | None, BaseCommit | None]:
    """Return the settings of the base and its commit; None for the commit if nothing was read."""
    commit = None
    for path in [config] if config else FILES:
        if (own is None or own.path != path) and find_top(path) is None:
            continue
        data, commit = base.read(path, MAX_BYTES)
        where = f"{describe(path)} of base commit {commit.short}"
        try:
            values = None if data is None else parse(data, path, where)
        except UsageError as error:
            todo = f"Fix it in the base first, or set baseline-from: {WORKTREE}"
            raise CannotJudge(f"{error} {todo}") from None
        if values is not None:
            return StoredSettings(path, values), commit
    return None, commit


def task_of(config: Path | None, base: Base | None) -> str:
    """Return the task in a settings file that may be invalid: the base's, or the checkout's.

    The result is empty if neither names a known task.
    """
    for of_base in (True, False):
        for path in [config] if config else FILES:
            with suppress(MtGateError):
                if of_base:
                    data = base.try_reading(path, MAX_BYTES) if base else None
                else:
                    data = files.read_whole(path, limit=MAX_BYTES, cause="Check --config.")
                table = settings_table(read_toml(data or b"", str(path)), path) or {}
                task = table.get("task")
                if isinstance(task, str) and task in TASKS:
                    return task
    return ""


def _notes(both: _Both, counted: Mapping[str, Any], inputs: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes on differences between the files: ignored settings, then settings in use."""
    own, base, commit = both.own, both.base or {}, both.commit
    names = [name for name in SETTINGS if own.get(name) != base.get(name)]
    lost = [name for name in names if counted.get(name) != own.get(name)]
    if both.base is None:
        if lost:
            new = f"{both.name} is not in the base of {both.who}, {commit.short}"
            yield f"{new}. mt-gate ignored these settings: {_named(lost, both)}"
        return
    done = f"{both.name} is {'edited' if both.here else 'removed'} by {both.who}{commit.behind}"
    if lost:
        yield f"{done}: {_named(lost, both)}. mt-gate used the file of its base, {commit.short}"
    unsaid = drop_conflicting(inputs, of({**own, **base}, Whose.TESTED)).keys() - inputs.keys()
    tested = [name for name in names if name in unsaid and name not in lost]
    if tested:
        yield f"{done}. mt-gate used its settings for the test: {_named(tested, both)}"


def _named(names: Iterable[str], both: _Both) -> str:
    """Return settings with the value of the pull request, and the base's in brackets."""
    words = []
    for name in names:
        before = "" if both.base is None else f" (base: {_in_words(both.base.get(name))})"
        words.append(f"{dashed(name)} {_in_words(both.own.get(name))}{before}")
    more = [f"and {len(words) - _MOST} more"] if len(words) > _MOST else []
    return ", ".join(words[:_MOST] + more)


def _in_words(value: Any) -> str:
    if value is None:
        return "not set"
    text = in_text(value, ", ")
    return text if isinstance(value, bool | int | float) else quoted(text)
