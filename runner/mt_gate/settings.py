"""Flags, action inputs and ``mt-gate.toml`` become one frozen, validated record.

Flags override the file, the file overrides the defaults here.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.paths import check_path
from mt_gate.tasks.table import TASKS, listed

ALPHA = (1e-6, 0.5)
SHARE = (0.0, 1.0)
"""Least and most of a significance level, and of a margin or limit; of those in results, too."""
DEVICES = ("auto", "cpu", "cuda")
CONFIG = Path("mt-gate.toml")
MAX_BYTES = 1 << 20
"""Bytes of a settings file; those of a large suite's limits are a few thousand."""
OUT = Path("mt-gate-out")
TESTED = ("checkpoint", "system")
"""The two ways to name what is tested."""
ANSWERS = ("yes", "no")
"""The two answers of task boolq, for which a checkpoint may have words of its own."""
OF_CHECKPOINTS = ("answers", "max_length", "max_memory")
"""Settings of checkpoints: other systems have none of it."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a run does; names are the flags' with underscores.

    Of ``checkpoint`` and ``system`` one is set, the other empty.
    """

    task: str
    suite: str
    checkpoint: str = ""
    system: str = ""
    baseline: Path | None = None
    out: Path = OUT
    device: str = "auto"
    timeout: float = 60.0
    max_memory: float | None = None
    system_environment: tuple[str, ...] = ()
    alpha: float = 0.05
    margin: float = 0.01
    strict: bool = False
    relations: tuple[str, ...] = ()
    record_missing: bool = False
    cache: Path | None = None
    exclude: tuple[str, ...] = ()
    sources: int | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    max_length: int | None = None
    ontology: str = ""
    max_applicability_loss: float = 0.10
    max_violation_rate: Mapping[str, float] = field(default_factory=dict)
    must_hold: tuple[str, ...] = ()


def load(given: Mapping[str, Any], config: Path | None) -> Settings:
    """Merge and check settings.

    Args:
        given: what the command line or the action's inputs say, by setting's
            name; a setting left out, or None, never overrides the file.
        config: a file that must be there; None for ``mt-gate.toml`` if it is.

    Raises:
        UsageError: unknown keys, or values outside what is allowed.
    """
    path = config_path(config)
    return merged(given, read_file(path) if path else {}, path or CONFIG)


def config_path(config: Path | None) -> Path | None:
    """Return the settings file to read: the one named, else the default one if it is there."""
    return config or (CONFIG if os.path.lexists(CONFIG) else None)


def merged(given: Mapping[str, Any], stored: Mapping[str, Any], config: Path) -> Settings:
    """Return settings of which those ``given`` override those ``stored``.

    Args:
        given: see ``load``.
        stored: checked, by name.
        config: the file that messages advise to edit.

    Raises:
        UsageError: values outside what is allowed, or something that is needed is missing.
    """
    flags = {
        name: _checked(f"--{dashed(name)}", name, value)
        for name, value in given.items()
        if value is not None
    }
    _one_tested(flags, "the command line")
    values = {**beside(flags, stored), **flags}
    _complete(values, config)
    values.setdefault("suite", TASKS[values["task"]].default_suite)
    return Settings(**values)


def beside(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the ``second`` settings that mean anything beside the first.

    Who names what is tested overrides the other way to name it, too.
    """
    if not set(TESTED) & set(first):
        return dict(second)
    given_anew = {*TESTED, *(OF_CHECKPOINTS if "system" in first else ())}
    return {name: value for name, value in second.items() if name not in given_anew}


def read_file(path: Path) -> dict[str, Any]:
    """Return the checked settings of a file, by name with underscores.

    Raises:
        UsageError: unreadable, unknown keys, or values outside what is allowed.
    """
    try:
        data = files.read_whole(path, limit=MAX_BYTES, cause="check --config")
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    return parse(data, str(path))


def parse(data: bytes, where: str) -> dict[str, Any]:
    """Return the checked settings of a file's text, by name with underscores.

    Args:
        data: the text, as bytes.
        where: what messages call the file.

    Raises:
        UsageError: not TOML, unknown keys, or values outside what is allowed.
    """
    values = {key.replace("-", "_"): value for key, value in _table(data, where).items()}
    unknown = sorted(set(values) - set(SETTINGS))
    if unknown:
        known = ", ".join(map(dashed, SETTINGS))
        raise UsageError(f"{where}: unknown setting {quoted(dashed(unknown[0]))}; known: {known}")
    checked = {name: _checked(f"{where}: {name}", name, value) for name, value in values.items()}
    _one_tested(checked, where)
    return checked


def _table(data: bytes, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, not UTF-8, huge numbers
        # What is no settings file may be any file; its text is not ours to show.
        place = re.search(r"\(at [a-z0-9 ,]+\)", str(error))
        raise UsageError(
            f"{where}: not TOML{f' {place[0]}' if place else ''}; mend the file"
        ) from None


def dashed(name: str) -> str:
    """Return a setting's name as files, flags and inputs have it."""
    return name.replace("_", "-")


def _one_tested(values: Mapping[str, Any], where: str) -> None:
    if all(name in values for name in TESTED):
        raise UsageError(f"{where}: both checkpoint and system; expected one of the two")


def _complete(values: Mapping[str, Any], config: Path) -> None:
    if not set(TESTED) & set(values):
        raise UsageError(
            f"--checkpoint is missing; give it or --system, or set one of them in {config}"
        )
    if "task" not in values:
        raise UsageError(f"--task is missing; give it ({listed()}), or set task in {config}")
    check_answers_fit(values["task"], values.get("answers"))
    if values.get("ontology") and not TASKS[values["task"]].needs_ontology:
        known = listed(lambda task: task.needs_ontology)
        raise UsageError(
            f"--ontology: for task {known} only, the task is {values['task']}; leave it out"
        )
    for name in OF_CHECKPOINTS if "system" in values else ():
        if name in values:
            raise UsageError(
                f"--{dashed(name)}: is for checkpoints, the run is of "
                f"system {quoted(values['system'])}; leave it out"
            )


def check_answers_fit(task: str, answers: Mapping[str, str] | None) -> None:
    """Raise UsageError where a task whose answers are not yes and no is given words for them."""
    if answers and not TASKS[task].answers:
        known = listed(lambda task: task.answers)
        raise UsageError(f"--answers: for task {known} only, the task is {task}; leave it out")


def _checked(where: str, name: str, value: Any) -> Any:
    return SETTINGS[name].check(where, value)


def flag(name: str, value: str | None) -> Any:
    """Return the checked value of a flag that another command than ``run`` has too.

    Args:
        name: the setting's name, with underscores.
        value: what the command line says; None where the flag was left out.

    Raises:
        UsageError: a value outside what is allowed.
    """
    return None if value is None else _checked(f"--{dashed(name)}", name, value)


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise UsageError(f"{where} is {quoted(value)}; expected a text that is not empty")
    return value


def _path(where: str, value: Any) -> Path:
    return value if isinstance(value, Path) else Path(_place(where, value))


def _place(where: str, value: Any) -> str:
    """Read a path, or a name that may stand in its place."""
    text = _text(where, value)
    check_path(where, text)
    return text


def _choice(allowed: Collection[str]) -> Callable[[str, Any], str]:
    def check(where: str, value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise UsageError(f"{where} is {quoted(value)}; expected one of: {', '.join(allowed)}")
        return value

    return check


def _number(low: float, high: float) -> Callable[[str, Any], float]:
    def check(where: str, value: Any) -> float:
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not low <= number <= high:
            raise UsageError(
                f"{where} is {quoted(value)}; expected a number from {low:g} to {high:g}"
            )
        return number

    return check


def _flag(where: str, value: Any) -> bool:
    words = {"true": True, "false": False, True: True, False: False}
    key = value.strip().lower() if isinstance(value, str) else value
    if not isinstance(key, (str, bool)) or key not in words:
        raise UsageError(f"{where} is {quoted(value)}; expected true or false")
    return words[key]


def _names(where: str, value: Any) -> tuple[str, ...]:
    items = value.replace("\n", ",").split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise UsageError(f"{where} is {quoted(value)}; expected names, separated by commas")
    return tuple(dict.fromkeys(item.strip() for item in items if item.strip()))


def _rates(where: str, value: Any) -> dict[str, float]:
    """Read one rate for all, a table, or ``relation=rate`` pairs with commas between."""
    if isinstance(value, str):
        pairs = [item.rpartition("=") for item in _names(where, value)]
        value = {name.strip() or "*": rate for name, _, rate in pairs}
    elif not isinstance(value, dict):
        value = {"*": value}
    return {
        str(name): _number(*SHARE)(f"{where} ({quoted(str(name))})", rate)
        for name, rate in value.items()
    }


def _whole(low: int, high: int) -> Callable[[str, Any], int]:
    def check(where: str, value: Any) -> int:
        text = value.strip() if isinstance(value, str) else quoted(value)
        if isinstance(value, (str, int)) and text.isascii() and text.isdigit() and len(text) < 10:
            number = int(text)
            if low <= number <= high:
                return number
        raise UsageError(
            f"{where} is {quoted(value)}; expected a whole number from {low} to {high}"
        )

    return check


def _answers(where: str, value: Any) -> dict[str, str]:
    """Read ``yes=TEXT,no=TEXT``, or a table of the two."""
    if isinstance(value, str):
        pairs = [item.partition("=") for item in value.replace("\n", ",").split(",")]
        read = {name.strip(): text.strip() for name, _, text in pairs if name.strip()}
        twice = len(read) < sum(bool(name.strip()) for name, _, _ in pairs)
    else:
        read, twice = (dict(value) if isinstance(value, dict) else {}), False
    texts = [read.get(answer) for answer in ANSWERS]
    complete = set(read) == set(ANSWERS) and all(isinstance(t, str) and t.strip() for t in texts)
    if twice or not complete or texts[0] == texts[1]:
        raise UsageError(
            f"{where} is {quoted(value)}; expected yes=TEXT,no=TEXT, two different texts"
        )
    return {answer: str(read[answer]) for answer in ANSWERS}


def _variables(where: str, value: Any) -> tuple[str, ...]:
    names = _names(where, value)
    for name in names:
        if not _VARIABLE.fullmatch(name):
            raise UsageError(
                f"{where} is {quoted(value)}; expected names of environment variables, such as "
                "OUR_KEY, and no values"
            )
    return names


class Whose(Enum):
    """Who may say a setting where a pull request, or a merge group, is judged."""

    JUDGE = auto()
    """The base's: names a program, decides a verdict or what is believed, or leads later steps."""
    TESTED = auto()
    """The pull request's: what is tested, and how it is read; a change is told."""
    PLACE = auto()
    """The pull request's: where it is computed, which is no part of a verdict."""


class Setting(NamedTuple):
    """What a setting may be, and whose it is; ``check`` raises UsageError."""

    check: Callable[[str, Any], Any]
    whose: Whose


SETTINGS: dict[str, Setting] = {
    "checkpoint": Setting(_place, Whose.TESTED),
    "system": Setting(_text, Whose.JUDGE),
    "system_environment": Setting(_variables, Whose.JUDGE),
    "task": Setting(_choice(TASKS), Whose.JUDGE),
    "suite": Setting(_place, Whose.JUDGE),
    "baseline": Setting(_path, Whose.JUDGE),
    "out": Setting(_path, Whose.JUDGE),
    "device": Setting(_choice(DEVICES), Whose.PLACE),
    "timeout": Setting(_number(0.1, 86_400), Whose.JUDGE),
    "max_memory": Setting(_number(0.1, 100_000), Whose.JUDGE),
    "alpha": Setting(_number(*ALPHA), Whose.JUDGE),
    "margin": Setting(_number(*SHARE), Whose.JUDGE),
    "strict": Setting(_flag, Whose.JUDGE),
    "relations": Setting(_names, Whose.JUDGE),
    "exclude": Setting(_names, Whose.JUDGE),
    "sources": Setting(_whole(1, 10_000_000), Whose.JUDGE),
    "record_missing": Setting(_flag, Whose.JUDGE),
    "cache": Setting(_path, Whose.JUDGE),
    "answers": Setting(_answers, Whose.TESTED),
    "max_length": Setting(_whole(3, 1_000_000), Whose.TESTED),
    "ontology": Setting(_place, Whose.JUDGE),
    "max_applicability_loss": Setting(_number(*SHARE), Whose.JUDGE),
    "max_violation_rate": Setting(_rates, Whose.JUDGE),
    "must_hold": Setting(_names, Whose.JUDGE),
}
"""Every setting; ``docs/action.md`` says why each is whose it is."""


def of(values: Mapping[str, Any], whose: Whose) -> dict[str, Any]:
    """Return the settings among ``values`` that are ``whose``."""
    return {name: value for name, value in values.items() if SETTINGS[name].whose is whose}
