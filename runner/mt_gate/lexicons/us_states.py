"""States of the United States by name, and their abbreviations."""

from __future__ import annotations

from mt_gate.lexicons.reading import rows, word_set

_ROWS = rows("us_states", "states", 3)

STATES = {name: code for code, name, _ in _ROWS}
"""Codes of the fifty states, by name."""
CLEAR = {
    name: code for name, code in STATES.items() if name not in word_set("us_states", "unclear")
}
"""Codes of states whose names usually mean the state, by name."""
PRESS = {press: code for code, _, press in _ROWS if press}
"""Codes of states by their abbreviation in newspapers, without the final full stop."""
LOWER_CODES = frozenset(
    code.lower()
    for code in STATES.values()
    if code not in word_set("us_states", "codes-read-otherwise")
)
"""Codes in lower case that have no other meaning."""
