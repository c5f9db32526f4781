"""What a suspicious entity is, by vote of entities like it (TIN, section 3.5.2)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mt_gate.domain import Entity
from mt_gate.relations.ner.mentions import core, cores
from mt_gate.repairing.candidates import Candidate, candidates
from mt_gate.repairing.suspicion import Suspect
from mt_gate.repairing.tools import WEIGHTS, RepairTools, Scores
from mt_gate.results.result import RepairSettings
from mt_gate.running.predicting import Predictor
from mt_gate.sut.protocol import Prediction

BALANCE = 2.5
"""How much likeness weighs against the score: the paper's k."""
NONE_FACTOR = 0.2
"""What the vote of a candidate that the system calls no entity counts for."""
PART_FACTOR = 0.5
"""What the vote of a candidate counts for in which a part of a word is new."""
AT_ONCE = 200
"""Suspicious entities in hand at a time: some 20,000 candidate sentences."""


class Voter(NamedTuple):
    """A candidate, and what the system called it; None is no entity."""

    candidate: Candidate
    label: str | None


class Vote(NamedTuple):
    """The outcome: the best label (None is no entity), and all with their scores, best first."""

    label: str | None
    scores: tuple[tuple[str | None, float], ...]
    voters: tuple[Voter, ...]

    @property
    def score(self) -> float:
        """The score of the label that won."""
        return self.scores[0][1]


def votes(
    suspects: Sequence[Suspect],
    tools: RepairTools,
    predictor: Predictor,
    settings: RepairSettings,
) -> Iterator[Vote | None]:
    """Yield the vote on each suspicious entity; None where no candidate is left.

    Each distinct candidate sentence is predicted once. What the system cannot
    answer (a sentence too long) has no vote.
    """
    for start in range(0, len(suspects), AT_ONCE):
        some = suspects[start : start + AT_ONCE]
        found = candidates(some, tools, settings)
        texts = [*dict.fromkeys(candidate.slot.text for own in found for candidate in own)]
        answers = predictor.predict([{"text": text} for text in texts])
        known = dict(zip(texts, answers, strict=True))
        for suspect, own in zip(some, found, strict=True):
            yield tally(suspect, _voters(own, known), tools.scores)


def _voters(own: Sequence[Candidate], known: Mapping[str, Prediction]) -> tuple[Voter, ...]:
    return tuple(
        Voter(candidate, _label(candidate, output))
        for candidate in own
        if (output := known[candidate.slot.text].output) is not None
    )


def _label(candidate: Candidate, output: Mapping[str, object]) -> str | None:
    """Return the label of exactly the candidate's stretch."""
    text, start, end = candidate.slot
    wanted = core(text, Entity(start, end, ""))[:2]
    return next((found.label for found in cores(text, output) if found[:2] == wanted), None)


def tally(suspect: Suspect, voters: Sequence[Voter], scores: Scores) -> Vote | None:
    """Add the voters' weights up by label; ties go to what was said, then by alphabet.

    A voter weighs ``weight x exp(2.5 x cosine)``, where the weight is a masked
    language model's logit, or what stands for it of a causal one; times 0.2
    for no entity, times 0.5 for a part of a word.
    """
    if not voters:
        return None
    weights: dict[str | None, list[float]] = defaultdict(list)
    for voter in voters:
        weights[voter.label].append(_weight(voter, scores))
    totals = [(label, math.fsum(parts)) for label, parts in weights.items()]
    totals.sort(
        key=lambda item: (-item[1], item[0] != suspect.said, item[0] is None, item[0] or "")
    )
    return Vote(totals[0][0], tuple(totals), tuple(voters))


def _weight(voter: Voter, scores: Scores) -> float:
    candidate = voter.candidate
    weight = WEIGHTS[scores](candidate.score) * math.exp(BALANCE * candidate.cosine)
    if voter.label is None:
        weight *= NONE_FACTOR
    return weight * PART_FACTOR if candidate.part else weight
