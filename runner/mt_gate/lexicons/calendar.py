"""Months and days of the week, capitalised, in order."""

from __future__ import annotations

from mt_gate.lexicons.reading import ordered

MONTHS = ordered("calendar", "months")
WEEKDAYS = ordered("calendar", "weekdays")
LOWER = frozenset(name.lower() for name in (*MONTHS, *WEEKDAYS))
"""Names of months and weekdays in lower case."""
