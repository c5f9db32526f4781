"""Rules of the gate. Each rule turns a relation's measurements into findings.

A finding is a decision, the rule that made it, and a sentence with the reason. A note is a
decision on the whole run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
from mt_gate.judging.clustered import MOST_EXCUSED
from mt_gate.judging.measuring import Measured
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, observed_units
from mt_gate.results import rules
from mt_gate.results.result import (
    Churn,
    ComparisonFigures,
    Decision,
    Rule,
    RunSettings,
    Share,
    fails,
)
from mt_gate.results.rules import MIN_CLUSTERS
from mt_gate.settings.policy import Tier, task_of

# Worst first. The gate's verdict is the worst decision of any finding.
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
    "alpha is too small to reach significance with several baseline runs. Raise alpha, or the "
    "relation's share in the policy"
)
_NAMED_SLICES = 5


class Finding(NamedTuple):
    """A decision that one rule made, and a sentence with the reason."""

    decision: Decision
    rule: Rule
    sentence: str


def rank(finding: Finding, tier: Tier, settings: RunSettings) -> tuple[bool, int]:
    """Return a sort key: findings that can fail the build first, then by severity."""
    counts = tier is Tier.BLOCK or finding.rule in rules.UNTIERED
    fails_build = counts and fails(finding.decision, settings)
    return not fails_build, SEVERITY.index(finding.decision)


def judge_relation(measured: Measured, verdicts: RelationVerdicts) -> list[Finding]:
    """Return the findings of all rules on a relation; the first is the finding of the test."""
    settings, figures = measured.settings, measured.figures
    if settings.policy.tier(verdicts.id) is Tier.REPORT:
        why = f"report only: {_too_few(figures)}"
        if figures.delta is not None:
            rates = moved(figures.baseline_rate, figures.candidate_rate)
            why = f"report only: {rates}, {change(figures.delta, figures.ci95)}"
        results = [Finding(Decision.NOT_JUDGED, Rule.REPORTED, why)]
    else:
        first, plain = significance_finding(measured), measured.plain_margin
        accepted = settings.policy.accepted_of(verdicts.id)
        until = ""
        if accepted:
            until = f"until {accepted.expires}: {accepted.reason} (owner {accepted.owner})"
        if accepted and rules.is_accepted(figures, settings, plain):
            why = f"{_rose(figures)}; accepted up to {size_in_points(accepted.rise)} {until}"
            first = Finding(Decision.PASS, Rule.ACCEPTED, why)
        elif first.rule is Rule.RISE:
            why = first.sentence
            relative = settings.policy.of(verdicts.id).max_relative_rise
            if relative is not None and plain == relative * (figures.baseline_rate or 0.0):
                most = f"{percent(relative)} of its baseline rate ({size_in_points(plain)})"
                why += f"; the policy allows a rise of {most}"
            if accepted and accepted.rise > plain:
                why += f"; accepted only up to {size_in_points(accepted.rise)} {until}"
            first = first._replace(sentence=why)
        results = [
            first,
            *_judge_slices(measured.slices),
            *(judge_strictly(measured) if settings.strict else ()),
            *_judge_coverage(figures, settings),
        ]
    required = verdicts.id in settings.required or settings.policy.of(verdicts.id).required
    if required and figures.p_value is None:
        sentence = f"required, but could not be compared: {_too_few(figures)}"
        results.append(Finding(Decision.COLLAPSE, Rule.REQUIRED, sentence))
    return [*results, *judge_limits(verdicts, settings)]


def judge_overall(measured: Measured, *, empty: bool = False) -> list[Finding]:
    """Return the findings on all blocking relations combined; ``empty``: no relation blocks."""
    figures, settings = measured.figures, measured.settings
    if empty:
        if settings.strict and rules.not_shown(figures, settings, together=True):
            why = f"{NONE_BLOCKS}, but --strict needs at least one"
            return [Finding(Decision.INCONCLUSIVE, Rule.NOT_SHOWN, why)]
        return [Finding(Decision.NOT_COMPARABLE, Rule.TOO_FEW, NONE_BLOCKS)]
    first = significance_finding(measured)
    if settings.policy.accepted and rules.is_accepted(figures, settings, measured.plain_margin):
        why = f"{_rose(figures)}; within the accepted regressions"
        first = Finding(Decision.PASS, Rule.ACCEPTED, why)
    strictly = judge_strictly(measured, together=True) if settings.strict else ()
    return [first, *strictly, *_judge_coverage(figures, settings)]


def significance_finding(measured: Measured) -> Finding:
    """Return the one finding of the clustered test."""
    figures, settings = measured.figures, measured.settings
    if measured.test.p_value is None:
        why = f"not enough data: {_too_few(figures)}"
        return Finding(Decision.NOT_COMPARABLE, Rule.TOO_FEW, why)
    if measured.test.regressed(settings):
        return _risen(measured)
    power, effect = rules.power(figures)
    detects = {
        rules.Power.SMALL_ALPHA: TOO_SMALL_ALPHA,
        rules.Power.NO_ROOM: "too few cases to detect even a rise to 100%",
        rules.Power.MISSED: f"too few cases to detect a rise of {size_in_points(figures.delta)}",
    }.get(power, f"detects rises of {size_in_points(effect)} or more (80% power)")
    # Above the margin, but significant only before correction, so not a regression.
    p, rise = measured.test.p_value, measured.test.delta
    if p < settings.alpha and rules.is_above(rise, settings.margin):
        why = (
            f"rose, but not significantly after correction: {_numbers(figures, figures.p_adjusted)}"
            f", uncorrected {significance(figures.p_value)}; {detects}"
        )
        return Finding(Decision.PASS, Rule.RISE_ALONE, why)
    test = measured.test
    if test.p_better < settings.alpha and rules.is_above(-test.delta, settings.margin):
        why = f"violation rate fell: {_numbers(figures, figures.p_better)}"
        return Finding(Decision.IMPROVED, Rule.FALL, why)
    numbers = _numbers(figures, figures.p_adjusted)
    why = f"no regression found: {numbers}; {detects}"
    return Finding(Decision.PASS, Rule.NO_RISE, why)


def _risen(measured: Measured) -> Finding:
    """Judge a significant rise: inconclusive if it disappears without a few unstable cases."""
    pairing, stable = measured.pairing, measured.stable
    rose = _rose(measured.figures)
    if not pairing.unstable:
        return Finding(Decision.REGRESSION, Rule.RISE, rose)
    unstable = f"{counted(pairing.unstable, 'case')} ({percent(pairing.unstable / pairing.pairs)})"
    if not pairing.excusable:
        why = f"more than the {percent(MOST_EXCUSED)} that mt-gate may exclude"
        if not pairing.unstable_known:
            why = "but the baseline does not list its unstable cases. Record it again"
        why = f"{rose}; {unstable} could flip by numerical noise, {why}"
        return Finding(Decision.REGRESSION, Rule.RISE, why)
    if stable.p_value is None or stable.regressed(measured.settings):
        return Finding(Decision.REGRESSION, Rule.RISE, rose)
    sentence = f"{rose}; not a regression without {unstable} that numerical noise could flip"
    return Finding(Decision.INCONCLUSIVE, Rule.RISE_OR_NOISE, sentence)


def _judge_slices(slices: Mapping[str, Measured]) -> Iterator[Finding]:
    """Judge the slices of a relation: one finding per decision, largest regression first."""
    risen: dict[Decision, list[tuple[float, str, ComparisonFigures]]] = {}
    for name, measured in slices.items():
        decision = significance_finding(measured).decision
        if decision in (Decision.REGRESSION, Decision.INCONCLUSIVE):
            rise = measured.figures.delta or 0.0
            risen.setdefault(decision, []).append((-rise, name, measured.figures))
    for decision, rises in risen.items():
        rises.sort(key=lambda rise: rise[:2])
        parts = []
        for _, name, figures in rises[:_NAMED_SLICES]:
            before, after = (
                count(number_of(1 - (rate or 0.0), figures.pairs))
                for rate in (figures.baseline_rate, figures.candidate_rate)
            )
            parts.append(f"{name} {before} → {after} of {count(figures.pairs)}")
        if len(rises) > _NAMED_SLICES:
            parts.append(f"and {len(rises) - _NAMED_SLICES} more")
        why = f"fewer right predictions in {'; '.join(parts)}"
        yield Finding(decision, Rule.RISE_IN_SLICE, why)


def judge_strictly(measured: Measured, *, together: bool = False) -> Iterator[Finding]:
    """Yield an inconclusive finding unless non-inferiority is shown (strict mode)."""
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


def _judge_coverage(figures: ComparisonFigures, settings: RunSettings) -> Iterator[Finding]:
    """Report a fall in prediction coverage or testable cases; one finding at most."""
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


def judge_limits(verdicts: RelationVerdicts, settings: RunSettings) -> Iterator[Finding]:
    """Compare the candidate's rate with its limit, and check the relation's pinned cases."""
    limits = settings.max_violation_rate
    limit = limits.get(verdicts.id, limits.get(rules.EVERY_RELATION))
    violated, applicable = len(verdicts.violated), len(verdicts.applicable)
    # Compare rates, because 0.29 * 100 is a little less than 29.
    if limit is not None and applicable and (rate := violated / applicable) > limit:
        decimals = distinct_decimals(rate, limit)
        why = (
            f"violation rate {percent(rate, decimals)} ({count(violated)} of {count(applicable)}) "
            f"is above its limit of {percent(limit, decimals)}"
        )
        yield Finding(Decision.REGRESSION, Rule.LIMIT, why)
    elif limit is not None and not applicable and verdicts.id in settings.max_violation_rate:
        why = f"no testable case to compare with its limit of {percent(limit)}"
        yield Finding(Decision.INCONCLUSIVE, Rule.LIMIT, why)
    for group, pin in rules.must_hold(settings).items():
        named = f"pinned case {group}"
        if pin:
            named += f" ({pin.reason}; owner {pin.owner})"
        if group in verdicts.violated:
            yield Finding(Decision.REGRESSION, Rule.MUST_HOLD, f"{named} is violated")
        elif group in verdicts.source_of and group not in verdicts.satisfied:
            why = f"{named} could not be tested"
            yield Finding(Decision.INCONCLUSIVE, Rule.MUST_HOLD, why)


def _rose(figures: ComparisonFigures) -> str:
    return f"violation rate rose: {_numbers(figures, figures.p_adjusted)}"


def _numbers(figures: ComparisonFigures, p: float | None) -> str:
    rates = moved(figures.baseline_rate, figures.candidate_rate)
    return f"{rates}, {change(figures.delta, figures.ci95)}, {significance(p)}"


def _fall(share: Share) -> str:
    return f"{moved(share.baseline, share.candidate)} ({significance(share.p_adjusted)})"


def _too_few(figures: ComparisonFigures) -> str:
    return f"{counted(figures.clusters, 'original text')} in both runs, minimum {MIN_CLUSTERS}"


_NAMED = 10
"""Maximum number of relations named in a sentence."""


class Note(NamedTuple):
    """A decision on the whole run, and a sentence with the reason."""

    decision: Decision
    sentence: str


def judge_run(
    candidate: RunVerdicts,
    baselines: Sequence[RunVerdicts],
    now: Sequence[RelationVerdicts],
    settings: RunSettings,
) -> Iterator[Note]:
    """Yield notes on the whole run; ``now`` includes requested relations without a case."""
    yield from unknown_limits(now, settings)
    ids = [verdicts.id for verdicts in now]
    tasks = set(map(task_of, ids))
    policy = settings.policy
    by_policy = {r for r in policy.relations if policy.of(r).required and task_of(r) in tasks}
    required = {*settings.required, *by_policy} - {rules.EVERY_RELATION, *ids}
    for relation in sorted(required):
        yield Note(Decision.COLLAPSE, f"required relation {relation} is not in this run")
    for relation in policy.named():
        if task_of(relation) in tasks and relation not in {*ids, *required}:
            yield Note(Decision.PASS, f"the policy names {relation}, which is not in this run")
    # A whole run must cover its baseline.
    nothing = RelationVerdicts(id="")
    missing = added = 0
    for relation in candidate.keys() | baselines[0].keys():
        new, old = candidate.get(relation, nothing), baselines[0].get(relation, nothing)
        bound = new.bound or old.bound
        here, there = observed_units(new, bound), observed_units(old, bound)
        missing += len(there - here)
        added += len(here - there)
    if missing:
        decision = Decision.INCONCLUSIVE if settings.complete else Decision.PASS
        yield Note(
            decision, f"{counted(missing, 'case')} of the baseline are missing from this run"
        )
    if added:
        why = f"{counted(added, 'case')} of this run are not in the baseline: not compared"
        yield Note(Decision.PASS, why)


def unknown_limits(now: Sequence[RelationVerdicts], settings: RunSettings) -> Iterator[Note]:
    """Yield notes on pinned cases, and on relations with a limit, that are not in the run."""
    for group, pin in rules.must_hold(settings).items():
        if not any(group in verdicts.source_of for verdicts in now):
            whose = f" ({pin.reason}; owner {pin.owner})" if pin else ""
            why = f"pinned case {group}{whose} is not in this run"
            yield Note(Decision.INCONCLUSIVE, why)
    known = {rules.EVERY_RELATION, *(verdicts.id for verdicts in now)}
    for relation in sorted(settings.max_violation_rate.keys() - known):
        why = f"max-violation-rate names {relation}, which is not in this run"
        yield Note(Decision.INCONCLUSIVE, why)


def name_untested(each: Mapping[str, Measured], settings: RunSettings) -> Iterator[Note]:
    """Name relations with too few cases for strict mode, or with too small an alpha to detect."""
    tested = {
        relation: measured
        for relation, measured in each.items()
        if settings.policy.tier(relation) is not Tier.REPORT
    }
    small = [
        relation
        for relation, measured in tested.items()
        if settings.strict and rules.too_small_to_show(measured.figures, measured.settings)
    ]
    if small:
        why = "strict mode skipped relations with too few cases: "
        yield Note(Decision.PASS, why + ", ".join(small))
    blind = [
        name
        for name, measured in tested.items()
        if rules.power(measured.figures)[0] is rules.Power.SMALL_ALPHA
    ]
    if blind:
        blocks = any(settings.policy.tier(relation) is Tier.BLOCK for relation in blind)
        decision = Decision.INCONCLUSIVE if blocks else Decision.PASS
        why = f"no regression can be detected in {', '.join(blind)}: {TOO_SMALL_ALPHA}"
        yield Note(decision, why)


def judge_churn(churn: Churn, labelled: bool, settings: RunSettings) -> Iterator[Note]:
    """Yield notes on changed predictions; ``labelled``: the run has labelled inputs."""
    sentences = rules.describe_churn(churn)
    about = {"max_churn": "predictions"}
    about["max_negative_flips"] = "labelled" if churn.labelled else "cases"
    for name, flips in rules.over_churn(churn, labelled, settings).items():
        limit = getattr(settings, name)
        least = flips.ci95[0] if flips.ci95 else limit
        decimals = distinct_decimals(least, limit)
        why = (
            f"{sentences[about[name]]}, above the {name.replace('_', '-')} limit of "
            f"{percent(limit, decimals)} (95% CI starts at {percent(least, decimals)})"
        )
        yield Note(Decision.REGRESSION, why)
    if settings.max_churn < 1 and (churn.answers is None or not churn.answers.inputs.of):
        yield Note(
            Decision.INCONCLUSIVE,
            "max-churn was not checked, because the baseline has no predictions. Record the "
            "baseline without --no-answers",
        )
    turned = rules.negative_flips(churn, labelled)
    if settings.max_negative_flips < 1 and (turned is None or not turned.of):
        why = (
            "the baseline has no predictions for these labelled inputs. Record a run with the "
            "same --labels"
            if turned is None
            else "no case was tested in both runs (cases built at run time do not count)"
        )
        yield Note(Decision.INCONCLUSIVE, f"max-negative-flips was not checked, because {why}")


def nothing_compared(tiers: Collection[Tier]) -> str:
    """Return the reason for no verdict; it concerns the blocking relations if there are any."""
    if tiers == {Tier.REPORT}:
        return (
            "no verdict: the policy sets every relation of this run to tier report. Set one of "
            "them to block or warn"
        )
    some_block = Tier.BLOCK in tiers and len(tiers) > 1
    return (
        f"no verdict: no {'blocking ' if some_block else ''}relation has {MIN_CLUSTERS} original "
        "texts that were testable in both runs. Run a larger suite, or record a new baseline"
    )


def never_compared(sources: Mapping[str, int]) -> str:
    """Return a sentence naming the relations with too few sources for a test, if any."""
    few = [f"{name} ({number})" for name, number in sources.items() if number < MIN_CLUSTERS]
    if not few:
        return ""
    names = ", ".join(few[:_NAMED]) + (", ..." if few[_NAMED:] else "")
    return f"too few original texts to compare (minimum {MIN_CLUSTERS}): {names}"
