"""Titles before a person's name, by the rule that uses them, and the gender they imply."""

from __future__ import annotations

from mt_gate.lexicons.reading import rows

_ROWS = rows("titles", "before-names", 4)


def known_to(rule: str) -> frozenset[str]:
    """Return the titles that a rule uses, capitalised and without a full stop."""
    return frozenset(title for title, _, _, rules in _ROWS if rule in rules.split())


def with_stops(titles: frozenset[str]) -> frozenset[str]:
    """Return titles; add those that are abbreviations with a full stop too."""
    return titles | {f"{title}." for title, _, stop, _ in _ROWS if stop and title in titles}


def list_titles(gender: str) -> frozenset[str]:
    """Return the titles of ``male`` or ``female`` persons, with and without a full stop."""
    return with_stops(frozenset(title for title, whose, _, _ in _ROWS if whose == gender))


def lower(titles: frozenset[str]) -> frozenset[str]:
    """Return titles in lower case, to compare without case."""
    return frozenset(title.lower() for title in titles)
