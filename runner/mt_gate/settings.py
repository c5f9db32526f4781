"""Flags, action inputs and ``mt-gate.toml`` become one frozen, validated record.

Flags override the file, the file overrides the defaults here.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mt_gate.errors import UsageError
from mt_gate.paths import check_path

ALPHA = (1e-6, 0.5)
SHARE = (0.0, 1.0)
"""Least and most of a significance level, and of a margin or limit; of those in results, too."""
DEVICES = ("auto", "cpu", "cuda")
TASKS = ("ner", "boolq", "re")
CONFIG = Path("mt-gate.toml")
OUT = Path("mt-gate-out")
TESTED = ("checkpoint", "system")
"""The two ways to name what is tested."""
ANSWERS = ("yes", "no")
"""The two answers of task boolq, for which a checkpoint may have words of its own."""
OF_CHECKPOINTS = ("answers", "max_length")
"""Settings that say how a checkpoint is read: other systems have none of it."""


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
    path = config or (CONFIG if CONFIG.is_file() else None)
    checked = read_file(path) if path else {}
    flags = {
        name: _checked(f"--{name.replace('_', '-')}", name, value)
        for name, value in given.items()
        if value is not None
    }
    _one_tested(flags, "the command line")
    if set(TESTED) & set(flags):  # a flag overrides the file's other way to say the same
        given_anew = {*TESTED, *(OF_CHECKPOINTS if "system" in flags else ())}
        checked = {name: value for name, value in checked.items() if name not in given_anew}
    checked |= flags
    _complete(checked, path or CONFIG)
    checked.setdefault("suite", f"{checked['task']}-default")
    return Settings(**checked)


def read_file(path: Path) -> dict[str, Any]:
    """Return the checked settings of a file, by name with underscores.

    Raises:
        UsageError: unreadable, unknown keys, or values outside what is allowed.
    """
    values = _read(path)
    checked = {name: _checked(f"{path}: {name}", name, value) for name, value in values.items()}
    _one_tested(checked, str(path))
    return checked


def _one_tested(values: Mapping[str, Any], where: str) -> None:
    if all(name in values for name in TESTED):
        raise UsageError(f"{where}: both checkpoint and system; expected one of the two")


def _complete(values: Mapping[str, Any], config: Path) -> None:
    if not set(TESTED) & set(values):
        raise UsageError(
            f"--checkpoint is missing; give it or --system, or set one of them in {config}"
        )
    if "task" not in values:
        raise UsageError(f"--task is missing; give it (ner, boolq or re), or set task in {config}")
    check_answers_fit(values["task"], values.get("answers"))
    if values.get("ontology") and values["task"] != "re":
        raise UsageError(
            f"--ontology: for task re only, the task is {values['task']}; leave it out"
        )
    for name in OF_CHECKPOINTS if "system" in values else ():
        if name in values:
            raise UsageError(
                f"--{name.replace('_', '-')}: says how a checkpoint is read, the run is of "
                f"system {values['system']}; leave it out"
            )


def check_answers_fit(task: str, answers: Mapping[str, str] | None) -> None:
    """Raise UsageError where a task whose answers are not yes and no is given words for them."""
    if answers and task != "boolq":
        raise UsageError(f"--answers: for task boolq only, the task is {task}; leave it out")


def _read(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); check --config") from None
    except ValueError as error:  # no TOML, no UTF-8, or a number of thousands of digits
        raise UsageError(f"{path}: not TOML ({error}); mend the file") from None
    except RecursionError:
        raise UsageError(f"{path}: nested too deeply; mend the file") from None
    values = {key.replace("-", "_"): value for key, value in table.items()}
    unknown = sorted(set(values) - set(_CHECKS))
    if unknown:
        known = ", ".join(name.replace("_", "-") for name in _CHECKS)
        raise UsageError(
            f"{path}: unknown setting {unknown[0].replace('_', '-')!r}; known: {known}"
        )
    return values


def _checked(where: str, name: str, value: Any) -> Any:
    return _CHECKS[name](where, value)


def flag(name: str, value: str | None) -> Any:
    """Return the checked value of a flag that another command than ``run`` has too.

    Args:
        name: the setting's name, with underscores.
        value: what the command line says; None where the flag was left out.

    Raises:
        UsageError: a value outside what is allowed.
    """
    return None if value is None else _checked(f"--{name.replace('_', '-')}", name, value)


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise UsageError(f"{where} is {value!r}; expected a text that is not empty")
    return value


def _path(where: str, value: Any) -> Path:
    return value if isinstance(value, Path) else Path(_place(where, value))


def _place(where: str, value: Any) -> str:
    """Read a path, or a name that may stand in its place."""
    text = _text(where, value)
    check_path(where, text)
    return text


def _choice(allowed: tuple[str, ...]) -> Callable[[str, Any], str]:
    def check(where: str, value: Any) -> str:
        if value not in allowed:
            raise UsageError(f"{where} is {value!r}; expected one of: {', '.join(allowed)}")
        return str(value)

    return check


def _number(low: float, high: float) -> Callable[[str, Any], float]:
    def check(where: str, value: Any) -> float:
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not low <= number <= high:
            raise UsageError(f"{where} is {value!r}; expected a number from {low:g} to {high:g}")
        return number

    return check


def _flag(where: str, value: Any) -> bool:
    words = {"true": True, "false": False, True: True, False: False}
    key = value.strip().lower() if isinstance(value, str) else value
    if not isinstance(key, (str, bool)) or key not in words:
        raise UsageError(f"{where} is {value!r}; expected true or false")
    return words[key]


def _names(where: str, value: Any) -> tuple[str, ...]:
    items = value.replace("\n", ",").split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise UsageError(f"{where} is {value!r}; expected names, separated by commas")
    return tuple(dict.fromkeys(item.strip() for item in items if item.strip()))


def _rates(where: str, value: Any) -> dict[str, float]:
    """Read one rate for all, a table, or ``relation=rate`` pairs with commas between."""
    if isinstance(value, str):
        pairs = [item.rpartition("=") for item in _names(where, value)]
        value = {name.strip() or "*": rate for name, _, rate in pairs}
    elif not isinstance(value, dict):
        value = {"*": value}
    return {str(name): _number(*SHARE)(f"{where} ({name})", rate) for name, rate in value.items()}


def _whole(low: int, high: int) -> Callable[[str, Any], int]:
    def check(where: str, value: Any) -> int:
        text = str(value).strip()
        if isinstance(value, (str, int)) and text.isascii() and text.isdigit() and len(text) < 10:
            number = int(text)
            if low <= number <= high:
                return number
        raise UsageError(f"{where} is {value!r}; expected a whole number from {low} to {high}")

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
        raise UsageError(f"{where} is {value!r}; expected yes=TEXT,no=TEXT, two different texts")
    return {answer: str(read[answer]) for answer in ANSWERS}


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "checkpoint": _place,
    "system": _text,
    "task": _choice(TASKS),
    "suite": _place,
    "baseline": _path,
    "out": _path,
    "device": _choice(DEVICES),
    "timeout": _number(0.1, 86_400),
    "alpha": _number(*ALPHA),
    "margin": _number(*SHARE),
    "strict": _flag,
    "relations": _names,
    "exclude": _names,
    "sources": _whole(1, 10_000_000),
    "record_missing": _flag,
    "cache": _path,
    "answers": _answers,
    "max_length": _whole(3, 1_000_000),
    "ontology": _place,
    "max_applicability_loss": _number(*SHARE),
    "max_violation_rate": _rates,
    "must_hold": _names,
}
