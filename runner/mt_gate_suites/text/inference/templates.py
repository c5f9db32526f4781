"""Sentences from templates: slots, words for them, and the groups that these make.

A template's words stand in ``lexicons/data/text/inference.txt``. All of its groups are put in
a random order, so that the first of them are a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from random import Random

from mt_gate.relations.stated import IsNot
from mt_gate_suites.lexicons.reading import ordered, rows
from mt_gate_suites.text.transformation import OfTemplates, TemplateGroup

ENTAILMENT = "entailment"
NEUTRAL = "neutral"
CONTRADICTION = "contradiction"
"""Labels of a suite, of which the label map says what a checkpoint calls them."""
NO_LONGER_ENTAILED = IsNot(labels={ENTAILMENT: (ENTAILMENT,)})
PEOPLE = ordered("text/inference", "people")
ACTS = rows("text/inference", "acts", 2)
"""Transitive verbs: past tense and participle."""
DEEDS = ordered("text/inference", "deeds")
"""Intransitive verbs in the past tense."""
MOST = 600
"""Groups of a relation."""


def two_people() -> Iterator[tuple[str, str]]:
    """Yield all two people that differ, in both orders."""
    return permutations(PEOPLE, 2)


def sampled(makes: Callable[[], Iterable[TemplateGroup]], most: int = MOST) -> OfTemplates:
    """Return the transformation that draws a random sample of a template's groups."""

    def draw(rng: Random) -> list[TemplateGroup]:
        distinct = list(dict.fromkeys(makes()))
        return rng.sample(distinct, min(most, len(distinct)))

    return OfTemplates(draw)


def sampled_by_kind(makes: Callable[[], Iterable[TemplateGroup]]) -> OfTemplates:
    """Return the transformation that draws as many of a template's groups of each stratum."""

    def draw(rng: Random) -> list[TemplateGroup]:
        distinct = list(dict.fromkeys(makes()))
        kinds = sorted({one.stratum for one in distinct})
        by_kind = [[one for one in distinct if one.stratum == kind] for kind in kinds]
        room = MOST // len(kinds)
        return [one for kind in by_kind for one in rng.sample(kind, min(room, len(kind)))]

    return OfTemplates(draw)
