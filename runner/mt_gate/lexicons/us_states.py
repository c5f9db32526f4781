"""States of the United States by name, and their abbreviations."""

from __future__ import annotations

from mt_gate.lexicons.reading import rows, word_set

_ROWS = rows("us_states", "states", 3)

STATES = {name: code for code, name, _ in _ROWS}
"""The fifty states, with their codes."""
CLEAR = {
    name: code for name, code in STATES.items() if name not in word_set("us_states", "unclear")
}
"""States whose names usually mean the state, not a city."""
PRESS = {press: code for code, _, press in _ROWS if press}
"""Newspapers' abbreviations, without the full stop that ends them, and codes."""
LOWER_CODES = frozenset(
    code.lower()
    for code in STATES.values()
    if code not in word_set("us_states", "codes-read-otherwise")
)
"""Codes in lower case that are no other word."""
