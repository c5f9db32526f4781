"""The language tools that repair works with, and how their scores are weighed."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from mt_gate.language.tools import Fillers, Similarity

_MOST = 2.0
"""A word e^2 times as likely as what stood there is as good a candidate as any."""


class Scores(StrEnum):
    """What the scores of a filler tool are."""

    LOGIT = "logit"
    LOG_RATIO = "log-ratio"


class RepairTools(NamedTuple):
    """What proposes words, what compares them, and what the proposals' scores are."""

    fillers: Fillers
    similarity: Similarity
    scores: Scores


MIN_SCORE = {Scores.LOGIT: 5.5, Scores.LOG_RATIO: -3.0}
"""Least score of a candidate, by default.

The first is the paper's; the second lets a word through that makes the
sentence down to a twentieth as likely as what stood there (e^-3).
"""


def _logit(score: float) -> float:
    return max(score, 0.0)


def _log_ratio(score: float) -> float:
    """Return the ratio of probabilities; no single candidate outweighs more than a handful."""
    return math.exp(min(score, _MOST))


WEIGHTS: dict[Scores, Callable[[float], float]] = {
    Scores.LOGIT: _logit,
    Scores.LOG_RATIO: _log_ratio,
}
"""From a candidate's score to its weight in the vote, never negative."""
