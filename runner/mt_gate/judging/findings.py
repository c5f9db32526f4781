"""The rules of the gate, each of which looks at what was measured of a relation.

A finding is a decision, the rule that came to it, and the sentence that says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mt_gate.base.figures import (
    change,
    count,
    counted,
    distinct_decimals,
    moved,
    number_of,
    percent,
    significance,
    size_in_points,
)
from mt_gate.judging.measuring import Measured
from mt_gate.judging.pairing import MOST_EXCUSED
from mt_gate.judging.verdicts import RelationVerdicts
from mt_gate.results import rules
from mt_gate.results.result import ComparisonFigures, Decision, Rule, RunSettings, Share
from mt_gate.results.rules import MIN_CLUSTERS
from mt_gate.settings.policy import Tier

# Worst first: the first that any part of the run earned is the gate's verdict.
SEVERITY = (
    Decision.REGRESSION,
    Decision.COLLAPSE,
    Decision.INCONCLUSIVE,
    Decision.NOT_COMPARABLE,
    Decision.IMPROVED,
    Decision.PASS,
    Decision.NOT_JUDGED,
)
NONE_BLOCKS = "no relation of this run blocks"
TOO_SMALL_ALPHA = (
    "alpha is too small to reach significance with several baseline runs; raise alpha, or this "
    "relation's share"
)
_NAMED_SLICES = 5


class Finding(NamedTuple):
    """A decision that one rule came to, and the sentence that says why."""

    decision: Decision
    rule: Rule
    sentence: str


def rank(finding: Finding, tier: Tier, settings: RunSettings) -> tuple[bool, int]:
    """Return how early a finding counts: what fails the build before all else, then the gravest."""
    fails = rules.fails_in(tier, finding.rule, finding.decision, settings)
    return not fails, SEVERITY.index(finding.decision)


def of_relation(measured: Measured, verdicts: RelationVerdicts) -> list[Finding]:
    """Return what every rule finds of a relation; the test's finding comes first."""
    settings, figures = measured.settings, measured.figures
    if settings.policy.tier(verdicts.id) is Tier.REPORT:
        results = [Finding(Decision.NOT_JUDGED, Rule.REPORTED, _reported(figures))]
    else:
        results = [
            _by_policy(of_slice(measured), measured, verdicts.id),
            *_of_slices(measured.slices),
            *_not_shown(measured),
            *_of_applicability(figures, settings),
        ]
    if rules.is_required(verdicts.id, settings) and figures.p_value is None:
        sentence = f"required, but could not be compared: {_too_few(figures)}"
        results.append(Finding(Decision.COLLAPSE, Rule.REQUIRED, sentence))
    return [*results, *of_limits(verdicts, settings)]


def of_test(measured: Measured) -> list[Finding]:
    """Return what the test shows, and whether that is enough for a strict gate."""
    return [of_slice(measured), *_not_shown(measured)]


def of_pool(measured: Measured, *, empty: bool = False) -> list[Finding]:
    """Return what is found of all relations together, which a strict gate always wants shown.

    ``empty``: the run has relations, and none of them blocks.
    """
    figures, settings = measured.figures, measured.settings
    if empty:
        if rules.not_shown(figures, settings, together=True):
            why = f"{NONE_BLOCKS}; --strict needs at least one"
            return [Finding(Decision.INCONCLUSIVE, Rule.NOT_SHOWN, why)]
        return [Finding(Decision.NOT_COMPARABLE, Rule.TOO_FEW, NONE_BLOCKS)]
    first = of_slice(measured)
    if rules.is_accepted(figures, settings, measured.plain_margin):
        why = f"{_rose(figures)}; within the accepted regressions"
        first = Finding(Decision.PASS, Rule.ACCEPTED, why)
    return [first, *_not_shown(measured, together=True), *_of_applicability(figures, settings)]


def of_slice(measured: Measured) -> Finding:
    """Say what the clustered test shows; exactly one finding a comparison."""
    figures, settings = measured.figures, measured.settings
    if measured.test.p_value is None:
        why = f"not enough data: {_too_few(figures)}"
        return Finding(Decision.NOT_COMPARABLE, Rule.TOO_FEW, why)
    if measured.test.regressed(settings):
        return _risen(measured)
    if rules.rose_alone(figures, settings):
        why = (
            f"rose, but not significantly after correction: {_numbers(figures, figures.p_adjusted)}"
            f", uncorrected {significance(figures.p_value)}; {smallest_loss(figures)}"
        )
        return Finding(Decision.PASS, Rule.RISE_ALONE, why)
    if measured.test.improved(settings):
        why = f"violation rate fell: {_numbers(figures, figures.p_better)}"
        return Finding(Decision.IMPROVED, Rule.FALL, why)
    numbers = _numbers(figures, figures.p_adjusted)
    why = f"no regression found: {numbers}; {smallest_loss(figures)}"
    return Finding(Decision.PASS, Rule.NO_RISE, why)


def _risen(measured: Measured) -> Finding:
    """Judge a rise beyond chance; few unstable pairs excuse it where it depends on them alone."""
    pairing, stable = measured.pairing, measured.stable
    rose = _rose(measured.figures)
    if not pairing.unstable:
        return Finding(Decision.REGRESSION, Rule.RISE, rose)
    unstable = (
        f"{counted(pairing.unstable, 'case')} ({percent(pairing.unstable / pairing.pairs)}) that "
        "numerical noise could flip"
    )
    if not pairing.excusable:
        why = f"at most {percent(MOST_EXCUSED)} may be excluded"
        if not pairing.unstable_known:
            why = "the baseline does not list its own; record it again"
        return Finding(Decision.REGRESSION, Rule.RISE, f"{rose}; includes {unstable}, since {why}")
    if stable.p_value is None or stable.regressed(measured.settings):
        return Finding(Decision.REGRESSION, Rule.RISE, rose)
    sentence = f"{rose}; not a regression without {unstable}"
    return Finding(Decision.INCONCLUSIVE, Rule.RISE_OR_NOISE, sentence)


def _of_slices(slices: Mapping[str, Measured]) -> Iterator[Finding]:
    """Find the slices that rose, all of one decision in one finding, the largest loss first."""
    risen: dict[Decision, list[tuple[float, str, ComparisonFigures]]] = {}
    for name, measured in slices.items():
        decision = of_slice(measured).decision
        if decision in (Decision.REGRESSION, Decision.INCONCLUSIVE):
            loss = measured.figures.delta or 0.0
            risen.setdefault(decision, []).append((-loss, name, measured.figures))
    for decision, rises in risen.items():
        rises.sort(key=lambda rise: rise[:2])
        parts = [f"{name} {right_answers(figures)}" for _, name, figures in rises[:_NAMED_SLICES]]
        if len(rises) > _NAMED_SLICES:
            parts.append(f"and {len(rises) - _NAMED_SLICES} more")
        why = f"fewer right predictions in {'; '.join(parts)}"
        yield Finding(decision, Rule.RISE_IN_SLICE, why)


def right_answers(figures: ComparisonFigures) -> str:
    """Return how many of the compared cases were right before and are now."""
    before, after = (
        count(number_of(1 - rate, figures.pairs))
        for rate in (figures.baseline_rate or 0.0, figures.candidate_rate or 0.0)
    )
    of = count(figures.pairs)
    return f"{before} → {after} of {of}"


def _by_policy(finding: Finding, measured: Measured, relation: str) -> Finding:
    """Return the test's finding with what the relation's policy has to do with it."""
    figures, settings, plain = measured.figures, measured.settings, measured.plain_margin
    accepted = settings.policy.accepted_of(relation)
    until = (
        f"until {accepted.expires}: {accepted.reason} (owner {accepted.owner})" if accepted else ""
    )
    if accepted and rules.is_accepted(figures, settings, plain):
        why = f"{_rose(figures)}; accepted up to {size_in_points(accepted.rise)} {until}"
        return Finding(Decision.PASS, Rule.ACCEPTED, why)
    if finding.rule is not Rule.RISE:
        return finding
    sentence = finding.sentence
    relative = settings.policy.of(relation).max_relative_rise
    if relative is not None and plain == relative * (figures.baseline_rate or 0.0):
        most = f"{percent(relative)} of its baseline rate ({size_in_points(plain)})"
        sentence += f"; the policy allows a rise of {most}"
    if accepted and accepted.rise > plain:
        sentence += f"; accepted only up to {size_in_points(accepted.rise)} {until}"
    return finding._replace(sentence=sentence)


def _not_shown(measured: Measured, *, together: bool = False) -> Iterator[Finding]:
    """With ``strict``, what is not shown to be no worse is inconclusive."""
    figures, settings = measured.figures, measured.settings
    if not rules.not_shown(figures, settings, together=together):
        return
    why = _too_few(figures)
    if figures.ci95 is not None:
        most, margin = figures.ci95[1], settings.margin
        decimals = distinct_decimals(most, margin)
        why = (
            f"cannot rule out a regression of {size_in_points(most, decimals)} "
            f"(margin {size_in_points(margin, decimals)})"
        )
    sentence = f"strict mode: {why}"
    yield Finding(Decision.INCONCLUSIVE, Rule.NOT_SHOWN, sentence)


def _of_applicability(figures: ComparisonFigures, settings: RunSettings) -> Iterator[Finding]:
    """Find a system that violates less because less of it is tested; one finding at most."""
    lost, shares = rules.applicability_lost(figures, settings), figures.applicability
    if lost is None or shares is None:
        return
    decision, rule = lost
    applicable, answered = shares.applicable, shares.answered
    part = percent(settings.max_applicability_drop)
    if rule is Rule.STOPPED_ANSWERING:
        loss = settings.max_applicability_loss
        of_all = answered.baseline - answered.candidate > loss
        allowed = size_in_points(loss) if of_all else f"{part} of it"
        why = f"predictions missing: coverage {_fall(answered)}; limit {allowed}"
    elif rule is Rule.COMPARABILITY_LOST:
        why = (
            f"too few testable cases: {_too_few(figures)}; the baseline had {count(shares.sources)}"
        )
    else:
        why = (
            f"fewer testable cases, {_fall(applicable)}: the model now predicts something else "
            "on the original text"
        )
        if decision is Decision.INCONCLUSIVE:
            why += f"; more than {part} of the testable cases are gone"
    yield Finding(decision, rule, why)


def of_limits(verdicts: RelationVerdicts, settings: RunSettings) -> Iterator[Finding]:
    """Compare the candidate's own rate with its limit, and look up the groups that must hold."""
    limit = rules.limit_of(verdicts.id, settings)
    violated, applicable = len(verdicts.violated), len(verdicts.applicable)
    if limit is not None and rules.over_limit(violated, applicable, limit):
        rate = violated / applicable
        decimals = distinct_decimals(rate, limit)
        why = (
            f"violation rate {percent(rate, decimals)} ({count(violated)} of {count(applicable)}) "
            f"is above its limit of {percent(limit, decimals)}"
        )
        yield Finding(Decision.REGRESSION, Rule.LIMIT, why)
    elif limit is not None and not applicable and verdicts.id in settings.max_violation_rate:
        why = f"no testable case to compare with its limit of {percent(limit)}"
        yield Finding(Decision.INCONCLUSIVE, Rule.LIMIT, why)
    for group, word in rules.must_hold(settings).items():
        named = f"pinned case {group}"
        if word:
            named += f" ({word.reason}; owner {word.owner})"
        if group in verdicts.violated:
            yield Finding(Decision.REGRESSION, Rule.MUST_HOLD, f"{named} is violated")
        elif group in verdicts.source_of and group not in verdicts.satisfied:
            why = f"{named} could not be tested"
            yield Finding(Decision.INCONCLUSIVE, Rule.MUST_HOLD, why)


def smallest_loss(figures: ComparisonFigures) -> str:
    """Say how large a rise would have been found, where the rate has room for one."""
    if rules.finds_nothing(figures):
        return TOO_SMALL_ALPHA
    if rules.has_no_room(figures):
        return "too few cases to detect even a rise to 100%"
    effect = rules.detectable(figures)
    if effect is None:
        return f"too few cases to detect a rise of {size_in_points(figures.delta)}"
    return f"detects rises of {size_in_points(effect)} or more (80% power)"


def _reported(figures: ComparisonFigures) -> str:
    if figures.delta is None:
        return f"report only: {_too_few(figures)}"
    rates = moved(figures.baseline_rate, figures.candidate_rate)
    return f"report only: {rates}, {change(figures.delta, figures.ci95)}"


def _rose(figures: ComparisonFigures) -> str:
    return f"violation rate rose: {_numbers(figures, figures.p_adjusted)}"


def _numbers(figures: ComparisonFigures, p: float | None) -> str:
    rates = moved(figures.baseline_rate, figures.candidate_rate)
    return f"{rates}, {change(figures.delta, figures.ci95)}, {significance(p)}"


def _fall(share: Share) -> str:
    return f"{moved(share.baseline, share.candidate)} ({significance(share.p_adjusted)})"


def _too_few(figures: ComparisonFigures) -> str:
    return f"{counted(figures.clusters, 'original text')} in both runs, minimum {MIN_CLUSTERS}"
