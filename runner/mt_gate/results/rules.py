"""When each rule of the gate fires, over figures alone: judging asks, and reading a result checks.

The test's other side, noise and the lists of groups are not among a result's figures: of these
rules there stands what a result can show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from mt_gate.results.result import (
    Comparison,
    ComparisonFigures,
    Decision,
    Rule,
    RunSettings,
    is_loss,
)

EVERY_RELATION = "*"
"""In the place of a relation's id: a limit for every relation that has none of its own."""

DECISIONS: Mapping[Rule, frozenset[Decision]] = {
    Rule.RISE: frozenset({Decision.REGRESSION}),
    Rule.RISE_ALONE: frozenset({Decision.PASS}),
    Rule.RISE_OR_NOISE: frozenset({Decision.INCONCLUSIVE}),
    Rule.FALL: frozenset({Decision.IMPROVED}),
    Rule.NO_RISE: frozenset({Decision.PASS}),
    Rule.TOO_FEW: frozenset({Decision.NOT_COMPARABLE}),
    Rule.NOT_SHOWN: frozenset({Decision.INCONCLUSIVE}),
    Rule.STOPPED_ANSWERING: frozenset({Decision.COLLAPSE}),
    Rule.LIMIT: frozenset({Decision.REGRESSION, Decision.INCONCLUSIVE}),
    Rule.MUST_HOLD: frozenset({Decision.REGRESSION, Decision.INCONCLUSIVE}),
}
"""What each rule can decide."""


def rose(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the test, all groups counted, shows a rise above the margin."""
    p = figures.p_adjusted
    return p is not None and p < settings.alpha and _above_margin(figures, settings)


def rose_alone(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether it does so alone, and not among all tests of the run."""
    return _significant(figures, settings) and not rose(figures, settings)


def not_shown(figures: ComparisonFigures, settings: RunSettings, *, pooled: bool = False) -> bool:
    """Whether a strict gate misses that the rise stays within the margin.

    Of a relation that could not be shown even were nothing worse it asks nothing; of all
    relations together always, but where one checkpoint is compared with itself.
    """
    if not settings.strict or figures.unchanged:
        return False
    if not pooled and too_small_to_show(figures, settings):
        return False
    return figures.ci95 is None or figures.ci95[1] > settings.margin


def too_small_to_show(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether a strict gate could not be shown that a rise stays within the margin."""
    if not settings.strict or figures.unchanged:
        return False
    return figures.provable_margin is None or figures.provable_margin > settings.margin


def stopped_answering(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the share applicable fell beyond chance, by more than is allowed."""
    share = figures.applicability
    if share is None or share.p_adjusted >= settings.alpha:
        return False
    return share.baseline - share.candidate > settings.max_applicability_loss


def limit_of(relation: str, settings: RunSettings) -> float | None:
    """Return the limit on a relation's violation rate: its own, or that of every relation."""
    limits = settings.max_violation_rate
    return limits.get(relation, limits.get(EVERY_RELATION))


def over_limit(violated: int, applicable: int, limit: float) -> bool:
    """Whether more of the applicable groups are violated than a limit in [0, 1] allows."""
    return applicable > 0 and violated > limit * applicable


def _significant(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the rise is above the margin and its own p below alpha, other tests left aside."""
    p = figures.p_value
    return p is not None and p < settings.alpha and _above_margin(figures, settings)


def _above_margin(figures: ComparisonFigures, settings: RunSettings) -> bool:
    return figures.delta is not None and figures.delta > settings.margin


def _fell(figures: ComparisonFigures, settings: RunSettings) -> bool:
    return figures.delta is not None and figures.delta < -settings.margin


def _rose_or_noise(figures: ComparisonFigures, settings: RunSettings) -> bool:
    return rose(figures, settings) and figures.unstable > 0


def _no_rise(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether there was a test that found no rise."""
    return figures.p_value is not None and not _significant(figures, settings)


def _untested(figures: ComparisonFigures, _: RunSettings) -> bool:
    return figures.p_value is None


def _limited(_: ComparisonFigures, settings: RunSettings) -> bool:
    return bool(settings.max_violation_rate)


def _must_hold(_: ComparisonFigures, settings: RunSettings) -> bool:
    return bool(settings.must_hold)


_FIGURES: Mapping[Rule, Callable[[ComparisonFigures, RunSettings], bool]] = {
    Rule.RISE: rose,
    Rule.RISE_ALONE: rose_alone,
    Rule.RISE_OR_NOISE: _rose_or_noise,
    Rule.FALL: _fell,
    Rule.NO_RISE: _no_rise,
    Rule.TOO_FEW: _untested,
    Rule.NOT_SHOWN: partial(not_shown, pooled=True),
    Rule.STOPPED_ANSWERING: stopped_answering,
    Rule.LIMIT: _limited,
    Rule.MUST_HOLD: _must_hold,
}


def overlooked(
    comparison: Comparison, settings: RunSettings, *, pooled: bool = False
) -> Iterator[Rule]:
    """Yield the rules that fire on a comparison's figures and would have come to worse."""
    lost = comparison.decision is Decision.REGRESSION
    if rose(comparison, settings) and not comparison.unstable and not lost:
        yield Rule.RISE
    if stopped_answering(comparison, settings) and not is_loss(comparison.decision):
        yield Rule.STOPPED_ANSWERING
    harmless = (Decision.PASS, Decision.IMPROVED, Decision.NOT_COMPARABLE)
    if comparison.decision in harmless and not_shown(comparison, settings, pooled=pooled):
        yield Rule.NOT_SHOWN


def can_fire(rule: Rule, figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the figures, as far as a result holds them, let a rule fire."""
    return _FIGURES[rule](figures, settings)
