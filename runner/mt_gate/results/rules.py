"""When each rule of the gate fires, over figures alone: judging asks, and reading a result checks.

The test's other side, noise and the lists of groups are not among a result's figures: of these
rules there stands what a result can show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import msgspec

from mt_gate.results.result import (
    Applicability,
    Churn,
    Comparison,
    ComparisonFigures,
    Decision,
    Flips,
    Rule,
    RunSettings,
    Share,
    is_loss,
)

MIN_CLUSTERS = 10
"""Fewer paired sources than this are not compared."""
_ROUNDING = 1e-9
"""What two shares that differ by as much as is allowed may differ by more, in floating point."""
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
    Rule.FEWER_APPLICABLE: frozenset({Decision.INCONCLUSIVE}),
    Rule.COMPARABILITY_LOST: frozenset({Decision.INCONCLUSIVE}),
    Rule.REQUIRED: frozenset({Decision.COLLAPSE}),
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


def of_pool(settings: RunSettings) -> RunSettings:
    """Return the settings by which all relations together are judged.

    They are allowed half of what one may lose: where each loses a little less than is allowed,
    that is no chance. A loss of all, allowed to each, is allowed to all.
    """
    loss = settings.max_applicability_loss
    return msgspec.structs.replace(settings, max_applicability_loss=loss if loss == 1 else loss / 2)


def stopped_answering(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the share answered fell beyond chance, by more than is allowed."""
    found = figures.applicability
    if found is None or not _fell_beyond_chance(found.answered, settings):
        return False
    return _lost_points(found.answered, settings) or _lost_part(found, found.answered, settings)


def far_fewer_applicable(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether so large a part of the share applicable is lost that the relation hardly tests."""
    found = figures.applicability
    if found is None or not _fell_beyond_chance(found.applicable, settings):
        return False
    return _lost_part(found, found.applicable, settings)


def fewer_applicable(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the share applicable fell beyond chance by more points than silence may cost."""
    found = figures.applicability
    if found is None or not _fell_beyond_chance(found.applicable, settings):
        return False
    return _lost_points(found.applicable, settings)


def comparability_lost(figures: ComparisonFigures, _: RunSettings) -> bool:
    """Whether there is no test, though the baseline alone has sources enough for one."""
    found = figures.applicability
    return figures.p_value is None and found is not None and found.sources >= MIN_CLUSTERS


def missing(relation: str, figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether a relation that must be compared is not."""
    return relation in settings.required and figures.p_value is None


def limit_of(relation: str, settings: RunSettings) -> float | None:
    """Return the limit on a relation's violation rate: its own, or that of every relation."""
    limits = settings.max_violation_rate
    return limits.get(relation, limits.get(EVERY_RELATION))


def over_limit(violated: int, applicable: int, limit: float) -> bool:
    """Whether more of the applicable groups are violated than a limit in [0, 1] allows."""
    return applicable > 0 and violated > limit * applicable


def over_churn(churn: Churn, settings: RunSettings) -> Iterator[str]:
    """Yield the settings of which what changed is surely above: the interval's lower end is."""
    answers = churn.answers.inputs if churn.answers else None
    if _surely_above(answers, settings.max_churn):
        yield "max_churn"
    if _surely_above(negative_flips(churn), settings.max_negative_flips):
        yield "max_negative_flips"


def negative_flips(churn: Churn) -> Flips:
    """Return what ``max_negative_flips`` is of: labelled inputs, or groups where there are none."""
    return churn.labelled.negative if churn.labelled else churn.groups


def _surely_above(flips: Flips | None, limit: float) -> bool:
    return flips is not None and flips.ci95 is not None and flips.ci95[0] > limit


def _significant(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the rise is above the margin and its own p below alpha, other tests left aside."""
    p = figures.p_value
    return p is not None and p < settings.alpha and _above_margin(figures, settings)


def _above_margin(figures: ComparisonFigures, settings: RunSettings) -> bool:
    return figures.delta is not None and figures.delta > settings.margin


def _fell_beyond_chance(share: Share, settings: RunSettings) -> bool:
    return share.p_adjusted < settings.alpha and share.candidate < share.baseline


def _lost_points(share: Share, settings: RunSettings) -> bool:
    return share.baseline - share.candidate > settings.max_applicability_loss + _ROUNDING


def _lost_part(found: Applicability, share: Share, settings: RunSettings) -> bool:
    """Whether more than the allowed part of a share is lost.

    Of a relation with fewer sources than a comparison needs, a few may be half.
    """
    allowed = settings.max_applicability_drop * share.baseline
    lost = share.baseline - share.candidate
    return found.sources >= MIN_CLUSTERS and lost > allowed + _ROUNDING


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


def _required(figures: ComparisonFigures, settings: RunSettings) -> bool:
    return bool(settings.required) and _untested(figures, settings)


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
    Rule.FEWER_APPLICABLE: far_fewer_applicable,
    Rule.COMPARABILITY_LOST: comparability_lost,
    Rule.REQUIRED: _required,
    Rule.LIMIT: _limited,
    Rule.MUST_HOLD: _must_hold,
}


_OPEN = (Rule.FEWER_APPLICABLE, Rule.COMPARABILITY_LOST)
"""Rules that leave a decision open whatever else is found, beside what ``strict`` misses."""


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
    if comparison.decision not in harmless:
        return
    if not_shown(comparison, settings, pooled=pooled):
        yield Rule.NOT_SHOWN
    yield from (rule for rule in _OPEN if can_fire(rule, comparison, settings))


def can_fire(rule: Rule, figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether the figures, as far as a result holds them, let a rule fire."""
    return _FIGURES[rule](figures, settings)
