"""Entities like a suspicious one, each in its sentence (TIN, section 3.5.2).

Every word of the entity is masked in turn and filled. The paper also masks
the pieces into which a model's tokenizer cuts a word. The tools here take
words, so a piece is read as a part of a compound: of "Bosnia-Herzegovina" the
whole is masked, then "Bosnia", then "Herzegovina".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from mt_gate.language.tools import Fill, Slot
from mt_gate.repairing.suspicion import Suspect
from mt_gate.repairing.tools import RepairTools
from mt_gate.results.result import RepairSettings
from mt_gate.tasks.words import word_spans

_WORD = re.compile(r"\w")
_PART = re.compile(r"[^\W_]{2,}")
_JOINT = re.compile(r"[-–/&]")


class Mask(NamedTuple):
    """A word of an entity, or a part of a compound one (``part``)."""

    slot: Slot
    part: bool


class Candidate(NamedTuple):
    """An entity in the place of the suspicious one: ``slot`` holds its sentence and span.

    ``score`` is the tool's for the word that is new, ``cosine`` is between the
    two entities, each in its sentence.
    """

    slot: Slot
    score: float
    cosine: float
    part: bool


def masks(suspect: Suspect) -> list[Mask]:
    """Return the words of an entity, then the parts of its compounds; the rest is left alone."""
    start, end = suspect.span
    words = [
        (start + first, start + last)
        for first, last in word_spans(suspect.text[start:end])
        if _WORD.match(suspect.text, start + first, start + last)
    ]
    whole = [Mask(Slot(suspect.text, *span), False) for span in words]
    return whole + [mask for span in words for mask in _parts(suspect.text, *span)]


def _parts(text: str, start: int, end: int) -> Iterator[Mask]:
    """Yield the parts of "Bosnia-Herzegovina"; none of "Oslo", "U.S." or "O'Brien"."""
    if not _JOINT.search(text, start + 1, end - 1):
        return
    for part in _PART.finditer(text, start, end):
        yield Mask(Slot(text, *part.span()), True)


def same_case(before: str, after: str) -> bool:
    """Tell whether two words start alike: with a capital, a small letter, a digit, or none."""
    return _start(before) == _start(after)


def _start(word: str) -> tuple[bool, bool, bool]:
    first = word[:1]
    return first.isupper(), first.islower(), first.isdigit()


def candidates(
    suspects: Sequence[Suspect], tools: RepairTools, settings: RepairSettings
) -> list[list[Candidate]]:
    """Return the candidates of each suspicious entity, no sentence twice for one entity.

    Kept are fillers with at least ``min_score`` that start like the word they
    replace, in entities with a cosine of at least ``min_cosine`` to the old one.
    """
    masked = [masks(suspect) for suspect in suspects]
    slots = [*dict.fromkeys(mask.slot for mask in chain.from_iterable(masked))]
    fills = dict(zip(slots, tools.fillers.fill(slots, settings.top) if slots else (), strict=True))
    proposed = [
        _proposed(suspect, own, fills, settings)
        for suspect, own in zip(suspects, masked, strict=True)
    ]
    pairs = [
        (Slot(suspect.text, *suspect.span), candidate.slot)
        for suspect, found in zip(suspects, proposed, strict=True)
        for candidate in found
    ]
    cosines = iter(tools.similarity.similarity(pairs) if pairs else ())
    alike = [[candidate._replace(cosine=next(cosines)) for candidate in own] for own in proposed]
    return [
        [candidate for candidate in own if candidate.cosine >= settings.min_cosine] for own in alike
    ]


def _proposed(
    suspect: Suspect,
    masked: Sequence[Mask],
    fills: dict[Slot, list[Fill]],
    settings: RepairSettings,
) -> list[Candidate]:
    """Return what fills an entity's words well enough, the words before parts of words."""
    found: dict[str, Candidate] = {}
    start, end = suspect.span
    for mask in masked:
        for fill in fills[mask.slot][: settings.top]:
            if not _fits(mask.slot.filler, fill, settings.min_score):
                continue
            text = mask.slot.filled(fill.text).text
            entity = Slot(text, start, end + len(text) - len(suspect.text))
            found.setdefault(text, Candidate(entity, fill.score, math.nan, mask.part))
    return list(found.values())


def _fits(word: str, fill: Fill, least: float) -> bool:
    """Tell whether a filler is another word, good enough, that starts like the old one."""
    return (
        math.isfinite(fill.score)
        and fill.score >= least
        and fill.text.split() == [fill.text]
        and fill.text != word
        and same_case(word, fill.text)
    )
