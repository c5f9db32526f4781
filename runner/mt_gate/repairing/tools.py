"""The language tools that repair works with, and how their scores are weighed."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from mt_gate.base.errors import UsageError, page
from mt_gate.language import kinds as opening
from mt_gate.language.tools import Fillers, Similarity

_LOGIT_OF_OLD = 10.0
"""A log ratio is a logit less that of the word that stood there, for which this is taken."""


class Scores(StrEnum):
    """What the scores of a filler tool are."""

    LOGIT = "logit"
    LOG_RATIO = "log-ratio"


class RepairTools(NamedTuple):
    """What proposes words, what compares them, and what the proposals' scores are."""

    fillers: Fillers
    similarity: Similarity
    scores: Scores


_LEAST_LOGIT = 5.5
MIN_SCORE = {Scores.LOGIT: _LEAST_LOGIT, Scores.LOG_RATIO: _LEAST_LOGIT - _LOGIT_OF_OLD}
"""Least score of a candidate, by default: the paper's, on either scale."""


def _logit(score: float) -> float:
    return max(score, 0.0)


def _log_ratio(score: float) -> float:
    return max(score + _LOGIT_OF_OLD, 0.0)


WEIGHTS: dict[Scores, Callable[[float], float]] = {
    Scores.LOGIT: _logit,
    Scores.LOG_RATIO: _log_ratio,
}
"""From a candidate's score to its weight in the vote, never negative."""


def open_tools(names: opening.ToolNames | None) -> RepairTools:
    """Open the language tools.

    Raises UsageError: no language model or no encoder is named. CannotJudge: one is missing or
    cannot be loaded.
    """
    if names is None:
        raise UsageError(
            "mt-gate repair needs a language model and an encoder. Name them with --masked-lm or "
            f"--causal-lm, and --encoder: {page('mutation', 'which-predictions-are-wrong')}"
        )
    tools = opening.open_tools(names)
    scores = Scores.LOGIT if names.masked_lm else Scores.LOG_RATIO
    return RepairTools(tools.fillers, tools.similarity, scores)
