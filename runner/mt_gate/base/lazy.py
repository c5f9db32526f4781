"""What a table names by import path: loaded when it is needed, not when the table is read."""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from typing import Any


def resolve(path: str) -> Any:
    """Return what ``package.module:name`` names; ``name`` may go on by dots.

    The paths are the package's own, so a path that does not resolve is a bug in a table.

    Raises:
        ImportError: there is no such module.
        AttributeError: the module has no such name.

    >>> resolve("collections:OrderedDict.fromkeys")("a")
    OrderedDict({'a': None})
    """
    module, _, name = path.partition(":")
    return reduce(getattr, name.split("."), import_module(module))
