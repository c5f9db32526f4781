"""Premises, what follows from them, and what they rule out."""

from __future__ import annotations

from mt_gate_suites.text.inference.denials import denials


def test_what_is_ruled_out_denies_what_follows() -> None:
    turned = {"Somebody": "Nobody", "Some": "No", "somebody": "nobody"}
    found = [*denials()]
    assert {one.stratum for one in found} == {"deed", "act", "things"}
    for one in found:
        old, new = (text.rstrip(".").split() for text in (one.follows, one.ruled_out))
        changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        assert [turned[a] for a, _ in changed] == [b for _, b in changed]
        assert len(changed) == 1
