"""Samples written as their sentence, with the arguments and other mentions marked in it."""

from __future__ import annotations

import re

from spacy.language import Language

from mt_gate.domain import Entity
from mt_gate.tasks.relation_extraction import Argument, fault, make_input
from mt_gate_suites.re.sample import EditedSample, Sample

_MARK = re.compile(r"\[([^]|]+)\|([A-Z_]*)\]")


def sample(nlp: Language, marked: str, *, tail_first: bool = False) -> Sample:
    """Read ``[Anna|PERSON] lives in [Oslo|CITY].``: head, tail, then further mentions."""
    text, spans, at = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[at : match.start()]
        spans.append(Argument(len(text), len(text) + len(match.group(1)), match.group(2)))
        text += match.group(1)
        at = match.end()
    text += marked[at:]
    head, tail = (spans[1], spans[0]) if tail_first else (spans[0], spans[1])
    entities = tuple(sorted(Entity(*span) for span in spans))
    return Sample("s", text, head, tail, entities, nlp(text))


def marked(change: EditedSample) -> str:
    """Write a change as ``sample`` reads it; its spans and alignment are looked at."""
    assert not fault(make_input(change.text, change.head, change.tail))
    text = change.text
    for argument in sorted([change.head, change.tail], reverse=True):
        said = f"[{text[argument.start : argument.end]}|{argument.type}]"
        text = text[: argument.start] + said + text[argument.end :]
    return text


def is_aligned(source: Sample, change: EditedSample) -> bool:
    """Whether the blocks of a change are the same words on both sides."""
    return all(
        source.text[block.source : block.source + block.length]
        == change.text[block.follow_up : block.follow_up + block.length]
        for block in change.alignment
    )
