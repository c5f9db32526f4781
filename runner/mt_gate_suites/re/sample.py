"""What the transformations of task re start from, and what they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spacy.tokens import Doc

from mt_gate.domain import Alignment, Block, Entity, map_span
from mt_gate.tasks.relation_extraction import HEAD, TAIL, Argument
from mt_gate_suites.grammar.edits import edited


class Sample(NamedTuple):
    """A sentence with a pair of arguments.

    Args:
        id: the source's.
        text: the sentence as written.
        head: as given, or one of the sentence's entities; so is ``tail``.
        entities: all typed mentions of the sentence, sorted, disjoint, types of
            ``tasks.relation_extraction``.
        doc: spaCy's parse of the text.
        origin: the corpus's name.
        relation: the label that the corpus gives the pair; empty where it gives none.
    """

    id: str
    text: str
    head: Argument
    tail: Argument
    entities: tuple[Entity, ...]
    doc: Doc
    origin: str = ""
    relation: str = ""

    def argument(self, name: str) -> Argument:
        """Return the head or the tail."""
        return self.head if name == HEAD else self.tail

    def words(self, argument: Argument) -> str:
        """Return the text of an argument."""
        return self.text[argument.start : argument.end]


class EditedSample(NamedTuple):
    """A follow-up of a sample; ``stratum`` is what kind of edit it is."""

    text: str
    head: Argument
    tail: Argument
    alignment: Alignment
    stratum: str = ""


def rewritten(
    sample: Sample,
    name: str,
    filler: str,
    kind: str,
    *,
    more: Sequence[tuple[int, int, str]] = (),
    stratum: str = "",
) -> EditedSample | None:
    """Return the sample with other words for an argument; None where the other one is lost.

    Args:
        sample: not changed.
        name: the argument, head or tail.
        filler: its new words.
        kind: its new type.
        more: edits (start, end, new text) elsewhere: an article, a second
            mention. They lie apart from each other and from both arguments.
        stratum: of the change.
    """
    argument = sample.argument(name)
    edits = sorted([*more, (argument.start, argument.end, filler)])
    made = edited(sample.text, edits)
    start = argument.start + sum(len(new) - (b - a) for a, b, new in edits if b <= argument.start)
    changed = Argument(start, start + len(filler), kind)
    other = sample.tail if name == HEAD else sample.head
    place = map_span(made.alignment, other.start, other.end)
    if place is None:
        return None
    kept = Argument(*place, other.type)
    head, tail = (changed, kept) if name == HEAD else (kept, changed)
    return EditedSample(made.text, head, tail, made.alignment, stratum)


def moved(sample: Sample, name: str, place: Argument) -> EditedSample:
    """Return the same sentence with an argument at another mention."""
    head, tail = (place, sample.tail) if name == HEAD else (sample.head, place)
    return EditedSample(sample.text, head, tail, (Block(0, 0, len(sample.text)),))


__all__ = ["HEAD", "TAIL", "EditedSample", "Sample", "moved", "rewritten"]
