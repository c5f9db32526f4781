"""A premise, what follows from it, and what it rules out: what two relations share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mt_gate_suites.lexicons.reading import ordered, rows
from mt_gate_suites.text.inference.templates import ACTS, DEEDS, two_people

_THINGS = rows("text/inference", "things", 2)
_DONE = ordered("text/inference", "done")
_UPWARD = ordered("text/inference", "upward")
_NEARBY = ordered("text/inference", "nearby")


class Denial(NamedTuple):
    """A premise with what follows from it, and what contradicts it."""

    premise: str
    follows: str
    ruled_out: str
    stratum: str


def denials() -> Iterator[Denial]:
    """Yield all that the words make."""
    for at, (one, other) in enumerate(two_people()):
        deed, (past, participle) = DEEDS[at % len(DEEDS)], ACTS[at % len(ACTS)]
        near = _NEARBY[at % len(_NEARBY)]
        yield Denial(
            f"The {one} {near} the {other} {deed}.",
            f"Somebody {deed}.",
            f"Nobody {deed}.",
            "subject-pronoun",
        )
        yield Denial(
            f"The {one} was {participle} by the {other}.",
            f"The {other} {past} somebody.",
            f"The {other} {past} nobody.",
            "object-pronoun",
        )
    for things, adjectives in _THINGS:
        for adjective in adjectives.split():
            for done in _DONE:
                for some in _UPWARD:
                    yield Denial(
                        f"{some} {adjective} {things} {done}.",
                        f"Some {things} {done}.",
                        f"No {things} {done}.",
                        "subject-quantifier",
                    )
