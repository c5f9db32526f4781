"""Number words, as counted from zero: ``CARDINALS[3]`` is three."""

from __future__ import annotations

from mt_gate_suites.lexicons.reading import ordered

CARDINALS = ordered("numbers", "cardinals")
"""Up to twenty."""
ORDINALS = ordered("numbers", "ordinals")
TENS = ordered("numbers", "tens")
"""From twenty."""
