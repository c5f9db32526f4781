"""What other systems call entities, made what the task asks for: sorted, disjoint, in the text."""

from __future__ import annotations

from collections.abc import Iterable

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.sut.protocol import Prediction

MAX_LABEL = 100
"""Longest label taken, in characters."""


def settled(text: str, found: Iterable[tuple[int, int, str]], system: str) -> Prediction:
    """Return the answer to ``text``.

    Of entities that overlap, the longest stays; of equally long ones the first in the text; of two
    labels for one span the one named first.

    Raises CannotJudge: a span that is empty or outside the text, or a label that is blank or too
    long.
    """
    entities = list(found)
    for start, end, label in entities:
        if not 0 <= start < end <= len(text):
            raise CannotJudge(
                f"{system}: entity at {start} to {end} of a text of {len(text)} characters; "
                "expected offsets in code points, the end exclusive, with a character between; "
                "fix the system's answers"
            )
        if not label.strip() or len(label) > MAX_LABEL:
            raise CannotJudge(
                f"{system}: entity with the label {quoted(label, MAX_LABEL)}; expected 1 to "
                f"{MAX_LABEL} characters that are not all blank; fix the system's answers"
            )
    return Prediction({"entities": [list(entity) for entity in _disjoint(len(text), entities)]})


def _disjoint(length: int, entities: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    taken = bytearray(length)
    kept = []
    for start, end, label in sorted(
        entities, key=lambda entity: (entity[0] - entity[1], entity[0])
    ):
        if 1 not in taken[start:end]:
            taken[start:end] = b"\1" * (end - start)
            kept.append((start, end, label))
    return sorted(kept)
