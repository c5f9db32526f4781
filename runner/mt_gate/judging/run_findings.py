"""What weighs on the verdict of a run without being of one relation's tests, with its sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mt_gate.base.figures import counted, distinct_decimals, percent
from mt_gate.judging.churn import answers_differ, groups_turned, labelled_turned
from mt_gate.judging.findings import SEVERITY, TOO_SMALL_ALPHA, of_limits
from mt_gate.judging.measuring import Measured
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, observed_units
from mt_gate.results import rules
from mt_gate.results.result import Churn, Decision, Flips, RunSettings
from mt_gate.results.rules import MIN_CLUSTERS
from mt_gate.settings.policy import Tier, task_of

_NAMED = 10
"""Relations that a line names at most."""


class Note(NamedTuple):
    """A decision on the run as a whole, and the sentence that says why."""

    decision: Decision
    sentence: str


def of_run(
    candidate: RunVerdicts,
    baselines: Sequence[RunVerdicts],
    now: Sequence[RelationVerdicts],
    settings: RunSettings,
) -> Iterator[Note]:
    """Yield what is found of the run as a whole.

    ``now`` are the candidate's verdicts, with relations that are wanted and have no group.
    """
    yield from _unknown_limits(now, settings)
    ids = [verdicts.id for verdicts in now]
    tasks = set(map(task_of, ids))
    own = {name for name in settings.policy.required() if task_of(name) in tasks}
    required = {*settings.required, *own} - {rules.EVERY_RELATION, *ids}
    for relation in sorted(required):
        yield Note(Decision.COLLAPSE, f"required relation {relation} is not in this run")
    for relation in settings.policy.not_of(ids):
        if relation not in required:
            yield Note(Decision.PASS, f"the policy names {relation}, which is not in this run")
    yield from _unmatched(candidate, baselines[0], settings)


def _unknown_limits(now: Sequence[RelationVerdicts], settings: RunSettings) -> Iterator[Note]:
    for group, word in rules.must_hold(settings).items():
        if not any(group in verdicts.source_of for verdicts in now):
            whose = f" ({word.reason}; owner {word.owner})" if word else ""
            why = f"pinned case {group}{whose} is not in this run"
            yield Note(Decision.INCONCLUSIVE, why)
    known = {rules.EVERY_RELATION, *(verdicts.id for verdicts in now)}
    for relation in sorted(settings.max_violation_rate.keys() - known):
        why = f"max-violation-rate names {relation}, which is not in this run"
        yield Note(Decision.INCONCLUSIVE, why)


def _unmatched(
    candidate: RunVerdicts, baseline: RunVerdicts, settings: RunSettings
) -> Iterator[Note]:
    """Count what only one run looked at; a whole run must cover its baseline."""
    nothing = RelationVerdicts(id="")
    missing = added = 0
    for relation in candidate.keys() | baseline.keys():
        new, old = candidate.get(relation, nothing), baseline.get(relation, nothing)
        bound = new.bound or old.bound
        here, there = observed_units(new, bound), observed_units(old, bound)
        missing += len(there - here)
        added += len(here - there)
    if missing:
        decision = Decision.INCONCLUSIVE if settings.complete else Decision.PASS
        why = f"{counted(missing, 'case')} of the baseline are missing from this run"
        yield Note(decision, why)
    if added:
        why = f"{counted(added, 'case')} of this run are not in the baseline: not compared"
        yield Note(Decision.PASS, why)


def of_limits_alone(now: Sequence[RelationVerdicts], settings: RunSettings) -> list[Note]:
    """Return what is found by the limits that need no baseline, worst first.

    These are limits on violation rates, and groups that must not be violated.
    """
    notes = [
        Note(finding.decision, f"{verdicts.id}: {finding.sentence}")
        for verdicts in now
        for finding in of_limits(verdicts, settings)
    ]
    notes += _unknown_limits(now, settings)
    return sorted(notes, key=lambda note: SEVERITY.index(note.decision))


def of_relations(each: Mapping[str, Measured], settings: RunSettings) -> Iterator[Note]:
    """Name the relations too small for a strict gate, or whose alpha is, so that nothing shows."""
    tested = {
        relation: measured
        for relation, measured in each.items()
        if settings.policy.tier(relation) is not Tier.REPORT
    }
    small = [
        relation
        for relation, measured in tested.items()
        if rules.too_small_to_show(measured.figures, measured.settings)
    ]
    if small:
        why = "strict mode skipped relations with too few cases: "
        yield Note(Decision.PASS, why + ", ".join(small))
    blind = [relation for relation, of in tested.items() if rules.finds_nothing(of.figures)]
    if blind:
        blocks = any(settings.policy.tier(relation) is Tier.BLOCK for relation in blind)
        decision = Decision.INCONCLUSIVE if blocks else Decision.PASS
        why = f"nothing can be detected in {', '.join(blind)}: {TOO_SMALL_ALPHA}"
        yield Note(decision, why)


def of_churn(churn: Churn, labelled: bool, settings: RunSettings) -> Iterator[Note]:
    """Yield what is found of what changed, compared with what may.

    ``labelled``: whether the run has labelled inputs.
    """
    for name in rules.over_churn(churn, labelled, settings):
        if name == "max_churn":
            assert churn.answers is not None, "of a churn that was counted"
            flips, changed = churn.answers.inputs, answers_differ(churn.answers.inputs)
        elif churn.labelled:
            flips, changed = churn.labelled.negative, labelled_turned(churn.labelled)
        else:
            flips, changed = churn.groups, groups_turned(churn.groups)
        above = _above(flips, name.replace("_", "-"), getattr(settings, name))
        yield Note(Decision.REGRESSION, f"{changed}, {above}")
    if settings.max_churn < 1 and (churn.answers is None or not churn.answers.inputs.of):
        yield Note(
            Decision.INCONCLUSIVE,
            "max-churn was not checked: the baseline has no predictions; record it with them",
        )
    turned = rules.negative_flips(churn, labelled)
    if settings.max_negative_flips < 1 and (turned is None or not turned.of):
        why = (
            "the baseline has no predictions for these labelled inputs; record a run with the "
            "same --labels"
            if turned is None
            else "no case was tested in both runs (cases built at run time do not count)"
        )
        yield Note(Decision.INCONCLUSIVE, f"max-negative-flips was not checked: {why}")


def _above(flips: Flips, setting: str, limit: float) -> str:
    least = flips.ci95[0] if flips.ci95 else limit
    decimals = distinct_decimals(least, limit)
    start = percent(least, decimals)
    return f"above the {setting} limit of {percent(limit, decimals)} (95% CI starts at {start})"


def nothing_compared(tiers: Collection[Tier]) -> str:
    """Say that no relation of those that count could be compared: where some block, of those."""
    if tiers == {Tier.REPORT}:
        return (
            "no verdict: the policy sets every relation of this run to tier report; set one of "
            "them to block or warn"
        )
    some_block = Tier.BLOCK in tiers and len(tiers) > 1
    return (
        f"no verdict: no {'blocking ' if some_block else ''}relation has {MIN_CLUSTERS} original "
        "texts that were testable in both runs; run a larger suite, or record a new baseline"
    )


def never_compared(sources: Mapping[str, int]) -> str:
    """Name the relations with too few sources for a test; empty where none has.

    ``sources``: how many have an applicable group at most, by relation.
    """
    few = [f"{name} ({number})" for name, number in sources.items() if number < MIN_CLUSTERS]
    if not few:
        return ""
    names = ", ".join(few[:_NAMED]) + (", ..." if few[_NAMED:] else "")
    return f"too few original texts to compare (minimum {MIN_CLUSTERS}): {names}"
