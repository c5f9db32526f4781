"""From texts and values of a file to values of settings, and back.

A text is read into the kind of value that a setting's type names. Whether that fits is msgspec's
to say, by the constraints in the type; what was expected is told from these, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from mt_gate.base.errors import UsageError, check_path, quoted
from mt_gate.settings.forms import Text, fitting, one_of, said
from mt_gate.settings.policy import Policy
from mt_gate.settings.policy_reading import policy_text, read_policy
from mt_gate.settings.record import SETTINGS, dashed

_MOST_DIGITS = 9
"""Of a whole number; Python takes its time to read thousands."""


def checked(where: str, name: str, value: Any) -> Any:
    """Return the value of a setting, read and checked.

    Args:
        where: what gave it, for the message.
        name: the setting's, with underscores.
        value: a text, what a settings file has, or a value that is checked already.

    Raises:
        UsageError: a value outside what is allowed.
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
    read = _READERS.get(setting.kind, _as_it_is)(value)
    found = fitting(where, form, read, value)
    if said(form, "path"):
        check_path(where, found)
    return found


def _as_it_is(value: Any) -> Any:
    return value


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _whole(value: Any) -> Any:
    text = value.strip() if isinstance(value, str) else ""
    digits = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if digits else value


def _flag(value: Any) -> Any:
    words = {"true": True, "false": False}
    return words.get(value.strip().lower(), value) if isinstance(value, str) else value


def _names(value: Any) -> Any:
    """Read names with commas or line ends between them, or a list of names; each counts once."""
    items = _parts(value) if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        return value
    return tuple(dict.fromkeys(item.strip() for item in items if item.strip()))


def _parts(text: str) -> list[str]:
    return [part for part in text.replace("\n", ",").split(",") if part.strip()]


_READERS: dict[Any, Callable[[Any], Any]] = {
    bool: _flag,
    float: _number,
    int: _whole,
    tuple: _names,
}


def _mapping(where: str, form: Any, value: Any) -> Any:
    item = get_args(form.__origin__)[1]
    if item.__origin__ is str:
        return fitting(where, form, _texts(value), value)
    if get_origin(item.__origin__) is tuple:
        return fitting(where, form, _lists(value), value)
    rates = {
        str(name): fitting(f"{where} ({quoted(str(name))})", item, _number(rate), rate)
        for name, rate in _rates(where, value).items()
    }
    return fitting(where, form, rates, value)


def _texts(value: Any) -> Any:
    """Read ``NAME=TEXT,NAME=TEXT``, or a table; nothing where two of either are the same."""
    pairs = [part.partition("=") for part in _parts(value)] if isinstance(value, str) else []
    read = {name.strip(): text.strip() for name, _, text in pairs} if pairs else value
    if not isinstance(read, dict) or len(read) < len(pairs):
        return None
    return read if len({*map(str, read.values())}) == len(read) else None


def _lists(value: Any) -> Any:
    """Read ``NAME=TEXT|TEXT,NAME=TEXT``, or a table of texts or lists; nothing where one is twice.

    A name without a text, and a table that is empty, name nothing.
    """
    pairs = [part.partition("=") for part in _parts(value)] if isinstance(value, str) else []
    read = {name.strip(): texts for name, _, texts in pairs} if pairs else value
    if not isinstance(read, dict) or not read or len(read) < len(pairs):
        return None
    return {name: _alternatives(texts) for name, texts in read.items()}


def _alternatives(value: Any) -> Any:
    parts = value.split("|") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        return None
    return tuple(dict.fromkeys(part.strip() for part in parts))


def _rates(where: str, value: Any) -> dict[Any, Any]:
    """Read one rate for all, a table, or ``NAME=RATE`` pairs with commas between.

    Raises:
        UsageError: a name stands there twice.
    """
    if isinstance(value, str):
        pairs = [part.rpartition("=") for part in _parts(value)]
        names = Counter(name.strip() or "*" for name, _, _ in pairs)
        if twice := next((name for name, times in names.items() if times > 1), ""):
            raise UsageError(
                f"{where} is {quoted(value)}; {quoted(twice)} stands there twice; give it once"
            )
        return {name.strip() or "*": rate for name, _, rate in pairs}
    return value if isinstance(value, dict) else {"*": value}


def in_text(value: Any, comma: str = ",") -> str:
    """Return the text that is read as this value of a setting."""
    match value:
        case bool():
            return str(value).lower()
        case Policy():
            return policy_text(value)
        case tuple():
            return comma.join(value)
        case Mapping():
            return comma.join(f"{name}={_item(item)}" for name, item in value.items())
    return str(value)


def _item(value: Any) -> str:
    return "|".join(value) if isinstance(value, tuple) else str(value)


def option_words(name: str, value: Any) -> list[str]:
    """Return the words of a command line that say this value of a setting; none for no value."""
    if value is None or value is False or value in ("", (), Policy()) or value == {}:
        return []
    return [f"--{dashed(name)}", *([] if value is True else [in_text(value)])]


def default_text(name: str) -> str:
    """Return what holds where a setting is left out, in words; empty where nothing does."""
    setting = SETTINGS[name]
    if setting.default_text or setting.kind is bool or setting.default is None:
        return setting.default_text
    number = isinstance(setting.default, float)
    return f"{setting.default:g}" if number else in_text(setting.default)
