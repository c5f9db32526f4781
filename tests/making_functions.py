"""Callables that are systems for the small suite of ``making.make_suite``."""

from __future__ import annotations

import re

from making import NAMES


def names(texts: list[str]) -> list[list[tuple[int, int, str]]]:
    """Find the names."""
    matches = re.compile(rf"\b({'|'.join(NAMES)})\b").finditer
    return [[(*match.span(), "PER") for match in matches(text)] for text in texts]


def names_of_statements(texts: list[str]) -> list[list[tuple[int, int, str]]]:
    """Find the names, but not in questions."""
    return [[] if text[-1] == "?" else names([text])[0] for text in texts]
