"""The sentences that say why the gate decided as it did."""

from __future__ import annotations

from collections.abc import Sequence

from mt_gate.base.figures import count, counted, interval, p_value, percent, points, size_in_points
from mt_gate.judging.clustered import MIN_CLUSTERS
from mt_gate.judging.pairing import MOST_EXCUSED, Pairing
from mt_gate.results.result import Applicability, ComparisonFigures, RunSettings

NOTHING_COMPARED = (
    f"nothing could be compared: no relation has {MIN_CLUSTERS} sources with an applicable group "
    "in both runs; run a larger suite, or record a new baseline"
)


def not_comparable(figures: ComparisonFigures) -> str:
    """Say that there are too few sources for a test."""
    return f"not comparable: {_too_few(figures)}"


def rose(figures: ComparisonFigures) -> str:
    """Say that the violation rate rose, beyond chance."""
    return f"violation rate rose, {_numbers(figures)}"


def rose_despite_noise(figures: ComparisonFigures, pairing: Pairing) -> str:
    """Say that it rose, and that too many pairs are in doubt to excuse it."""
    most = f"at most {percent(MOST_EXCUSED)} may be excluded"
    return f"{rose(figures)}; {_doubtful(pairing)}) count, since {most}"


def rose_or_noise(figures: ComparisonFigures, pairing: Pairing) -> str:
    """Say that it rose, and that few pairs in doubt make all the difference."""
    return f"{rose(figures)}; without {_doubtful(pairing)}) it is not a regression"


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
    effect, before = figures.minimum_detectable_effect, figures.baseline_rate
    if effect is not None and before is not None and effect >= round(1 - before, 12):
        return "a rise to 100 % could have been missed"
    return f"a rise of {size_in_points(effect)} would have been found 4 times in 5"


def not_shown(figures: ComparisonFigures, margin: float) -> str:
    """Say what a strict gate misses."""
    if figures.ci95 is None:
        return f"not shown to stay within the margin (strict): {_too_few(figures)}"
    return (
        "not shown to stay within the margin (strict): the difference may be as large as "
        f"{size_in_points(figures.ci95[1])}, the margin is {size_in_points(margin)}"
    )


def too_small_to_show(relations: Sequence[str]) -> str:
    """Name the relations that could not be shown to stay within the margin, were they equal."""
    return (
        "too small to be shown to stay within the margin, and not asked to be (strict): "
        f"{', '.join(relations)}"
    )


def stopped_answering(share: Applicability, settings: RunSettings) -> str:
    """Say that the share applicable fell, beyond chance and by more than is allowed."""
    return (
        f"stopped answering: applicable share fell from {percent(share.baseline)} to "
        f"{percent(share.candidate)} (adjusted p {p_value(share.p_adjusted)}), more than the "
        f"{percent(settings.max_applicability_loss)} allowed"
    )


def over_limit(violated: int, applicable: int, limit: float) -> str:
    """Say that the candidate's own rate exceeds the limit that the user set."""
    return (
        f"violation rate {percent(violated / applicable)} ({count(violated)} of "
        f"{count(applicable)}) is above its limit {percent(limit)}"
    )


def limit_unchecked(limit: float) -> str:
    """Say that there is no rate to hold against the limit."""
    return f"no applicable group to compare with its limit {percent(limit)}"


def limit_unknown(relation: str) -> str:
    """Say that a limit is of a relation that is not there."""
    return f"max-violation-rate names {relation}, which is not in this run"


def must_hold_violated(group: str) -> str:
    """Say that a group that must hold does not."""
    return f"must-hold group {group} is violated"


def must_hold_not_applicable(group: str) -> str:
    """Say that a group that must hold has no verdict."""
    return f"must-hold group {group} is not applicable, so nothing shows that it holds"


def must_hold_unknown(group: str) -> str:
    """Say that a group that must hold is not there."""
    return f"must-hold group {group} is not in this run, so nothing shows that it holds"


def missing(number: int) -> str:
    """Say how much only the baseline looked at."""
    return f"{_units(number)} of the baseline are not in this run"


def added(number: int) -> str:
    """Say how much only this run looked at."""
    return f"{_units(number)} of this run are not in the baseline and were not compared"


def _units(number: int) -> str:
    return f"{count(number)} groups or sources"


def _doubtful(pairing: Pairing) -> str:
    share = percent(pairing.doubtful / pairing.pairs)
    return f"the {count(pairing.unstable)} groups that numerical noise could flip ({share} of pairs"


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
