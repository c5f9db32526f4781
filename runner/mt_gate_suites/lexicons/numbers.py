"""Number words, with the number as index: ``CARDINALS[3]`` is three."""

from __future__ import annotations

from mt_gate_suites.lexicons.reading import ordered

CARDINALS = ordered("numbers", "cardinals")
"""Zero to twenty."""
ORDINALS = ordered("numbers", "ordinals")
TENS = ordered("numbers", "tens")
"""Twenty to ninety."""
