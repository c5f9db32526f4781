"""A statement in both voices, and one detail more of where or when: what two relations share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mt_gate_suites.lexicons.reading import ordered
from mt_gate_suites.text.inference.templates import ACTS, two_people

_DETAILS = ordered("text/inference", "details")


class Detailed(NamedTuple):
    """The same said in two voices, without the full stop, and a detail that neither says."""

    said: str
    said_otherwise: str
    detail: str
    stratum: str


def detailed() -> Iterator[Detailed]:
    """Yield all statements that the words make, each with one of the details."""
    for at, (one, other) in enumerate(two_people()):
        for number, (past, participle) in enumerate(ACTS):
            detail = _DETAILS[(at * 7 + number) % len(_DETAILS)]
            active = f"The {other} {past} the {one}"
            passive = f"The {one} was {participle} by the {other}"
            yield Detailed(passive, active, detail, "passive")
            yield Detailed(active, passive, detail, "active")
