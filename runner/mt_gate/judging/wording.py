"""The sentences that say why the gate decided as it did."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mt_gate.base.figures import (
    count,
    counted,
    distinct_decimals,
    interval,
    number_of,
    p_value,
    percent,
    points,
    size_in_points,
)
from mt_gate.judging.pairing import MOST_EXCUSED, Pairing
from mt_gate.results.result import Applicability, ComparisonFigures, RunSettings, Share
from mt_gate.results.rules import MIN_CLUSTERS, detectable, finds_nothing, has_no_room
from mt_gate.settings.policy import Accepted, MustHold, Tier

TOGETHER = "all relations together"
BLOCKING = "all relations that block together"
SAME_MARGIN = "all relations with the run's margin together"
TIERED = {Tier.BLOCK: "", Tier.WARN: " (tier warn)", Tier.REPORT: " (tier report)"}
"""What stands after a relation's name in a sentence on it."""
NONE_BLOCKS = "no relation of this run blocks"
STRICT_NONE_BLOCKS = f"{NONE_BLOCKS}, and at least one must be shown to be no worse (strict)"
NOTHING_JUDGED = (
    "nothing is judged: the policy has every relation of this run in tier report; give one of them "
    "the tier block or warn"
)
TOO_SMALL_ALPHA = "alpha is too small for a baseline of several runs; raise alpha, or its share"

_NAMED_SLICES = 5
_NAMED = 10
"""Relations that a line names at most."""


def nothing_compared(tiers: Collection[Tier]) -> str:
    """Say that no relation of those that count could be compared: where some block, of those."""
    some_block = Tier.BLOCK in tiers and len(tiers) > 1
    which = "relation that blocks" if some_block else "relation"
    return (
        f"nothing could be compared: no {which} has {MIN_CLUSTERS} sources with an applicable "
        "group in both runs; run a larger suite, or record a new baseline"
    )


def never_compared(sources: Mapping[str, int]) -> str:
    """Name the relations with too few sources for a test; empty where none has.

    Args:
        sources: how many have an applicable group at most, by relation.
    """
    few = [f"{name} ({number})" for name, number in sources.items() if number < MIN_CLUSTERS]
    return f"too few sources to compare, of {MIN_CLUSTERS} needed: {_named(few)}" if few else ""


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if names[_NAMED:] else "")


def not_comparable(figures: ComparisonFigures) -> str:
    """Say that there are too few sources for a test."""
    return f"not comparable: {_too_few(figures)}"


def rose(figures: ComparisonFigures) -> str:
    """Say that the violation rate rose, beyond chance."""
    return f"violation rate rose, {_numbers(figures)}"


def rose_in_slices(slices: Sequence[tuple[str, ComparisonFigures]]) -> str:
    """List the slices in which fewer known answers are right, the largest loss first."""
    ordered = sorted(slices, key=lambda one: (-(one[1].delta or 0.0), one[0]))
    told = [f"{name} {right_answers(figures)}" for name, figures in ordered[:_NAMED_SLICES]]
    more = len(ordered) - len(told)
    return f"regressed in {'; '.join([*told, *([f'and {more} more'] if more else [])])}"


def right_answers(figures: ComparisonFigures) -> str:
    """Return how many of the compared cases were right before and are now."""
    before, after = (
        count(number_of(1 - rate, figures.pairs))
        for rate in (figures.baseline_rate or 0.0, figures.candidate_rate or 0.0)
    )
    of = count(figures.pairs)
    return f"{before} of {of} -> {after} of {of}"


def rose_despite_noise(figures: ComparisonFigures, pairing: Pairing) -> str:
    """Say that it rose, and why the unstable pairs do not excuse it."""
    why = f"at most {percent(MOST_EXCUSED)} may be excluded"
    if not pairing.unstable_known:
        why = "the baseline does not say which of its own are; record it again"
    return f"{rose(figures)}; {_unstable(pairing)} count, since {why}"


def rose_or_noise(figures: ComparisonFigures, pairing: Pairing) -> str:
    """Say that it rose, and that few unstable pairs make all the difference."""
    return f"{rose(figures)}; without {_unstable(pairing)} it is not a regression"


def rose_alone(figures: ComparisonFigures) -> str:
    """Say that it rose, by a test that would have counted had it been the only one."""
    return (
        f"{no_rise(figures)}; the rise is significant alone (p {p_value(figures.p_value)}), "
        "not among all tests of the run"
    )


def fell(figures: ComparisonFigures) -> str:
    """Say that the violation rate fell, beyond chance."""
    return f"violation rate fell, {_numbers(figures, figures.p_better)}"


def no_rise(figures: ComparisonFigures) -> str:
    """Say that no rise was found, and which one would have been."""
    return f"no regression found, {_numbers(figures)}; {smallest_loss(figures)}"


def smallest_loss(figures: ComparisonFigures) -> str:
    """Say how large a rise would have been found, where the rate has room for one."""
    if finds_nothing(figures):
        return f"no rise could have been found: {TOO_SMALL_ALPHA}"
    if has_no_room(figures):
        return "a rise to 100 % could have been missed"
    effect = detectable(figures)
    if effect is None:
        return f"a rise of {size_in_points(figures.delta)} could have been missed"
    return f"a rise of {size_in_points(effect)} would have been found 4 times in 5"


def not_shown(figures: ComparisonFigures, margin: float) -> str:
    """Say what a strict gate misses."""
    if figures.ci95 is None:
        return f"not shown to stay within the margin (strict): {_too_few(figures)}"
    most = figures.ci95[1]
    decimals = distinct_decimals(most, margin)
    return (
        "not shown to stay within the margin (strict): the difference may be as large as "
        f"{size_in_points(most, decimals)}, the margin is {size_in_points(margin, decimals)}"
    )


def too_small_to_show(relations: Sequence[str]) -> str:
    """Name the relations that could not be shown to stay within the margin, were they equal."""
    return (
        "too small to be shown to stay within the margin, and not asked to be (strict): "
        f"{', '.join(relations)}"
    )


def finds_nothing_of(relations: Sequence[str]) -> str:
    """Name the relations of which no rise could have been found, however large."""
    return f"no rise could have been found of {', '.join(relations)}: {TOO_SMALL_ALPHA}"


def stopped_answering(shares: Applicability, settings: RunSettings) -> str:
    """Say that the share answered fell, beyond chance and by more than is allowed."""
    share = shares.answered
    loss = settings.max_applicability_loss
    of_all = share.baseline - share.candidate > loss
    allowed = percent(loss) if of_all else f"{percent(settings.max_applicability_drop)} of it"
    return f"stopped answering: answered share {_fall(share)}, more than the {allowed} allowed"


def far_fewer_applicable(shares: Applicability, settings: RunSettings) -> str:
    """Say that other answers leave too little of a relation to be tested by."""
    part = percent(settings.max_applicability_drop)
    return f"{fewer_applicable(shares)}; more than {part} of what it tested by is lost"


def fewer_applicable(shares: Applicability) -> str:
    """Say that fewer groups are applicable, which other answers make so and not silence."""
    before, after = percent(shares.answered.baseline), percent(shares.answered.candidate)
    return (
        f"other answers, fewer groups to test by: applicable share {_fall(shares.applicable)}, "
        f"answered share from {before} to {after}"
    )


def comparability_lost(figures: ComparisonFigures, shares: Applicability) -> str:
    """Say that the baseline could be compared on this relation, and this run cannot."""
    return (
        f"no longer comparable: {counted(figures.clusters, 'paired source')} of the baseline's "
        f"{count(shares.sources)}, at least {MIN_CLUSTERS} are needed"
    )


def required(figures: ComparisonFigures) -> str:
    """Say that a relation must be compared and is not."""
    return f"required, and not compared: {_too_few(figures)}"


def required_unknown(relation: str) -> str:
    """Say that a relation must be compared and is not there."""
    return f"required names {relation}, which is not in this run"


def policy_unknown(relation: str) -> str:
    """Say that the policy is of a relation that is not there."""
    return f"the policy names {relation}, which is not in this run"


def over_limit(violated: int, applicable: int, limit: float) -> str:
    """Say that the candidate's own rate exceeds the limit that the user set."""
    rate = violated / applicable
    decimals = distinct_decimals(rate, limit)
    return (
        f"violation rate {percent(rate, decimals)} ({count(violated)} of {count(applicable)}) is "
        f"above its limit {percent(limit, decimals)}"
    )


def limit_unchecked(limit: float) -> str:
    """Say that there is no rate to hold against the limit."""
    return f"no applicable group to compare with its limit {percent(limit)}"


def limit_unknown(relation: str) -> str:
    """Say that a limit is of a relation that is not there."""
    return f"max-violation-rate names {relation}, which is not in this run"


def must_hold_violated(group: str, said: MustHold | None = None) -> str:
    """Say that a group that must hold does not."""
    return f"must-hold group {group}{_whose(said)} is violated"


def must_hold_not_applicable(group: str, said: MustHold | None = None) -> str:
    """Say that a group that must hold has no verdict."""
    named = f"must-hold group {group}{_whose(said)}"
    return f"{named} is not applicable, so nothing shows that it holds"


def must_hold_unknown(group: str, said: MustHold | None = None) -> str:
    """Say that a group that must hold is not there."""
    named = f"must-hold group {group}{_whose(said)}"
    return f"{named} is not in this run, so nothing shows that it holds"


def _whose(said: MustHold | None) -> str:
    return f" ({said.reason}; owner {said.owner})" if said else ""


def reported(figures: ComparisonFigures) -> str:
    """Say what was measured of a relation that is shown and not judged."""
    if figures.delta is None:
        return f"shown, not judged: {_too_few(figures)}"
    return (
        f"shown, not judged: {percent(figures.baseline_rate)} to "
        f"{percent(figures.candidate_rate)} ({points(figures.delta)}, 95 % interval "
        f"{interval(figures.ci95)} pp)"
    )


def accepted(figures: ComparisonFigures, said: Accepted) -> str:
    """Say that it rose beyond chance, and who accepts that until when."""
    return (
        f"{rose(figures)}; accepted up to {size_in_points(said.rise)} until {said.expires}: "
        f"{said.reason} (owner {said.owner})"
    )


def accepted_together(figures: ComparisonFigures) -> str:
    """Say that all together rose beyond chance, by no more than what is accepted of some."""
    return f"{rose(figures)}; within the losses that are accepted of some"


def beyond_accepted(said: Accepted) -> str:
    """Say how much less somebody accepts than it rose."""
    return (
        f"only {size_in_points(said.rise)} are accepted until {said.expires}: {said.reason} "
        f"(owner {said.owner})"
    )


def relative_guard(relative: float, margin: float) -> str:
    """Say what a relative guard allows."""
    return f"at most {percent(relative)} of its rate before is allowed, {size_in_points(margin)}"


def missing(number: int) -> str:
    """Say how much only the baseline looked at."""
    return f"{_units(number)} of the baseline are not in this run"


def added(number: int) -> str:
    """Say how much only this run looked at."""
    return f"{_units(number)} of this run are not in the baseline and were not compared"


def _fall(share: Share) -> str:
    return (
        f"fell from {percent(share.baseline)} to {percent(share.candidate)} "
        f"(adjusted p {p_value(share.p_adjusted)})"
    )


def _units(number: int) -> str:
    return f"{count(number)} groups or sources"


def _unstable(pairing: Pairing) -> str:
    share = percent(pairing.unstable / pairing.pairs)
    return (
        f"the {counted(pairing.unstable, 'pair')} that numerical noise could flip in one of the "
        f"runs ({share})"
    )


def _numbers(figures: ComparisonFigures, p: float | None = None) -> str:
    """Return the numbers of a comparison that was tested, with the p of the side that is meant."""
    adjusted = figures.p_adjusted if p is None else p
    return (
        f"{percent(figures.baseline_rate)} to {percent(figures.candidate_rate)} "
        f"({points(figures.delta)}, 95 % interval {interval(figures.ci95)} pp, "
        f"adjusted p {p_value(adjusted)}; "
        f"{counted(figures.pairs, 'pair')} from {counted(figures.clusters, 'source')}, "
        f"{count(figures.new_violations)} new and {count(figures.fixed_violations)} fixed "
        "violations)"
    )


def _too_few(figures: ComparisonFigures) -> str:
    return f"{counted(figures.clusters, 'paired source')}, at least {MIN_CLUSTERS} are needed"
