"""Replaces every text of a record. The types name the texts, so a new field is replaced too."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import cycle, islice
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

MANY, FEW = 50, 3
"""Texts for a list or a table of texts: a single one, and one of many."""
Deal = Callable[[str], str]
"""Returns a text for a place ("GroupRow.reason")."""


def is_record(kind: Any) -> bool:
    return isinstance(kind, type) and (
        issubclass(kind, msgspec.Struct) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    )


@cache
def hints(kind: Any) -> dict[str, Any]:
    result = get_type_hints(kind, include_extras=True)
    return {name: bare(inner) for name, inner in result.items()}


CODES = ("0" * 32, "0" * 64, "2027-01-31")
"""Values for a place that takes only codes, of the first length that fits."""


def bare(kind: Any) -> Any:
    """Return a type without its bounds; only a code, which no attack fits, stays ``Annotated``."""
    arguments, origin = get_args(kind), get_origin(kind)
    if origin is Annotated:
        return kind if pattern_of(kind) else bare(arguments[0])
    if origin is None or origin is Literal:
        return kind
    inner = tuple(map(bare, arguments))
    return Union[inner] if alternatives(kind) != (kind,) else origin[inner]  # noqa: UP007


def pattern_of(kind: Any) -> str:
    patterns = (getattr(bound, "pattern", None) for bound in get_args(kind)[1:])
    return next((text for text in patterns if text and not re.search(text, "<b>")), "")


def alternatives(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(item for item in get_args(kind) if item is not type(None))
    return (kind,)


def is_optional(kind: Any) -> bool:
    return alternatives(kind) != (kind,) and type(None) in get_args(kind)


def places(kind: Any, path: str = "", seen: frozenset[Any] = frozenset()) -> Iterator[str]:
    """Yield each place of a type where a text may stand: "Class.field", "Class.field key"."""
    for item in alternatives(kind):
        arguments, origin = get_args(item), get_origin(item)
        if item is str or item is Any:
            yield path
        elif is_record(item) and item not in seen:
            for name, inner in hints(item).items():
                yield from places(inner, f"{item.__name__}.{name}", seen | {item})
        elif origin is Annotated or origin is Literal:
            continue
        elif origin is not None and issubclass(origin, Mapping):
            yield from places(arguments[0], f"{path} key", seen)
            yield from places(arguments[1], path, seen)
        elif origin is not None:
            for inner in arguments:
                yield from places(inner, path, seen)


@cache
def has_text(kind: Any) -> bool:
    return next(places(kind), None) is not None


def texts(kind: Any, value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a value with its place."""
    if isinstance(value, str):
        if not isinstance(value, Enum) and get_origin(kind) not in (Annotated, Literal):
            yield path, value
    elif isinstance(value, Mapping):
        inner = (get_args(kind) or (Any, Any))[1]
        for key, item in value.items():
            if get_args(kind):
                yield f"{path} key", key
            yield from texts(inner, item, path)
    elif is_record(type(value)):
        for name, inner in hints(type(value)).items():
            for item in alternatives(inner):
                if item is not alternatives(inner)[0] and not isinstance(item, type):
                    continue
                yield from texts(item, getattr(value, name), f"{type(value).__name__}.{name}")
    elif isinstance(value, Sequence):
        for item in value:
            yield from texts((get_args(kind) or (Any,))[0], item, path)


class Poisoner:
    """Replaces the texts of records.

    Args:
        deal: gives the texts.
        untouched: places that stay as they are: what code looks up, and ids that others name.
        absent: places that stay None.
        shapes: the value for an empty place of type Any, or of mappings to it: by the
            beginning of the field's name.
    """

    def __init__(
        self,
        deal: Deal,
        untouched: frozenset[str] = frozenset(),
        absent: frozenset[str] = frozenset(),
        shapes: Mapping[str, Any] | None = None,
    ) -> None:
        self._deal = deal
        self._untouched = untouched
        self._absent = absent
        self._shapes = shapes or {}

    def __call__(self, kind: Any, clean: Any, path: str = "", alone: bool = True) -> Any:
        """Return ``clean``, of type ``kind``, with its texts replaced and what is empty filled."""
        if path in self._untouched or (clean is None and path in self._absent):
            return "" if clean is None and kind is str else clean
        if clean is None and not has_text(kind):
            return None if is_optional(kind) else _number(kind)
        item = alternatives(kind)[0]
        origin = get_origin(item)
        if item is str:
            return self._deal(path)
        if is_record(item):
            return self._record(item, clean, alone)
        if item is Any or (origin is not None and get_args(item)[-1] is Any):
            value = self._anything(self._shape(path) if clean is None else clean, path)
            if item is Any:
                return value
            value = value if isinstance(value, Mapping) else {}
            return {**value, self._deal(f"{path} key"): self._deal(path)}
        if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
            return self._table(get_args(item), clean, path, MANY if alone else FEW)
        if origin is not None and origin not in (Annotated, Literal) and has_text(item):
            return self._list(get_args(item), clean, path, MANY if alone else FEW)
        return clean if clean is not None else _number(item)

    def _record(self, kind: Any, clean: Any, alone: bool) -> Any:
        fields = {
            name: self(inner, getattr(clean, name, None), f"{kind.__name__}.{name}", alone)
            for name, inner in hints(kind).items()
        }
        return kind(**fields)

    def _table(self, kinds: tuple[Any, ...], clean: Any, path: str, number: int) -> dict[Any, Any]:
        values = [*(clean or {}).values()] or [None]
        if kinds[0] is not str or f"{path} key" in self._untouched:
            return {key: self(kinds[1], item, path, False) for key, item in (clean or {}).items()}
        return {
            self._deal(f"{path} key"): self(kinds[1], item, path, False)
            for item in islice(cycle(values), number)
        }

    def _list(self, kinds: tuple[Any, ...], clean: Any, path: str, most: int) -> Any:
        if len(kinds) == 2 and kinds[1] is not Ellipsis:
            pairs = zip(kinds, clean or (None, None), strict=True)
            return tuple(self(kind, item, path, False) for kind, item in pairs)
        number = max(most, len(clean or ())) if kinds[0] is str else max(2, len(clean or ()))
        items = islice(cycle(clean or (None,)), number) if not clean or kinds[0] is str else clean
        return tuple(self(kinds[0], item, path, False) for item in items)

    def _shape(self, path: str) -> Any:
        name = path.rpartition(".")[2]
        shapes = (shape for part, shape in self._shapes.items() if part in name)
        return next(shapes, "a text")

    def _anything(self, value: Any, path: str) -> Any:
        """Replace the texts of plain values; a sentence keeps its words: places in it hold."""
        if isinstance(value, str):
            text = self._deal(path)
            return f"{value} {text}" if " " in value else text
        if isinstance(value, Mapping):
            return {key: self._anything(item, path) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._anything(item, path) for item in value]
        return value


def _number(kind: Any) -> Any:
    """Return a value of a type that holds no text."""
    item = alternatives(kind)[0]
    arguments, origin = get_args(item), get_origin(item)
    if origin is Annotated:
        return next(code for code in CODES if re.search(pattern_of(item), code))
    if origin is Literal:
        return arguments[0]
    if isinstance(item, type) and issubclass(item, Enum):
        return next(iter(item))
    if origin is not None and issubclass(origin, Mapping):
        return {}
    if origin is not None:
        fixed = len(arguments) > 1 and arguments[1] is not Ellipsis
        return tuple(map(_number, arguments)) if fixed else ()
    if is_record(item):
        return item(**{name: _number(inner) for name, inner in hints(item).items()})
    return {bool: False, int: 1, float: 0.5}[item]
