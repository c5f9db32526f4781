"""Convert texts and values of a settings file to values of settings, and back.

A text is converted to the type of the setting. msgspec then checks the constraints in that type,
and messages name them as the expected value. Unknown keys of a policy are rejected, because a
misspelled tier could let a regression pass.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from mt_gate.base.errors import UsageError, check_path, did_you_mean, page, quoted, unknown
from mt_gate.settings.policy import (
    MOST,
    TESTED,
    Accepted,
    Entry,
    MustHold,
    Policy,
    RelationId,
    Shares,
    task_of,
)
from mt_gate.settings.record import SETTINGS, Text, dashed, one_of
from mt_gate.tasks.table import TASKS

R = TypeVar("R", bound=msgspec.Struct)
_EXPECTED = f"Expected tables of relations, tasks, shares, must-hold and accepted: {page('policy')}"
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


def fitting(where: str, form: Any, read: Any, value: Any) -> Any:
    """Convert ``read`` to a type with constraints; messages show ``value`` as the user wrote it.

    Raises UsageError: it does not fit.
    """
    try:
        return msgspec.convert(read, form)
    except (msgspec.ValidationError, UnicodeEncodeError):  # the second for bytes that are not UTF-8
        meant = did_you_mean(value, said(form, "names") or ())
        text = f"{where} must be {_expected(form)} (got {quoted(value)}).{meant}"
        raise UsageError(text) from None


def said(form: Any, key: str) -> Any:
    """Return an item of the extra data of a type's constraints; None if they lack it."""
    metas = [item for item in getattr(form, "__metadata__", ()) if isinstance(item, Meta)]
    return next((item.extra[key] for item in metas if item.extra and key in item.extra), None)


def _expected(form: Any) -> str:
    """Describe the values that a type with constraints allows."""
    if words := said(form, "expected"):
        return str(words)
    plain = form.__origin__ if get_origin(form) is Annotated else form
    if plain is bool:
        return "true or false"
    if plain in (int, float):
        whole = "whole " if plain is int else ""
        low, high = (
            str(number) if isinstance(number, int) else f"{number:f}".rstrip("0").rstrip(".")
            for number in (_constraint(form, name) for name in ("ge", "le"))
        )
        return f"a {whole}number from {low} to {high}"
    most, longest = (_constraint(item, "max_length") for item in (form, get_args(plain)[0]))
    return (
        f"{f'at most {most} ' if most else ''}names"
        f"{f' of at most {longest} characters' if longest else ''}, separated by commas"
    )


def _constraint(form: Any, name: str) -> Any:
    metas = [item for item in getattr(form, "__metadata__", ()) if isinstance(item, Meta)]
    values = [getattr(item, name) for item in metas]
    return next((value for value in values if value is not None), None)


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
    """Convert a table, or ``NAME=VALUE`` pairs separated by commas; a rate alone is for all names.

    Raises UsageError: a value does not fit, or a name is there twice.
    """
    item = get_args(form.__origin__)[1]
    kind = get_origin(item.__origin__) or item.__origin__
    read: Any = value
    if isinstance(value, str):
        read = {}
        for part in _parts(value):
            # The id of a relation may contain an equals sign, and so may a text.
            name, _, text = part.rpartition("=") if kind is float else part.partition("=")
            name = name.strip() or ("*" if kind is float else "")
            if name in read:
                raise UsageError(
                    f"{where} names {quoted(name)} twice (got {quoted(value)}). Name it once."
                )
            read[name] = text.strip()
    elif kind is float and not isinstance(value, dict):
        read = {"*": value}
    if kind is float:
        read = {
            str(name): fitting(
                f"{where} ({quoted(str(name))})", item, _read_text(float, rate), rate
            )
            for name, rate in read.items()
        }
    elif kind is tuple and isinstance(read, dict):  # each name has at least one alternative
        lists = {
            name: one.split("|") if isinstance(one, str) else one for name, one in read.items()
        }
        read = {name: _read_text(tuple, some) for name, some in lists.items()} or None
    elif isinstance(read, dict) and len({*map(str, read.values())}) < len(read):
        read = None  # two names have one text
    return fitting(where, form, read, value)


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


def default_text(name: str) -> str:
    """Return the text of a setting's default; empty if it has none."""
    setting = SETTINGS[name]
    if setting.default_text or setting.kind is bool or setting.default is None:
        return setting.default_text
    number = isinstance(setting.default, float)
    return f"{setting.default:g}" if number else in_text(setting.default)


def read_policy(where: str, value: Any) -> Policy:
    """Return a checked policy from a TOML table, a TOML text, or a policy that was checked before.

    Raises UsageError: unknown keys, values outside what is allowed, or parts that contradict.
    """
    if isinstance(value, Policy):
        return value
    table = value
    if isinstance(value, str):
        try:
            table = tomllib.loads(value)
        except (ValueError, RecursionError):
            raise UsageError(f"{where} is not valid TOML. {_EXPECTED}") from None
    if not isinstance(table, Mapping):
        raise UsageError(f"{where} is {quoted(value)}. {_EXPECTED}")
    parts = _keys(where, table, Policy)
    policy = Policy(
        shares=_record(f"{where}: shares", parts.get("shares", {}), Shares),
        tasks=dict(_entries(where, "tasks", parts)),
        relations=dict(_entries(where, "relations", parts)),
        must_hold=tuple(_records(where, "must_hold", parts, MustHold)),
        accepted=tuple(_records(where, "accepted", parts, Accepted)),
    )
    _check_names(where, policy)
    _check_shares(where, policy)
    for name, items in (
        ("must-hold", [item.group for item in policy.must_hold]),
        ("accepted", [item.relation for item in policy.accepted]),
    ):
        twice = _twice(items)
        if twice is not None:
            raise UsageError(f"{where}: {name} names {quoted(twice)} twice. Name it once.")
    return policy


def _keys(where: str, table: Mapping[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a table's values by the names of a record's fields."""
    known = kind.__struct_fields__
    values = {str(key).replace("-", "_"): value for key, value in table.items()}
    if len(values) < len(table):
        twice = _twice(str(key).replace("-", "_") for key in table)
        raise UsageError(f"{where}: {dashed(str(twice))} and {twice} are the same key. Use one.")
    odd = sorted(set(values) - set(known))
    if odd:
        raise UsageError(f"{where}: {unknown('key', dashed(odd[0]), [*map(dashed, known)])}")
    return values


def _entries(where: str, name: str, parts: Mapping[str, Any]) -> Iterator[tuple[str, Entry]]:
    table = parts.get(name, {})
    if not isinstance(table, Mapping) or len(table) > MOST:
        raise UsageError(f"{where}: {name} must be a table by name (got {quoted(table)}).")
    for key, value in table.items():
        yield str(key), _record(f"{where}: {name}.{_named(str(key))}", value, Entry)


def _records(where: str, name: str, parts: Mapping[str, Any], kind: type[R]) -> Iterator[R]:
    items = parts.get(name, [])
    if not isinstance(items, list) or len(items) > MOST:
        raise UsageError(f"{where}: {dashed(name)} must be a list of tables, not {quoted(items)}.")
    for number, item in enumerate(items, 1):
        yield _record(f"{where}: {dashed(name)} {number}", item, kind)


def _record(where: str, value: Any, kind: type[R]) -> R:
    """Return the record of a table, with every value checked."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} must be a table (got {quoted(value)}).")
    values = _keys(where, value, kind)
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    hints = get_type_hints(kind, include_extras=True)
    missing = [name for name, field in fields.items() if field.required and name not in values]
    if missing:
        raise UsageError(f"{where}: {dashed(missing[0])} is missing. Add it.")
    read = {}
    for name, item in values.items():
        # Use a field's type without None. Pass a day as text, but not a time, which is no day.
        kinds = get_args(hints[name])
        form = kinds[0] if type(None) in kinds else hints[name]
        is_day = isinstance(item, date) and not isinstance(item, datetime)
        plain = item.isoformat() if is_day else item
        read[name] = fitting(f"{where}: {dashed(name)}", form, plain, item)
    if "expires" in read:
        try:
            date.fromisoformat(read["expires"])
        except ValueError:
            day = quoted(read["expires"])
            raise UsageError(
                f"{where}: expires must be a day like 2027-01-31 (got {day})."
            ) from None
    return kind(**read)


def _check_names(where: str, policy: Policy) -> None:
    """Reject unknown tasks; ``preparing.check_policy`` checks the relations."""
    known = ", ".join(TASKS)
    for name in (*policy.tasks, *(item.task for item in policy.must_hold if item.task)):
        if name not in TASKS:
            raise UsageError(f"{where}: tasks: {unknown('task', name, list(TASKS))}")
        if name in policy.tasks and policy.tasks[name].share is not None:
            raise UsageError(
                f"{where}: tasks.{name}: a share is for one relation. Set it under relations, or "
                "split alpha over tiers under shares."
            )
    for name in policy.named():
        fitting(f"{where}: relation", RelationId, name, name)
        if task_of(name) not in TASKS:
            raise UsageError(
                f"{where}: relation {quoted(name)} does not begin with a task. Expected an id such "
                f"as ner/structural. Tasks: {known}."
            )


def _check_shares(where: str, policy: Policy) -> None:
    """Reject shares that add up to more than alpha, or leave no alpha for other relations."""
    tiers = [share for share in (policy.shares.block, policy.shares.warn) if share is not None]
    if sum(tiers) > 1 + 1e-9:
        raise UsageError(
            f"{where}: shares add up to {sum(tiers):g} of alpha. They must add up to at most 1."
        )
    for task in dict.fromkeys(map(task_of, policy.relations)):
        for tier in TESTED:
            taken = policy.taken(tier, task)
            if taken > 1 - 1e-9:
                raise UsageError(
                    f"{where}: the shares of task {task}, tier {tier}, add up to {taken:g}. They "
                    "must add up to less than 1: the rest is for all other relations."
                )
    for name in policy.relations:
        if policy.of(name).share is not None and policy.tier(name) not in TESTED:
            raise UsageError(
                f"{where}: relations.{_named(name)} has a share, but is not tested (tier "
                f"{policy.tier(name)}). Omit the share, or change the tier."
            )


def _twice(items: Iterable[str]) -> str | None:
    return next((item for item, number in Counter(items).items() if number > 1), None)


def _named(name: str) -> str:
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def policy_text(policy: Policy) -> str:
    """Return a policy as TOML text, one line per table; empty for an empty policy."""
    built = msgspec.to_builtins(policy)
    lines = [f"shares = {_inline(built['shares'])}"] if built.get("shares") else []
    for name in ("tasks", "relations"):
        entries = built.get(name, {})
        lines += [f"{name}.{_named(key)} = {_inline(entry)}" for key, entry in entries.items()]
    for name in ("must_hold", "accepted"):
        if items := built.get(name):
            lines.append(f"{dashed(name)} = [{', '.join(map(_inline, items))}]")
    return "\n".join(lines)


def _inline(entry: Mapping[str, Any]) -> str:
    return f"{{{', '.join(f'{dashed(name)} = {_plain(value)}' for name, value in entry.items())}}}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_plain(key)} = {_plain(part)}' for key, part in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)
