"""Types of values with constraints, whether a value fits one, and the words of the message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import Meta

from mt_gate.base.errors import UsageError, did_you_mean, quoted


def worded(expected: str, **constraints: Any) -> Meta:
    """Return constraints that a message tells in words of its own."""
    return Meta(extra={"expected": expected}, **constraints)


def one_of(names: Iterable[str]) -> Meta:
    """Return the constraint that a text is one of these names."""
    pattern = rf"\A(?:{'|'.join(map(re.escape, names))})\Z"
    extra = {"expected": f"one of: {', '.join(names)}", "names": (*names,)}
    return Meta(extra=extra, pattern=pattern)


Text = Annotated[str, worded("a text that is not empty", pattern=r"\A(?=[^\0]*\S)[^\0]*\Z")]
Limit = Annotated[float, Meta(ge=0, le=1)]
Margin = Annotated[
    float, worded("a number from 0 to below 1, where 0.01 is one percentage point", ge=0, lt=1)
]
"""A rise that is allowed; one of 1 would allow all, for a user who wanted one percentage point."""


def fitting(where: str, form: Any, read: Any, value: Any) -> Any:
    """Return what was read of a value, converted; messages show the value as it was written.

    Raises UsageError: it does not fit.
    """
    try:
        return msgspec.convert(read, form)
    except (msgspec.ValidationError, UnicodeEncodeError):  # the latter of bytes that are no UTF-8
        meant = did_you_mean(value, said(form, "names") or ())
        text = f"{where} must be {_expected(form)} (got {quoted(value)}).{meant}"
        raise UsageError(text) from None


def said(form: Any, key: str) -> Any:
    """Return the extra data of a type's constraints; None if they have none."""
    values = [(item.extra or {}).get(key) for item in _constraints(form)]
    return next((value for value in values if value is not None), None)


def _expected(form: Any) -> str:
    """Return in words what values a type with constraints has."""
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
    most, longest = (_constraint(of, "max_length") for of in (form, get_args(plain)[0]))
    return (
        f"{f'at most {most} ' if most else ''}names"
        f"{f' of at most {longest} characters' if longest else ''}, separated by commas"
    )


def _constraint(form: Any, name: str) -> Any:
    values = [getattr(item, name) for item in _constraints(form)]
    return next((value for value in values if value is not None), None)


def _constraints(form: Any) -> list[Meta]:
    return [item for item in getattr(form, "__metadata__", ()) if isinstance(item, Meta)]
