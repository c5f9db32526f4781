"""Merge options, action inputs and a settings file into one immutable, validated record.

The file is ``mt-gate.toml``; without it, the table ``tool.mt-gate`` of ``pyproject.toml``. Options
and inputs override the file, and the file overrides the defaults of ``Settings``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base import files
from mt_gate.base.console import say
from mt_gate.base.errors import CannotJudge, UsageError, quoted, unknown
from mt_gate.settings.record import CONFIG, SETTINGS, Settings, dashed
from mt_gate.settings.values import checked
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS, listed

MAX_BYTES = 1 << 20
"""Maximum bytes of a settings file; limits for all relations take a few thousand."""
PYPROJECT = Path("pyproject.toml")
FILES = (CONFIG, PYPROJECT)
"""Names of settings files, the preferred one first."""
_TABLE = ("tool", "mt-gate")
"""Table of ``pyproject.toml`` with the settings."""
TESTED = ("checkpoint", "system")
"""The two settings that name the tested system."""
AGAINST, BASELINE = "against", "baseline"
"""The two settings that name the base or baseline of the comparison."""
_OF_AGAINST = ("base_precision", "base_device", "base_threads", "base_prompt")
OF_BOTH = ("answers", "backend", "max_length", "max_memory")
"""Settings of checkpoints that also apply to the base (``against``) if it is a checkpoint."""
OF_CHECKPOINTS = tuple(name for name, setting in SETTINGS.items() if setting.of_checkpoints)
OF_ENDPOINTS = tuple(name for name, setting in SETTINGS.items() if setting.of_endpoints)
ENDPOINT = "openai:"
"""Prefix of ``--system`` and ``--against`` for a language model behind an endpoint."""


class StoredSettings(NamedTuple):
    """A settings file, and its checked settings by name with underscores."""

    path: Path
    values: dict[str, Any]


def load(values: Mapping[str, Any], config: Path | None) -> Settings:
    """Merge and check settings.

    A setting that is missing in ``values``, or None there, does not override the file. The file
    ``config`` must exist; if None, read ``mt-gate.toml`` or ``pyproject.toml`` if there is one.

    Raises UsageError: unknown keys, or values that are not allowed.
    """
    stored = find_settings(config)
    return merged(values, stored.values if stored else {}, config or CONFIG)


def merged(values: Mapping[str, Any], stored: Mapping[str, Any], config: Path) -> Settings:
    """Return settings; ``values`` override the settings ``stored`` in a file.

    Raises UsageError: values that are not allowed, or a required setting is missing.
    """
    flags = {
        name: checked(f"--{dashed(name)}", name, value)
        for name, value in values.items()
        if value is not None
    }
    _one_tested(flags, "the command line")
    merged_values = {**drop_conflicting(flags, stored), **flags}
    for name in () if merged_values.get(AGAINST) else _OF_AGAINST:
        if name in flags:
            raise UsageError(f"--{dashed(name)} is for the base. Pass a base with --against.")
    _complete(merged_values, config)
    for name in merged_values:
        if SETTINGS[name].deprecated:
            say(f"{dashed(name)} is deprecated {SETTINGS[name].deprecated}")
    merged_values.setdefault("suite", TASKS[merged_values["task"]].default_suite)
    return Settings(**merged_values)


def drop_conflicting(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``second`` settings without those that conflict with the first.

    If the first name a tested system, drop the second's; likewise for a baseline or a base. Drop
    settings of endpoints if neither system is one, and settings of labels for tasks without labels.
    """
    overridden: set[str] = set()
    if set(TESTED) & set(first):
        overridden |= {*TESTED, *(OF_CHECKPOINTS if "system" in first else ())}
        overridden -= {*OF_BOTH} if {**second, **first}.get(AGAINST) else set()
    if AGAINST in first:
        overridden |= {BASELINE, "record_missing"}
    elif BASELINE in first:
        overridden |= {AGAINST, *_OF_AGAINST}
    task = TASKS.get(first.get("task", ""))
    if task and not task.label_map:  # several tasks may share a settings file
        overridden |= {"threshold"} if task.spans else {"label_map", "threshold"}
    rest = {name: value for name, value in second.items() if name not in overridden}
    if set(TESTED) & set(first) and set(OF_ENDPOINTS) & set(rest):
        unused = _unused_of_endpoints({**rest, **first})
        return {name: value for name, value in rest.items() if name not in unused}
    return rest


def _unused_of_endpoints(values: Mapping[str, Any]) -> dict[str, str]:
    """Return unused settings of endpoints, each with the setting that would name an endpoint."""
    named = {name: AGAINST if name == "base_prompt" else "system" for name in OF_ENDPOINTS}
    return {
        name: of
        for name, of in named.items()
        if not any(values.get(one, "").startswith(ENDPOINT) for one in {of, AGAINST})
    }


def read_file(config: Path | None) -> dict[str, Any]:
    """Return the checked settings of a file, by name with underscores; see ``find_settings``."""
    stored = find_settings(config)
    return stored.values if stored else {}


def find_settings(config: Path | None) -> StoredSettings | None:
    """Return the settings file to use; None if there is none.

    The file ``config`` must exist; if None, use the first of ``FILES`` that has settings. Raises
    UsageError: the file is unreadable, or has unknown keys or values that are not allowed.
    """
    stored: StoredSettings | None = None
    for path in [config] if config else FILES:
        if config is None and not os.path.lexists(path):
            continue
        try:
            data = files.read_whole(path, limit=MAX_BYTES, cause="Check --config.")
        except CannotJudge as error:
            if stored is not None:
                continue
            raise UsageError(str(error)) from None
        if stored is not None:
            if has_settings(data, path):
                both = f"{stored.path} and {describe(path)} both have settings"
                say(f"{both}. mt-gate uses only {stored.path}. Remove one of them.")
        elif (values := parse(data, path)) is not None:
            stored = StoredSettings(path, values)
        elif config is not None:
            raise UsageError(f"{path} has no table [{'.'.join(_TABLE)}]. Add it.")
    return stored


def describe(path: Path) -> str:
    """Return the name of a settings file in messages."""
    return f"[{'.'.join(_TABLE)}] of {path}" if path.name == PYPROJECT.name else str(path)


def read_toml(data: bytes, where: str) -> dict[str, Any]:
    """Return the table of a TOML file. Raises UsageError."""
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, not UTF-8, huge numbers
        # It may be any file, perhaps a private one, so do not show its text.
        place = re.search(r"\(at [a-z0-9 ,]+\)", str(error))
        at = f" {place[0]}" if place else ""
        raise UsageError(
            f"{where} cannot be read: the file is not valid TOML{at}. Fix the file."
        ) from None


def settings_table(table: Mapping[str, Any], path: Path) -> Mapping[str, Any] | None:
    """Return the part of a file with settings of mt-gate; None if ``pyproject.toml`` has none."""
    if path.name != PYPROJECT.name:
        return table
    inner: Any = table
    for name in _TABLE:
        inner = inner.get(name) if isinstance(inner, Mapping) else None
    if inner is not None and not isinstance(inner, Mapping):
        raise UsageError(f"{describe(path)} is {quoted(inner)}. Expected a table. Fix it.")
    return inner


def has_settings(data: bytes, path: Path) -> bool:
    """Return whether a file has settings of mt-gate; a file that is not TOML has none."""
    with suppress(UsageError):
        return settings_table(read_toml(data, str(path)), path) is not None
    return False


def parse(data: bytes, path: Path, where: str = "") -> dict[str, Any] | None:
    """Return the checked settings of a file's text; None if ``pyproject.toml`` has none.

    Messages name ``where``, by default the path. Raises UsageError: not TOML, unknown keys, or
    values that are not allowed.
    """
    where = where or describe(path)
    table = settings_table(read_toml(data, where), path)
    if table is None:
        return None
    keys: dict[str, str] = {}
    for key in table:
        name = key.replace("-", "_")
        if name in keys:
            raise UsageError(
                f"{where}: {quoted(keys[name], 60)} and {quoted(key, 60)} are the same setting. "
                "Omit one of them."
            )
        keys[name] = key
    odd = sorted(set(keys) - set(SETTINGS))
    if odd:
        known = [*map(dashed, SETTINGS)]
        raise UsageError(f"{where}: {unknown('setting', dashed(odd[0]), known)}")
    settings = {name: checked(f"{where}: {key}", name, table[key]) for name, key in keys.items()}
    _one_tested(settings, where)
    return settings


def _one_tested(values: Mapping[str, Any], where: str) -> None:
    if all(name in values for name in TESTED):
        raise UsageError(f"{where}: both checkpoint and system are set. Set one of them.")
    for name in (BASELINE, "record_missing"):
        if values.get(AGAINST) and values.get(name):
            raise UsageError(
                f"{where}: both against and {dashed(name)} are set. A run against a base "
                "checkpoint needs no baseline. Set one of them."
            )


def _complete(values: Mapping[str, Any], config: Path) -> None:
    if not set(TESTED) & set(values):
        raise UsageError(f"--checkpoint is missing. Pass it or --system, or set one in {config}.")
    if "task" not in values:
        known = ", ".join(TASKS)
        raise UsageError(f"--task is missing. Pass one of {known}, or set task in {config}.")
    check_fits_task(values["task"], values)
    for name in OF_CHECKPOINTS if "system" in values else ():
        if name in values and not (values.get(AGAINST) and name in OF_BOTH):
            raise UsageError(
                f"--{dashed(name)} is for checkpoints, but the run is of system "
                f"{quoted(values['system'])}. Omit it."
            )
    of_endpoints = set(OF_ENDPOINTS) & set(values)
    for name, of in _unused_of_endpoints(values).items() if of_endpoints else ():
        if name in of_endpoints:
            raise UsageError(
                f"--{dashed(name)} is for a language model. Name one with --{of} openai:MODEL, or "
                f"omit --{dashed(name)}."
            )


_OF_TASKS: Mapping[str, Callable[[TaskSpec], object]] = {
    "answers": lambda task: task.answers,
    "label_map": lambda task: task.label_map or task.spans,
    "threshold": lambda task: task.label_map,
    "ontology": lambda task: task.needs_ontology,
}
"""Settings that only some tasks support, each with a check of a task."""


def check_fits_task(task: str, values: Mapping[str, Any]) -> None:
    """Raise UsageError for a setting that a task does not support."""
    for name, has in _OF_TASKS.items():
        if values.get(name) and not has(TASKS[task]):
            raise UsageError(
                f"--{dashed(name)} works only with task {listed(has)}, not {task}. Omit it."
            )


def check_missing(record_missing: bool | None, baseline: Path | None) -> None:
    """Raise UsageError if record-missing is set without a baseline file."""
    if record_missing and baseline is None:
        raise UsageError("--record-missing needs a baseline file to write. Add --baseline FILE.")
