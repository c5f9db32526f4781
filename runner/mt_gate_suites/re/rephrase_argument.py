"""Edits of a sentence one of which holds an argument in other words, perhaps elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from mt_gate.domain import map_span
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.re.sample import HEAD, EditedSample, Sample

Edit = tuple[int, int, str]


def said_otherwise(
    sample: Sample, name: str, edits: Sequence[Edit], at: int, words: str, kind: str
) -> EditedSample | None:
    """Return the edited sample, of the kind ``country-to-nationality``; None where one is lost.

    Args:
        sample: not changed.
        name: the argument that is said otherwise.
        edits: (start, end, new text), sorted and apart.
        at: which edit holds the argument's new words.
        words: the new words; they stand once in that edit's text.
        kind: their type.
    """
    made = edited(sample.text, edits)
    start, _, new = edits[at]
    start += sum(len(text) - (end - begin) for begin, end, text in edits[:at]) + new.index(words)
    changed = Argument(start, start + len(words), kind)
    other = sample.tail if name == HEAD else sample.head
    place = map_span(made.alignment, other.start, other.end)
    if place is None:
        return None
    kept = Argument(*place, other.type)
    head, tail = (changed, kept) if name == HEAD else (kept, changed)
    stratum = f"{sample.argument(name).type}-to-{kind}".lower()
    return EditedSample(made.text, head, tail, made.alignment, stratum)
