"""The rules of the gate, each of which looks at what was measured and may find something.

A finding is a decision, the rule that came to it, and the sentence that says why.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mt_gate.judging import wording
from mt_gate.judging.churn import (
    churn_unchecked,
    negative_flips_unchecked,
    no_group_in_both,
    over_churn,
)
from mt_gate.judging.measuring import Measured
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, looked_at
from mt_gate.results import rules
from mt_gate.results.result import Churn, ComparisonFigures, Decision, Rule, RunSettings
from mt_gate.settings.policy import Tier, task_of

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


@dataclass(frozen=True, slots=True)
class Finding:
    """A decision that one rule came to, and the sentence that says why."""

    decision: Decision
    rule: Rule
    sentence: str


@dataclass(frozen=True, slots=True)
class Note:
    """What weighs on the verdict of a run without being of one relation."""

    decision: Decision
    sentence: str


def severity(found: Finding | Note) -> int:
    """Return how grave a finding is: 0 is worst."""
    return SEVERITY.index(found.decision)


def of_relation(measured: Measured, verdicts: RelationVerdicts) -> list[Finding]:
    """Return what every rule finds of a relation; the test's finding comes first."""
    settings = measured.settings
    return [
        *of_tests(measured, verdicts.id),
        *_required(verdicts.id, measured.figures, settings),
        *_over_limit(verdicts, settings),
        *_must_hold(verdicts, settings),
    ]


def of_tests(measured: Measured, relation: str) -> list[Finding]:
    """Return what the tests find of a relation, of one that is only shown its figures."""
    settings = measured.settings
    if settings.policy.tier(relation) is Tier.REPORT:
        sentence = wording.reported(measured.figures)
        return [Finding(Decision.NOT_JUDGED, Rule.REPORTED, sentence)]
    first, *rest = of_test(measured)
    applicability = _of_applicability(measured.figures, settings)
    slices = _of_slices(measured.slices)
    return [_by_policy(first, measured, relation), *slices, *rest, *applicability]


def _of_slices(slices: Mapping[str, Measured]) -> list[Finding]:
    """Find the slices that rose, all of one decision in one finding, the largest rise first."""
    found: dict[Decision, list[tuple[str, ComparisonFigures]]] = {}
    for name, measured in slices.items():
        decision = of_slice(measured).decision
        if decision in (Decision.REGRESSION, Decision.INCONCLUSIVE):
            found.setdefault(decision, []).append((name, measured.figures))
    return [
        Finding(decision, Rule.RISE_IN_SLICE, wording.rose_in_slices(rose))
        for decision, rose in found.items()
    ]


def of_slice(measured: Measured) -> Finding:
    """Return what the test finds of a slice."""
    return _tested(measured)


def _by_policy(found: Finding, measured: Measured, relation: str) -> Finding:
    """Return the test's finding with what the relation's policy has to do with it."""
    figures, settings = measured.figures, measured.settings
    plain = measured.plain_margin
    accepted = settings.policy.accepted_of(relation)
    if rules.is_accepted(figures, settings, plain) and accepted is not None:
        return Finding(Decision.PASS, Rule.ACCEPTED, wording.accepted(figures, accepted))
    if found.rule is not Rule.RISE:
        return found
    told = [found.sentence]
    relative = settings.policy.of(relation).max_relative_rise
    if relative is not None and rules.guarded(figures, relative, plain):
        told.append(wording.relative_guard(relative, plain))
    if accepted is not None and accepted.rise > plain:
        told.append(wording.beyond_accepted(accepted))
    return dataclasses.replace(found, sentence="; ".join(told))


def of_test(measured: Measured) -> list[Finding]:
    """Return what the test shows, and whether that is enough for a strict gate."""
    return [_tested(measured), *_not_shown(measured)]


def of_pool(measured: Measured, *, empty: bool = False) -> list[Finding]:
    """Return what is found of all relations together, which a strict gate always wants shown.

    Args:
        measured: of the relations that block.
        empty: whether the run has relations, and none of them blocks.
    """
    figures, settings = measured.figures, measured.settings
    if empty:
        found = Finding(Decision.NOT_COMPARABLE, Rule.TOO_FEW, wording.NONE_BLOCKS)
        missed = Finding(Decision.INCONCLUSIVE, Rule.NOT_SHOWN, wording.STRICT_NONE_BLOCKS)
        return [missed if rules.not_shown(figures, settings, together=True) else found]
    first = _tested(measured)
    if rules.is_accepted(figures, settings, measured.plain_margin):
        first = Finding(Decision.PASS, Rule.ACCEPTED, wording.accepted_together(figures))
    return [
        first,
        *_not_shown(measured, together=True),
        *_of_applicability(figures, settings),
    ]


def fails(found: Finding, tier: Tier, settings: RunSettings) -> bool:
    """Whether a finding on a relation of a tier fails a build that could be judged."""
    return rules.fails_in(tier, found.rule, found.decision, settings)


def worst(found: Sequence[Finding], tier: Tier, settings: RunSettings) -> Finding:
    """Return the finding that decides."""
    return min(found, key=lambda item: rank(item, tier, settings))


def rank(found: Finding, tier: Tier, settings: RunSettings) -> tuple[bool, int]:
    """Return how early a finding counts: what fails the build before all else, then the gravest."""
    return not fails(found, tier, settings), severity(found)


def of_strict(each: Mapping[str, Measured], settings: RunSettings) -> list[Note]:
    """Name the relations that are too small for a strict gate to ask anything of them."""
    small = [
        relation
        for relation, measured in each.items()
        if settings.policy.tier(relation) is not Tier.REPORT
        and rules.too_small_to_show(measured.figures, measured.settings)
    ]
    return [Note(Decision.PASS, wording.too_small_to_show(small))] if small else []


def of_alpha(each: Mapping[str, Measured], settings: RunSettings) -> list[Note]:
    """Name the relations whose part of alpha is so small that their tests can find nothing."""
    tiers = {
        relation: settings.policy.tier(relation)
        for relation, measured in each.items()
        if rules.finds_nothing(measured.figures)
    }
    tested = [relation for relation, tier in tiers.items() if tier is not Tier.REPORT]
    if not tested:
        return []
    blocks = Tier.BLOCK in tiers.values()
    decision = Decision.INCONCLUSIVE if blocks else Decision.PASS
    return [Note(decision, wording.finds_nothing_of(tested))]


def of_run(
    candidate: RunVerdicts,
    baselines: Sequence[RunVerdicts],
    now: Sequence[RelationVerdicts],
    settings: RunSettings,
) -> list[Note]:
    """Return what is found of the run as a whole.

    Args:
        candidate: its verdicts.
        baselines: those of the baseline's runs.
        now: the candidate's again, with relations that were asked for and have no group.
        settings: the candidate's.
    """
    return [*_unknown(now, settings), *_unmatched(candidate, baselines[0], settings)]


def of_predictions(one_class: str, shift: str) -> Iterator[Note]:
    """Yield what the predictions weigh, whatever the relations say; see ``prediction_shift``."""
    if one_class:
        yield Note(Decision.COLLAPSE, one_class)
    if shift:
        yield Note(Decision.INCONCLUSIVE, shift)


def of_limits(now: Sequence[RelationVerdicts], settings: RunSettings) -> list[Note]:
    """Return what is found by the limits that need no baseline, worst first.

    These are limits on violation rates, and groups that must not be violated.

    Args:
        now: the candidate's verdicts, with relations that were asked for and have no group.
        settings: the candidate's.
    """
    found = [
        Note(finding.decision, f"{verdicts.id}: {finding.sentence}")
        for verdicts in now
        for finding in (*_over_limit(verdicts, settings), *_must_hold(verdicts, settings))
    ]
    return sorted([*found, *_unknown_limits(now, settings)], key=severity)


def of_churn(churn: Churn, labelled: bool, settings: RunSettings) -> list[Note]:
    """Return what is found of what changed, held against what may.

    Args:
        churn: of the run.
        labelled: whether the run was asked labelled inputs.
        settings: the candidate's.
    """
    return [*_over_churn(churn, labelled, settings), *_unchecked_churn(churn, labelled, settings)]


def _over_churn(churn: Churn, labelled: bool, settings: RunSettings) -> Iterator[Note]:
    for name in rules.over_churn(churn, labelled, settings):
        sentence = over_churn(name, churn, getattr(settings, name))
        yield Note(Decision.REGRESSION, sentence)


def _unchecked_churn(churn: Churn, labelled: bool, settings: RunSettings) -> Iterator[Note]:
    """Name the limits of what may change that there is nothing to hold against."""
    if settings.max_churn < 1 and (churn.answers is None or not churn.answers.inputs.of):
        yield Note(Decision.INCONCLUSIVE, churn_unchecked())
    turned = rules.negative_flips(churn, labelled)
    if settings.max_negative_flips < 1 and turned is None:
        yield Note(Decision.INCONCLUSIVE, negative_flips_unchecked())
    elif settings.max_negative_flips < 1 and turned is not None and not turned.of:
        yield Note(Decision.INCONCLUSIVE, no_group_in_both())


def _tested(measured: Measured) -> Finding:
    """Say what the clustered test shows; exactly one finding a comparison."""
    figures, settings = measured.figures, measured.settings
    if measured.test.p_value is None:
        return Finding(Decision.NOT_COMPARABLE, Rule.TOO_FEW, wording.not_comparable(figures))
    if measured.test.regressed(settings):
        return _risen(measured)
    if rules.rose_alone(figures, settings):
        return Finding(Decision.PASS, Rule.RISE_ALONE, wording.rose_alone(figures))
    if measured.test.improved(settings):
        return Finding(Decision.IMPROVED, Rule.FALL, wording.fell(figures))
    return Finding(Decision.PASS, Rule.NO_RISE, wording.no_rise(figures))


def _risen(measured: Measured) -> Finding:
    """Judge a rise beyond chance; few unstable pairs excuse it where it depends on them alone."""
    figures, pairing, stable = measured.figures, measured.pairing, measured.stable
    if pairing.unstable and not pairing.excusable:
        sentence = wording.rose_despite_noise(figures, pairing)
        return Finding(Decision.REGRESSION, Rule.RISE, sentence)
    if not pairing.unstable or stable.p_value is None or stable.regressed(measured.settings):
        return Finding(Decision.REGRESSION, Rule.RISE, wording.rose(figures))
    sentence = wording.rose_or_noise(figures, pairing)
    return Finding(Decision.INCONCLUSIVE, Rule.RISE_OR_NOISE, sentence)


def _not_shown(measured: Measured, *, together: bool = False) -> Iterator[Finding]:
    """With ``strict``, what is not shown to be no worse is inconclusive."""
    figures, settings = measured.figures, measured.settings
    if rules.not_shown(figures, settings, together=together):
        sentence = wording.not_shown(figures, settings.margin)
        yield Finding(Decision.INCONCLUSIVE, Rule.NOT_SHOWN, sentence)


def _of_applicability(figures: ComparisonFigures, settings: RunSettings) -> Iterator[Finding]:
    """Find a system that violates less because less of it is tested; one finding at most.

    Silence fails. Other answers leave the relation open where it lost too much of what it
    tests by, and are told where they cost as much as would fail were it silence.
    """
    shares = figures.applicability
    if shares is None:
        return
    if rules.stopped_answering(figures, settings):
        sentence = wording.stopped_answering(shares, settings)
        yield Finding(Decision.COLLAPSE, Rule.STOPPED_ANSWERING, sentence)
    elif rules.far_fewer_applicable(figures, settings):
        sentence = wording.far_fewer_applicable(shares, settings)
        yield Finding(Decision.INCONCLUSIVE, Rule.FEWER_APPLICABLE, sentence)
    elif rules.comparability_lost(figures, settings):
        sentence = wording.comparability_lost(figures, shares)
        yield Finding(Decision.INCONCLUSIVE, Rule.COMPARABILITY_LOST, sentence)
    elif rules.fewer_applicable(figures, settings):
        sentence = wording.fewer_applicable(shares)
        yield Finding(Decision.PASS, Rule.FEWER_APPLICABLE, sentence)


def _required(
    relation: str, figures: ComparisonFigures, settings: RunSettings
) -> Iterator[Finding]:
    """Find that a relation that the user wants compared is not."""
    if rules.missing(relation, figures, settings):
        yield Finding(Decision.COLLAPSE, Rule.REQUIRED, wording.required(figures))


def _over_limit(verdicts: RelationVerdicts, settings: RunSettings) -> Iterator[Finding]:
    """Hold the candidate's own rate against the limit that the user set."""
    limit = rules.limit_of(verdicts.id, settings)
    if limit is None:
        return
    violated, applicable = len(verdicts.violated), len(verdicts.applicable)
    if rules.over_limit(violated, applicable, limit):
        sentence = wording.over_limit(violated, applicable, limit)
        yield Finding(Decision.REGRESSION, Rule.LIMIT, sentence)
    elif not applicable and verdicts.id in settings.max_violation_rate:
        yield Finding(Decision.INCONCLUSIVE, Rule.LIMIT, wording.limit_unchecked(limit))


def _must_hold(verdicts: RelationVerdicts, settings: RunSettings) -> Iterator[Finding]:
    """Look up the groups that the user wants to hold whatever the statistics."""
    for group, said in rules.must_hold(settings).items():
        if group in verdicts.violated:
            sentence = wording.must_hold_violated(group, said)
            yield Finding(Decision.REGRESSION, Rule.MUST_HOLD, sentence)
        elif group in verdicts.source_of and group not in verdicts.satisfied:
            sentence = wording.must_hold_not_applicable(group, said)
            yield Finding(Decision.INCONCLUSIVE, Rule.MUST_HOLD, sentence)


def _unknown_limits(now: Sequence[RelationVerdicts], settings: RunSettings) -> Iterator[Note]:
    """Name the groups and relations with a limit that this run does not have."""
    for group, said in rules.must_hold(settings).items():
        if not any(group in verdicts.source_of for verdicts in now):
            yield Note(Decision.INCONCLUSIVE, wording.must_hold_unknown(group, said))
    known = {rules.EVERY_RELATION, *(verdicts.id for verdicts in now)}
    for relation in sorted(settings.max_violation_rate.keys() - known):
        yield Note(Decision.INCONCLUSIVE, wording.limit_unknown(relation))


def _unknown(now: Sequence[RelationVerdicts], settings: RunSettings) -> Iterator[Note]:
    """Name what the user wants to hold and this run knows nothing of."""
    yield from _unknown_limits(now, settings)
    known = {rules.EVERY_RELATION, *(verdicts.id for verdicts in now)}
    tasks = {task_of(verdicts.id) for verdicts in now}
    own = {name for name in settings.policy.required() if task_of(name) in tasks}
    required = {*settings.required, *own} - known
    for relation in sorted(required):
        yield Note(Decision.COLLAPSE, wording.required_unknown(relation))
    for relation in settings.policy.not_of([verdicts.id for verdicts in now]):
        if relation not in required:
            yield Note(Decision.PASS, wording.policy_unknown(relation))


def _unmatched(
    candidate: RunVerdicts, baseline: RunVerdicts, settings: RunSettings
) -> Iterator[Note]:
    """Count what only one run looked at; a whole run must cover its baseline."""
    nothing = RelationVerdicts(id="")
    missing = added = 0
    for relation in candidate.keys() | baseline.keys():
        new, old = candidate.get(relation, nothing), baseline.get(relation, nothing)
        bound = new.bound or old.bound
        here, there = looked_at(new, bound), looked_at(old, bound)
        missing += len(there - here)
        added += len(here - there)
    if missing:
        decision = Decision.INCONCLUSIVE if settings.complete else Decision.PASS
        yield Note(decision, wording.missing(missing))
    if added:
        yield Note(Decision.PASS, wording.added(added))
