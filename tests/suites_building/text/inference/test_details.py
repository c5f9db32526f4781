"""Statements in both voices, with a detail."""

from __future__ import annotations

from mt_gate_suites.text.inference.details import detailed


def test_voices_say_the_same_and_details_are_spread() -> None:
    found = [*detailed()]
    assert len({one.detail for one in found}) >= 20
    for one in found[:200]:
        words = {*one.said.lower().split()} ^ {*one.said_otherwise.lower().split()}
        assert {"was", "by"} <= words
        assert one.stratum == ("passive" if " was " in one.said else "active")
