"""Convert texts and values of a settings file to values of settings, and back.

A text is converted to the type of the setting. msgspec then checks the constraints in that type,
and messages name them as the expected value.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from mt_gate.base.errors import UsageError, check_path, quoted
from mt_gate.settings.forms import Text, fitting, one_of, said
from mt_gate.settings.policy import Policy
from mt_gate.settings.policy_reading import policy_text, read_policy
from mt_gate.settings.record import SETTINGS, dashed

_MOST_DIGITS = 9
"""Digits of a whole number; Python is slow on numbers with thousands of them."""


def checked(where: str, name: str, value: Any) -> Any:
    """Return the value of a setting, converted and checked; messages name ``where`` it comes from.

    ``value`` is a text, a value of a settings file, or a value that was checked before.

    Raises UsageError: a value outside what is allowed.
    """
    setting = SETTINGS[name]
    form = Annotated[str, one_of(setting.names())] if setting.names else setting.form
    if setting.kind is Path:
        if not isinstance(value, Path):
            fitting(where, Text, value, value)
        check_path(where, value)
        return Path(value)
    if setting.kind is Policy:
        return read_policy(where, value)
    if setting.kind is Mapping:
        return _mapping(where, form, value)
    fitted = fitting(where, form, _read_text(setting.kind, value), value)
    if said(form, "path"):
        check_path(where, fitted)
    return fitted


def _read_text(kind: Any, value: Any) -> Any:
    """Convert a text to a kind of value; return other values, and unreadable texts, unchanged."""
    if kind is tuple:
        items = _parts(value) if isinstance(value, str) else value
        if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
            return value
        return tuple(dict.fromkeys(item.strip() for item in items if item.strip()))
    if not isinstance(value, str):
        return value
    text = value.strip()
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), value)
    if kind is int:
        digits = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
        return int(text) if digits else value
    if kind is float:
        with suppress(ValueError):
            return float(value)
    return value


def _parts(text: str) -> list[str]:
    return [part for part in text.replace("\n", ",").split(",") if part.strip()]


def _mapping(where: str, form: Any, value: Any) -> Any:
    item = get_args(form.__origin__)[1]
    if get_origin(item.__origin__) is None and item.__origin__ is not str:
        rates = {
            str(name): fitting(
                f"{where} ({quoted(str(name))})", item, _read_text(float, rate), rate
            )
            for name, rate in _rates(where, value).items()
        }
        return fitting(where, form, rates, value)
    # Each name has one text, and the texts must differ; or it has at least one alternative.
    pairs = [part.partition("=") for part in _parts(value)] if isinstance(value, str) else []
    read = {name.strip(): text.strip() for name, _, text in pairs} if pairs else value
    if not isinstance(read, dict) or len(read) < len(pairs):
        return fitting(where, form, None, value)
    if item.__origin__ is not str:
        lists = {name: _alternatives(texts) for name, texts in read.items()}
        return fitting(where, form, lists or None, value)
    different = len({*map(str, read.values())}) == len(read)
    return fitting(where, form, read if different else None, value)


def _alternatives(value: Any) -> Any:
    parts = value.split("|") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        return None
    return tuple(dict.fromkeys(part.strip() for part in parts))


def _rates(where: str, value: Any) -> dict[Any, Any]:
    """Read one rate for all, a table, or ``NAME=RATE`` pairs separated by commas.

    Raises UsageError: a name is there twice.
    """
    if not isinstance(value, str):
        return value if isinstance(value, dict) else {"*": value}
    rates: dict[str, str] = {}
    for part in _parts(value):
        name, _, rate = part.rpartition("=")
        name = name.strip() or "*"
        if name in rates:
            raise UsageError(
                f"{where} names {quoted(name)} twice (got {quoted(value)}). Name it once."
            )
        rates[name] = rate
    return rates


def in_text(value: Any, comma: str = ",") -> str:
    """Return the text that ``checked`` converts to this value of a setting."""
    match value:
        case bool():
            return str(value).lower()
        case Policy():
            return policy_text(value)
        case tuple():
            return comma.join(value)
        case Mapping():
            return comma.join(f"{name}={in_text(item, '|')}" for name, item in value.items())
    return str(value)


def option_words(name: str, value: Any) -> list[str]:
    """Return the command-line arguments for this value of a setting; none if it is empty."""
    if value is None or value is False or value in ("", (), Policy()) or value == {}:
        return []
    return [f"--{dashed(name)}", *([] if value is True else [in_text(value)])]


def default_text(name: str) -> str:
    """Return the text of a setting's default; empty if it has none."""
    setting = SETTINGS[name]
    if setting.default_text or setting.kind is bool or setting.default is None:
        return setting.default_text
    number = isinstance(setting.default, float)
    return f"{setting.default:g}" if number else in_text(setting.default)
