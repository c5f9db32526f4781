"""Runs that differ only in how they predict: clock and random ids are fixed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from mt_gate import gate
from mt_gate.results import store
from mt_gate.running import measuring
from mt_gate.running.predicting import Clock

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave runs no time and no chance of their own."""
    monkeypatch.setattr(store, "secrets", SimpleNamespace(token_hex=lambda size: "ab" * size))
    monkeypatch.setattr(measuring, "datetime", SimpleNamespace(now=lambda _: NOW))
    monkeypatch.setattr(gate, "Clock", lambda: Clock(lambda: 0.0))


@pytest.fixture
def mt_gate(command: Callable, still: None) -> Callable[..., Any]:  # noqa: ARG001 - both
    """Run ``mt-gate`` where nothing but the question differs."""
    return command
