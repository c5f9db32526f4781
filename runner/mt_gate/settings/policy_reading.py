"""From the table ``policy`` of ``mt-gate.toml`` to a checked policy, and back to its text.

Every key is known or refused: a misspelled tier would else let a loss pass.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from mt_gate.base.errors import UsageError, page, quoted, unknown
from mt_gate.settings.forms import fitting
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
from mt_gate.settings.record import dashed
from mt_gate.tasks.table import TASKS

R = TypeVar("R", bound=msgspec.Struct)
_EXPECTED = f"Expected tables of relations, tasks, shares, must-hold and accepted: {page('policy')}"


def read_policy(where: str, value: Any) -> Policy:
    """Return a checked policy from a table as TOML has it, its TOML text, or such a policy.

    Raises UsageError: unknown keys, values outside what is allowed, or parts that contradict.
    """
    if isinstance(value, Policy):
        return value
    table = value
    if isinstance(value, str):
        try:
            table = tomllib.loads(value)
        except (ValueError, RecursionError):
            raise UsageError(f"{where} is not TOML. {_EXPECTED}") from None
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
    if "labels" in values:
        raise UsageError(
            f"{where}: a policy has no limits by label yet. Use tasks and relations instead."
        )
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
    """Return a record of a table whose every value was checked."""
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
        # A field's type without None; a day as text, which a time of a day is not.
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
    """Reject tasks that there are not; whether a relation is known, its catalogue says."""
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
                f"{where}: relation {quoted(name)} names no task. Expected an id such as "
                f"ner/structural. Tasks: {known}."
            )


def _check_shares(where: str, policy: Policy) -> None:
    """Reject a split that makes more of alpha than there is, or leaves nothing to be tested by."""
    tiers = [share for share in (policy.shares.block, policy.shares.warn) if share is not None]
    if sum(tiers) > 1 + 1e-9:
        raise UsageError(
            f"{where}: shares add up to {sum(tiers):g} of alpha, but at most 1 is allowed."
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
                f"{policy.tier(name)}). Omit one of the two."
            )


def _twice(items: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def _named(name: str) -> str:
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def policy_text(policy: Policy) -> str:
    """Return the TOML text, a line a table, that is read as this policy; empty for an empty one."""
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
    parts = (
        f"{dashed(name)} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()
    )
    return f"{{{', '.join(parts)}}}"
