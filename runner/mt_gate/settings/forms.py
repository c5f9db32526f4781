"""Types of values with constraints, and the words in which messages tell them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta


def worded(expected: str, **constraints: Any) -> Meta:
    """Return constraints that a message tells in words of its own."""
    return Meta(extra={"expected": expected}, **constraints)


def one_of(names: Iterable[str]) -> Meta:
    """Return the constraint that a text is one of these names."""
    pattern = rf"\A(?:{'|'.join(map(re.escape, names))})\Z"
    return worded(f"one of: {', '.join(names)}", pattern=pattern)


Text = Annotated[str, worded("a text that is not empty", pattern=r"\A(?=[^\0]*\S)[^\0]*\Z")]
Limit = Annotated[float, Meta(ge=0, le=1)]
Margin = Annotated[
    float, worded("a number from 0 to below 1, of which 0.01 is one percentage point", ge=0, lt=1)
]
"""A rise that is allowed; one of 1 would allow all, by whoever wanted one percentage point."""
