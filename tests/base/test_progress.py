"""Progress of rounds of predictions."""

from __future__ import annotations

import time

import pytest

from mt_gate.base.console import Progress


def test_a_round_begins_with_its_first_inputs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither what precedes the first round nor an earlier round counts: 20 seconds per input."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress(_began=0.0, _said=0.0) as progress:
        for begin in (1_000.0, 9_000.0):
            for done in (3, 5, 7):
                now = begin + 20 * done
                progress(done, 103)
    lines = capsys.readouterr().err.splitlines()
    assert (
        lines
        == [
            "mt-gate: predicted 5 of 103, about 1960 s left",
            "mt-gate: predicted 7 of 103, about 1920 s left",
        ]
        * 2
    )
