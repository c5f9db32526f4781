"""Verbs of both voices and their forms."""

from __future__ import annotations

import pytest

from mt_gate_suites.boolq.voice.transitive_verbs import (
    form,
    is_event,
    is_lasting,
    to_active,
    to_passive,
)


@pytest.mark.parametrize("lemma", ["use", "renew", "write", "defeat"])
def test_listed_verbs_turn(lemma: str) -> None:
    assert to_passive(lemma)


@pytest.mark.parametrize(
    "lemma", ["have", "become", "resemble", "cost", "weigh", "lack", "fit", "contain", "include"]
)
def test_verbs_without_a_passive_do_not(lemma: str) -> None:
    assert not to_passive(lemma)
    assert not to_active(lemma)


def test_some_only_turn_active() -> None:
    assert to_active("voice")
    assert not to_passive("voice")


@pytest.mark.parametrize(
    ("lemma", "tag", "expected"),
    [
        ("write", "VBN", "written"),
        ("write", "VBD", "wrote"),
        ("broadcast", "VBD", "broadcast"),
        ("co-write", "VBD", "co-wrote"),
        ("use", "VBZ", "uses"),
        ("use", "VB", "use"),
        ("qwzx", "VBN", None),
    ],
)
def test_forms(lemma: str, tag: str, expected: str | None) -> None:
    assert form(lemma, tag) == expected


def test_events_and_states() -> None:
    assert is_event("direct")
    assert not is_event("own")
    assert is_lasting("own")
