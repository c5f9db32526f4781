"""Which stretches of a violated group are suspicious (TIN, section 3.5.1).

A stretch that is in both sentences and has another label in each; no entity is a label too. What
the edit put in or took out is not suspicious: the other sentence says nothing of it.
"""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.domain import Side
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.entities import Span, cores, place_of


class Suspect(NamedTuple):
    """A suspicious stretch of one sentence, and what the system said of it.

    ``span`` is without article and full stop; ``said`` is None where it is no entity.
    """

    text: str
    span: Span
    said: str | None

    @property
    def words(self) -> str:
        """What is there."""
        return self.text[self.span[0] : self.span[1]]


def suspects(case: ExecutedGroup) -> list[tuple[Side, Suspect]]:
    """Return the suspicious stretches of a group, of both sides, in order of the sentences."""
    texts = {Side.SOURCE: case.source["text"], Side.FOLLOW_UP: case.follow_up["text"]}
    outputs = {Side.SOURCE: case.source_output, Side.FOLLOW_UP: case.follow_up_output}
    said = {
        side: {(core.start, core.end): core.label for core in cores(texts[side], outputs[side])}
        for side in Side
    }
    suspects: set[tuple[Side, Suspect]] = set()
    for side in Side:
        for start, end in said[side]:
            place = place_of(case, side, start, end)
            if place.source is None or place.follow_up is None:
                continue
            labels = {
                Side.SOURCE: said[Side.SOURCE].get(place.source),
                Side.FOLLOW_UP: said[Side.FOLLOW_UP].get(place.follow_up),
            }
            if labels[Side.SOURCE] == labels[Side.FOLLOW_UP]:
                continue
            suspects.add((Side.SOURCE, _suspect(texts, Side.SOURCE, place.source, labels)))
            suspects.add((Side.FOLLOW_UP, _suspect(texts, Side.FOLLOW_UP, place.follow_up, labels)))
    return sorted(suspects, key=lambda item: (item[0] is Side.FOLLOW_UP, item[1].span))


def _suspect(
    texts: dict[Side, str], side: Side, span: Span, labels: dict[Side, str | None]
) -> Suspect:
    return Suspect(texts[side], span, labels[side])
