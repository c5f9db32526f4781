"""What kind of thing a label names, without what it says of place or direction."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.ontologies.ontology import BACKWARD, FORWARD
from mt_gate.tasks.relation_extraction import is_none
from mt_gate.tasks.tag_scheme import OUTSIDE, PREFIXED


class LabelParts(NamedTuple):
    """The parts of a label: ``B-`` and ``PER``, or ``per:title`` and ``(e1,e2)``."""

    prefix: str
    kind: str
    direction: str

    @property
    def form(self) -> tuple[str, str]:
        """What a kind's label has next to the kind."""
        return self.prefix, self.direction

    @property
    def says_nothing(self) -> bool:
        """Whether it is the label outside of entities, or of no relation."""
        return self.kind == OUTSIDE or is_none(self.kind)

    def called(self, kind: str) -> str:
        """Return the label of another kind in the same form."""
        return f"{self.prefix}{kind}{self.direction}"


def parts_of(label: str) -> LabelParts:
    """Split a label."""
    match = PREFIXED.match(label)
    prefix = label[: match.start(2)] if match else ""
    rest = label[len(prefix) :]
    direction = next((end for end in (FORWARD, BACKWARD) if rest.endswith(end)), "")
    return LabelParts(prefix, rest.removesuffix(direction), direction)
