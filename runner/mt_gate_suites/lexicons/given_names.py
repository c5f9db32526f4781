"""Given names, in many languages of origin, and the gender that they suggest."""

from __future__ import annotations

from mt_gate_suites.lexicons.reading import rows

_ROWS = rows("given_names", "names", 4)


def _exchanged(gender: str) -> frozenset[str]:
    return frozenset(name for name, of, use, _ in _ROWS if (of, use) == (gender, "gender"))


MALE = _exchanged("male")
FEMALE = _exchanged("female")
"""Names of clear gender, for relations that replace names of persons (``re/same-type``)."""
KNOWN = frozenset(name for name, _, use, _ in _ROWS if use == "known")
"""First names of unclear gender, which are not surnames either."""
TRUSTED = {name.lower(): gender for name, gender, _, trusted in _ROWS if trusted}
"""Gender, or ``either``, by lower-case name, to find mentions of the same person."""
