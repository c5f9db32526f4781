"""Months and days of the week, in their order, with a capital."""

from __future__ import annotations

from mt_gate.lexicons.reading import ordered

MONTHS = ordered("calendar", "months")
WEEKDAYS = ordered("calendar", "weekdays")
LOWER = frozenset(name.lower() for name in (*MONTHS, *WEEKDAYS))
"""Names of months and weekdays in lower case."""
