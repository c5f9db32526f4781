"""Suites, answers and ids that are held as those of millions are."""

from __future__ import annotations

import pytest

from mt_gate.base import ids, kept_texts, mapped_arrays, packed_lines
from mt_gate.suites import held_groups, held_sources


def hold_few(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Hold so few groups, sources, answers and ids as they are, and more packed or on disk."""
    for module in (held_groups, held_sources, kept_texts, ids):
        monkeypatch.setattr(module, "FEW", few)
    monkeypatch.setattr(packed_lines, "_HELD", 0)
    monkeypatch.setattr(held_groups, "_HELD", 0)
    monkeypatch.setattr(packed_lines, "_BLOCK", 2000)
    monkeypatch.setattr(mapped_arrays, "_LONG", 64)
