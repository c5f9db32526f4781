"""The settings of a pull request: those that judge it are its base's, so that it moves none.

``SETTINGS`` says of each whose it is. A difference between the two files is told, whether
it counts or not.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, quoted
from mt_gate.github.base_commit import WORKTREE, Base, BaseFile
from mt_gate.settings.loading import MAX_BYTES, TESTED, beside, load, merged, parse, read_file
from mt_gate.settings.record import CONFIG, SETTINGS, Settings, Whose, dashed, of
from mt_gate.settings.values import in_text
from mt_gate.tasks.table import TASKS

_MOST = 6
"""Settings that a note names; the rest are counted."""


class JudgedSettings(NamedTuple):
    """The settings of a run, what judges it, and sentences on what the two files say otherwise.

    ``checkpoint`` is the one that an input or the base's file names; empty where neither does.
    """

    settings: Settings
    base: Base | None = None
    notes: tuple[str, ...] = ()
    checkpoint: str = ""


class _Both(NamedTuple):
    """The settings of both files, where the base has none ``base`` is None.

    ``here`` says whether the pull request has its file, ``who`` what messages call it.
    """

    path: Path
    who: str
    here: bool
    own: Mapping[str, Any]
    there: BaseFile
    base: Mapping[str, Any] | None


def load_judged(given: Mapping[str, Any], config: Path | None, base: Base | None) -> JudgedSettings:
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
        return JudgedSettings(load(given, config), base, checkpoint=given.get("checkpoint") or "")
    there = base.read(path, MAX_BYTES)
    if there.data is None and not here:
        return JudgedSettings(load(given, config), base, checkpoint=given.get("checkpoint") or "")
    own = read_file(path) if here else {}
    both = _Both(path, base.who, here, own, there, _parsed(path, there))
    inputs = {name: value for name, value in given.items() if value is not None}
    counted = _counted(both)
    _check_program(both, {*inputs, *counted})
    return JudgedSettings(
        merged(inputs, counted, path),
        base,
        tuple(_notes(both, counted, inputs)),
        inputs.get("checkpoint") or (both.base or {}).get("checkpoint", ""),
    )


def task_of(path: Path, base: Base | None) -> str:
    """Return the task that a settings file names though it be unfit: the base's, else the own.

    Empty where neither names one.
    """
    for of_base in (True, False):
        with suppress(MtGateError, ValueError, RecursionError):
            data = (base and base.try_reading(path, MAX_BYTES)) if of_base else _own(path)
            task = tomllib.loads((data or b"").decode()).get("task")
            if isinstance(task, str) and task in TASKS:
                return task
    return ""


def _own(path: Path) -> bytes:
    return files.read_whole(path, limit=MAX_BYTES, cause="check --config")


def _parsed(path: Path, there: BaseFile) -> dict[str, Any] | None:
    if there.data is None:
        return None
    try:
        return parse(there.data, f"{path} of base commit {there.short}")
    except UsageError as error:
        raise CannotJudge(
            f"{error}; fix it in the base first, or set baseline-from: {WORKTREE}"
        ) from None


def _counted(both: _Both) -> dict[str, Any]:
    """Return the settings that count where no input says otherwise."""
    judges = of(both.base or {}, Whose.JUDGE)
    if "task" in both.own:  # a gate that nobody else has named a task for is new
        judges.setdefault("task", both.own["task"])
    rest = of(both.own, Whose.TESTED) | of(both.own, Whose.PLACE)
    return {**beside(judges, rest), **judges}


def _check_program(both: _Both, said: set[str]) -> None:
    if "system" in both.own and not said.intersection(TESTED):
        raise CannotJudge(
            f"{both.path}: system {_in_words(both.own['system'])} comes with {both.who} and is not "
            f"run, its base, {both.there.short}, names none; set the input system in the workflow, "
            f"merge the settings first, or set baseline-from: {WORKTREE}"
        )


def _notes(both: _Both, counted: Mapping[str, Any], inputs: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the two files say otherwise: first what does not count, then what is tested."""
    own, base = both.own, both.base or {}
    names = [name for name in SETTINGS if own.get(name) != base.get(name)]
    lost = [name for name in names if counted.get(name) != own.get(name)]
    where = both.there
    if both.base is None:
        if lost:
            new = f"{both.path} is not in the base of {both.who}, {where.short}"
            yield f"{new}; these of its settings are ignored: {_named(lost, both)}"
        return
    done = f"{both.path} is {'edited' if both.here else 'removed'} by {both.who}{where.behind}"
    if lost:
        yield f"{done}: {_named(lost, both)}; judged by the one of its base, {where.short}"
    unsaid = beside(inputs, of({**own, **base}, Whose.TESTED)).keys() - inputs.keys()
    tested = [name for name in names if name in unsaid and name not in lost]
    if tested:
        yield f"{done}, and tested with its settings: {_named(tested, both)}"


def _named(names: Iterable[str], both: _Both) -> str:
    """Return settings with the value of the pull request, and the base's in brackets."""
    told = [
        f"{dashed(name)} {_in_words(both.own.get(name))}{_before(name, both)}" for name in names
    ]
    more = [f"and {len(told) - _MOST} more"] if len(told) > _MOST else []
    return ", ".join(told[:_MOST] + more)


def _before(name: str, both: _Both) -> str:
    return "" if both.base is None else f" (base: {_in_words(both.base.get(name))})"


def _in_words(value: Any) -> str:
    if value is None:
        return "not set"
    text = in_text(value, ", ")
    return text if isinstance(value, bool | int | float) else quoted(text)
