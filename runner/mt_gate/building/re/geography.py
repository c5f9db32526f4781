"""What kind of place a name is. A few well-known names only."""

from __future__ import annotations

_COUNTRIES = frozenset(
    {"United States", "United Kingdom", "U.S.", "US", "UK", "U.K.", "France", "Germany", "Italy"}
    | {"Spain", "Canada", "Mexico", "Brazil", "China", "Japan", "India", "Russia", "Australia"}
    | {"Norway", "Sweden", "Poland", "Egypt", "Kenya", "Israel", "Iran", "Iraq", "England"}
)
_STATES = frozenset({"California", "Texas", "Florida", "Ohio", "Ontario", "Bavaria", "Quebec"})
_CITIES = frozenset(
    {"London", "Paris", "Berlin", "San Francisco", "Chicago", "Tokyo", "Oslo", "Toronto", "Boston"}
)


def kind_of(name: str) -> str:
    """Return CITY, STATE_OR_PROVINCE or COUNTRY; nothing for an unknown or ambiguous name."""
    if name in _COUNTRIES:
        return "COUNTRY"
    if name in _STATES:
        return "STATE_OR_PROVINCE"
    return "CITY" if name in _CITIES else ""
