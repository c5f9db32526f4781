"""Conditions of the gate's rules, on the figures of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.base.figures import count, counted, percent
from mt_gate.domain import NotApplicable, metamorphic
from mt_gate.results.result import (
    Applicability,
    Churn,
    ComparisonFigures,
    Decision,
    Flips,
    RelationResult,
    Rule,
    RunSettings,
    Share,
)
from mt_gate.settings.policy import MustHold, Tier, task_of

MIN_CLUSTERS = 10
"""Minimum number of paired sources for a comparison."""
_ROUNDING = 1e-9
"""Tolerance for floating-point errors when a difference is compared with its limit."""
EVERY_RELATION = "*"
"""Key that replaces a relation's id: its limit is for all relations without a separate limit."""

UNTIERED = (Rule.REQUIRED, Rule.LIMIT, Rule.MUST_HOLD)
"""Rules without a test, set by the user; they fail the build in every tier."""


def count_unanswered(relations: Iterable[RelationResult]) -> tuple[int, int]:
    """Return the cases in which a language model's reply was no prediction, and all cases."""
    relations = tuple(relations)
    unanswered = (item.not_applicable.get(NotApplicable.UNANSWERED, 0) for item in relations)
    return sum(unanswered), sum(item.groups for item in relations)


class Paired(NamedTuple):
    """A relation's pairs, and the baseline's rate; None if there are too few sources for a test."""

    pairs: int
    baseline_rate: float | None


Counted = Paired | ComparisonFigures


def is_above(difference: float, margin: float) -> bool:
    """Whether a difference of rates exceeds a margin; a difference equal to it does not."""
    # Means over several runs, and rates of many pairs, may exceed an equal margin by rounding.
    return difference > margin + _ROUNDING


def allowed_rise(
    settings: RunSettings, relation: str, paired: Counted, *, plain: bool = False
) -> float:
    """Return the allowed rise of a relation; ``plain`` ignores regressions accepted for now.

    A rise that the model's own flips explain is allowed, too.
    """
    entry = settings.policy.of(relation)
    margin = settings.margin if entry.margin is None else entry.margin
    if entry.max_relative_rise is not None and paired.baseline_rate is not None:
        margin = min(margin, entry.max_relative_rise * paired.baseline_rate)
    loss = settings.policy.accepted_of(relation)
    allowed = margin if plain or not loss else max(margin, loss.rise)
    return allowed + (settings.allowed_flips or 0.0)


def with_allowed_flips(settings: RunSettings, before: RunSettings) -> RunSettings:
    """Return the settings with the rise of violation rates that the model's flips may explain.

    If the candidate flips more often than the baseline did, its rates rise by at most about the
    difference. The upper bound of its share counts, because few inputs were measured.
    """
    if not settings.flips:
        return settings
    before_share = before.flips.share if before.flips else 0.0
    return replace(settings, allowed_flips=max(0.0, settings.flips.at_most - before_share))


def make_relation_settings(settings: RunSettings, relation: str, paired: Counted) -> RunSettings:
    """Return the settings for judging a relation, with its alpha and its margin."""
    return replace(
        settings,
        alpha=settings.alpha * settings.policy.part_of_alpha(relation),
        margin=allowed_rise(settings, relation, paired),
    )


def make_pool_settings(
    settings: RunSettings, each: Mapping[str, Counted], *, plain: bool = False
) -> RunSettings:
    """Return the settings for judging relations together; ``each`` has their counts.

    Coverage may drop by half as much as in one relation: smaller drops in all relations are hardly
    chance. The margin is the mean of the relations' margins, weighted by pairs. ``plain`` is as for
    ``allowed_rise``.
    """
    blocking = [name for name in each if settings.policy.tier(name) is Tier.BLOCK]
    margins = {
        name: allowed_rise(settings, name, each[name], plain=plain)
        for name in pooled(blocking, settings)
    }
    pairs = sum(each[name].pairs for name in margins)
    margin = settings.margin
    if pairs and set(margins.values()) != {margin}:
        margin = sum(own * each[name].pairs for name, own in margins.items()) / pairs
    task = task_of(blocking[0]) if blocking else ""
    return replace(
        settings,
        alpha=settings.alpha * settings.policy.part_of_family(Tier.BLOCK, task),
        margin=margin,
        max_applicability_loss=_scaled(settings.max_applicability_loss, 1 / 2),
    )


def pooled(relations: Iterable[str], settings: RunSettings) -> list[str]:
    """Return the relations of a tier that are judged together.

    A relation with another margin than the run's is judged alone, because a larger one would hide
    regressions of the others. If every relation has such a margin, all are judged together.
    """
    every = metamorphic(relations)
    of = settings.policy.of
    return [
        name
        for name in every
        if of(name).margin in (None, settings.margin)
        and of(name).max_relative_rise is None
        and settings.policy.accepted_of(name) is None
    ] or every


def at_part(settings: RunSettings, share: float) -> RunSettings:
    """Return the settings for judging a share of a run: limits are divided by the share.

    So if the share fails, the whole run would fail, even if nothing regressed in the other part.
    """
    return replace(
        settings,
        margin=settings.margin / share,
        max_applicability_loss=_scaled(settings.max_applicability_loss, 1 / share),
        max_applicability_drop=_scaled(settings.max_applicability_drop, 1 / share),
    )


def _scaled(limit: float, by: float) -> float:
    if limit == 1:
        return limit
    scaled = limit * by
    # A limit of exactly 1 means no limit, so a scaled one (0.1 for a tenth) must not become 1.
    return math.nextafter(1, 2) if scaled == 1 else scaled


def is_accepted(figures: ComparisonFigures, settings: RunSettings, plain: float) -> bool:
    """Whether a significant rise is above the plain margin, but within the accepted rise."""
    p, delta = figures.p_adjusted, figures.delta
    if p is None or delta is None or p >= settings.alpha or delta <= 0:
        return False
    return not is_above(delta, settings.margin) and is_above(delta, plain)


def not_shown(figures: ComparisonFigures, settings: RunSettings, *, together: bool = False) -> bool:
    """Whether a strict gate fails because the rise is not shown to stay within the margin.

    A relation too small to show this passes. All relations ``together`` never pass for that
    reason. A checkpoint compared with itself always passes.
    """
    if figures.unchanged or (not together and too_small_to_show(figures, settings)):
        return False
    return figures.ci95 is None or figures.ci95[1] > settings.margin


def too_small_to_show(figures: ComparisonFigures, settings: RunSettings) -> bool:
    """Whether there are too few cases to show that a rise stays within the margin."""
    if figures.unchanged:
        return False
    return figures.provable_margin is None or figures.provable_margin > settings.margin


class Power(StrEnum):
    """Whether a test can detect a rise, and if not, why."""

    DETECTS = "detects"
    UNTESTED = "untested"
    SMALL_ALPHA = "small alpha"
    """Alpha is so small that no rise can be detected."""
    NO_ROOM = "no room"
    """Even a rise to 100 % might not be detected."""
    MISSED = "missed"
    """The observed rise is at least the detectable one, so a rise of that size may be missed."""


def power(figures: ComparisonFigures) -> tuple[Power, float | None]:
    """Return whether a rise is detectable, and if so, the smallest one (80 % power)."""
    effect, delta = figures.minimum_detectable_effect, figures.delta
    before = figures.baseline_rate
    if effect is None:
        return Power.UNTESTED if figures.p_value is None else Power.SMALL_ALPHA, None
    if before is not None and effect + before > 1 - _ROUNDING:
        return Power.NO_ROOM, None
    if delta is not None and delta >= effect:
        return Power.MISSED, None
    return Power.DETECTS, effect


def applicability_lost(
    figures: ComparisonFigures, settings: RunSettings
) -> tuple[Decision, Rule] | None:
    """Return the decision on a system that violates less because less is testable; None if not.

    A significant fall of prediction coverage by more than is allowed fails. If predictions changed,
    the relation is inconclusive if it lost too large a part of its testable cases, or has too few
    sources for a test. If its testable share fell by more points than coverage
    may, a note says so.
    """
    shares = figures.applicability
    if shares is None:
        return None
    answered, applicable = shares.answered, shares.applicable
    silent, fewer = (
        share.p_adjusted < settings.alpha and share.candidate < share.baseline
        for share in (answered, applicable)
    )
    if silent and (_lost_points(answered, settings) or _lost_part(shares, answered, settings)):
        return Decision.COLLAPSE, Rule.STOPPED_ANSWERING
    if fewer and _lost_part(shares, applicable, settings):
        return Decision.INCONCLUSIVE, Rule.FEWER_APPLICABLE
    if figures.p_value is None and shares.sources >= MIN_CLUSTERS:
        return Decision.INCONCLUSIVE, Rule.COMPARABILITY_LOST
    if fewer and _lost_points(applicable, settings):
        return Decision.PASS, Rule.FEWER_APPLICABLE
    return None


def may_stop_answering(figures: ComparisonFigures, settings: RunSettings, share: float) -> bool:
    """Whether coverage fell by more than the whole run allows, significant or not.

    Figures and settings (of ``at_part``) are of a ``share``, in (0, 1], of the run.
    """
    shares = figures.applicability
    whole = at_part(settings, 1 / share)
    return shares is not None and (
        _lost_points(shares.answered, whole) or _lost_part(shares, shares.answered, whole)
    )


def _lost_points(share: Share, settings: RunSettings) -> bool:
    return share.baseline - share.candidate > settings.max_applicability_loss + _ROUNDING


def _lost_part(shares: Applicability, share: Share, settings: RunSettings) -> bool:
    allowed = settings.max_applicability_drop * share.baseline
    lost = share.baseline - share.candidate
    return shares.sources >= MIN_CLUSTERS and lost > allowed + _ROUNDING


def must_hold(settings: RunSettings) -> Mapping[str, MustHold | None]:
    """Return the pinned cases by id, each with its policy entry; None if it is only a setting."""
    tasks = {"", *map(task_of, settings.relations)}
    return {
        **dict.fromkeys(settings.must_hold),
        **{item.group: item for item in settings.policy.must_hold if item.task in tasks},
    }


def over_churn(churn: Churn, labelled: bool, settings: RunSettings) -> dict[str, Flips]:
    """Return the changes whose 95% CI is above the limit, by setting."""
    flips = {
        "max_churn": churn.answers.inputs if churn.answers else None,
        "max_negative_flips": negative_flips(churn, labelled),
    }
    return {
        name: share
        for name, share in flips.items()
        if share and share.ci95 and share.ci95[0] > getattr(settings, name)
    }


def describe_churn(churn: Churn) -> dict[str, str]:
    """Return sentences on what changed, by kind: ``predictions``, ``cases``, ``labelled``."""
    sentences = {}
    if churn.answers:
        of = churn.answers.inputs
        share = f"{count(of.number)} of {count(of.of)}"
        sentences["predictions"] = f"{percent(of.rate)} of predictions changed ({share})"
    turned = {"cases": (churn.groups, "case", "newly violated")}
    if churn.labelled:
        turned["labelled"] = (churn.labelled.negative, "labelled input", "newly wrong")
    for name, (of, noun, became) in turned.items():
        share = f"{percent(of.rate)} of {count(of.of)}"
        if name == "cases":  # texts built at run time differ if predictions differ
            share += " with the same texts in both runs"
        sentences[name] = f"{counted(of.number, noun)} {became} ({share})"
    return sentences


def negative_flips(churn: Churn, labelled: bool) -> Flips | None:
    """Return what ``max_negative_flips`` limits; None if only the candidate has labelled inputs."""
    if churn.labelled:
        return churn.labelled.negative
    return None if labelled else churn.groups
