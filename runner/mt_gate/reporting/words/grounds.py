"""What a decision rests on: a test, the margin that ``strict`` asks for, or a rule of the gate.

A result keeps decisions and figures. Which of its rules came to a decision follows from the
figures, so that no sentence claims evidence for what no test has shown.
"""

from __future__ import annotations

from enum import StrEnum

from mt_gate.results.result import Comparison, Decision, RunSettings


class Ground(StrEnum):
    """What a failing or inconclusive decision rests on."""

    RISE = "rise"
    """The test: a rise above the margin, beyond chance."""
    FALL = "fall"
    """The test of applicability: the checkpoint answers less, beyond chance."""
    MANY = "many"
    """A rise above the margin that is significant alone, not among all tests of the run."""
    NOISE = "noise"
    """A rise beyond chance that is no regression without the unstable groups."""
    STRICT = "strict"
    """The interval, if there is one, reaches beyond the margin, and the gate is strict."""
    RULE = "rule"
    """A limit, or a group that must hold: no test."""


def risen(comparison: Comparison, settings: RunSettings) -> bool:
    """Whether the test alone, all groups counted, shows a rise above the margin."""
    p, delta = comparison.p_adjusted, comparison.delta
    return p is not None and delta is not None and p < settings.alpha and delta > settings.margin


def ground(comparison: Comparison, settings: RunSettings) -> Ground | None:
    """Return what a decision rests on; None where it is neither failing nor inconclusive.

    A regression that both the test and a rule came to rests on the test.
    """
    rose = risen(comparison, settings)
    match comparison.decision:
        case Decision.REGRESSION:
            return Ground.RISE if rose else Ground.RULE
        case Decision.COLLAPSE:
            return Ground.FALL
        case Decision.INCONCLUSIVE:
            return Ground.NOISE if rose else _open(comparison, settings)
        case _:
            return None


def _open(comparison: Comparison, settings: RunSettings) -> Ground:
    p, delta = comparison.p_value, comparison.delta
    if p is not None and delta is not None and p < settings.alpha and delta > settings.margin:
        return Ground.MANY
    interval = comparison.ci95
    if settings.strict and (interval is None or interval[1] > settings.margin):
        return Ground.STRICT
    return Ground.RULE
