"""The inputs and the results of transformations of task re."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from spacy.tokens import Doc

from mt_gate.domain import Alignment, Block, Entity, map_span
from mt_gate.tasks.relation_extraction import HEAD, Argument
from mt_gate_suites.grammar.rewrite import edited
from mt_gate_suites.re.name_pools import Pools

Edit = tuple[int, int, str]
"""Start and end in the old text, and the new text between them."""


class Sample(NamedTuple):
    """A sentence with a pair of arguments.

    Args:
        id: the source's id.
        text: the sentence as written.
        head: an argument that a corpus marks, or a typed mention; so is ``tail``.
        entities: all typed mentions of the sentence, sorted, disjoint, types of
            ``tasks.relation_extraction``.
        doc: spaCy's parse of the text.
        origin: the corpus's name.
        relation: the label that the corpus gives the pair; empty if it gives none.
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

    def other(self, name: str) -> Argument:
        """Return the tail for the head, the head for the tail."""
        return self.tail if name == HEAD else self.head

    def words(self, argument: Argument) -> str:
        """Return the text of an argument."""
        return self.text[argument.start : argument.end]


class EditedSample(NamedTuple):
    """An edited sample; ``stratum`` is the kind of edit."""

    text: str
    head: Argument
    tail: Argument
    alignment: Alignment
    stratum: str = ""


Transformation = Callable[[Sample, Pools], list[EditedSample]]
"""Returns the edited samples for a sample and the corpora's names; empty if unsure."""


def reword(
    sample: Sample,
    name: str,
    edit: Edit,
    words: str,
    kind: str,
    more: Sequence[Edit] = (),
    stratum: str = "",
) -> EditedSample | None:
    """Return the sample with other words for an argument; None if the other argument changes.

    Args:
        sample: the sample, which is not changed.
        name: the argument, head or tail.
        edit: the edit whose new text contains the argument's new words.
        words: the argument's new words.
        kind: the type of the new words.
        more: further, disjoint edits, such as an article or a second mention.
        stratum: kind of the edit; by default the two types.
    """
    edits = sorted([*more, edit])
    made = edited(sample.text, edits)
    before = edits[: edits.index(edit)]
    start = edit[0] + sum(len(new) - (b - a) for a, b, new in before) + edit[2].index(words)
    other = sample.other(name)
    place = map_span(made.alignment, other.start, other.end)
    if place is None:
        return None
    changed, unchanged = Argument(start, start + len(words), kind), Argument(*place, other.type)
    head, tail = (changed, unchanged) if name == HEAD else (unchanged, changed)
    stratum = stratum or name_types(sample.argument(name).type, kind)
    return EditedSample(made.text, head, tail, made.alignment, stratum)


def move(sample: Sample, name: str, place: Argument, stratum: str) -> EditedSample:
    """Return the same sentence with an argument at another place, or of another type."""
    head, tail = (place, sample.tail) if name == HEAD else (sample.head, place)
    return EditedSample(sample.text, head, tail, (Block(0, 0, len(sample.text)),), stratum)


def name_types(old: str, new: str) -> str:
    """Return the stratum of a change of type: ``city-to-state``."""
    return f"{old}-to-{new}".lower().replace("state_or_province", "state")
