"""The product facts of a run: what the suite says its rates mean, before and now.

Flags 160 of 1,082 hateful texts (15 %); baseline 903 (83 %).
"""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.results.result import Decision, RelationResult, Result, SliceResult
from mt_gate.results.rules import MIN_CLUSTERS

MOST_FACTS = 3
"""Relations whose sentence reports begin with."""
WORST = 3
"""Slices that a sentence names."""
LONGEST = 50
"""Characters of a slice's name that reports show."""


def facts(result: Result) -> str:
    """Return the sentences that the suite's relations state, in words; empty where none does."""
    told = [" ".join(_of_relation(relation)) for relation in result.relations]
    return " ".join([one for one in told if one][:MOST_FACTS])


def regressed_slices(relation: RelationResult) -> list[SliceResult]:
    """Return the slices that regressed, the largest loss first."""
    lost = [
        one
        for one in relation.slices
        if one.comparison and one.comparison.decision is Decision.REGRESSION
    ]
    return sorted(lost, key=lambda one: (-_delta(one), one.name))


def slice_name(name: str) -> str:
    """Return how a slice is named in a sentence: ``target women``."""
    return shorten(name.replace(": ", " ", 1), LONGEST)


def right_before_and_now(one: RelationResult | SliceResult) -> tuple[int, int, int]:
    """Return how many cases were right in the baseline, are now, and of how many.

    Only cases that both runs could be tested on count; without a baseline both numbers are the
    run's own.
    """
    figures_of = one.comparison
    if figures_of is None or figures_of.baseline_rate is None or figures_of.candidate_rate is None:
        right = one.applicable - one.violated
        return right, right, one.applicable
    pairs = figures_of.pairs
    before, now = (
        figures.number_of(1 - rate, pairs)
        for rate in (figures_of.baseline_rate, figures_of.candidate_rate)
    )
    return before, now, pairs


def _delta(one: SliceResult) -> float:
    return (one.comparison.delta if one.comparison else None) or 0.0


def _of_relation(relation: RelationResult) -> Iterator[str]:
    before, now, total = right_before_and_now(relation)
    if not relation.says or total < MIN_CLUSTERS:
        return
    says = relation.says.replace("{n}", figures.count(now)).replace("{total}", figures.count(total))
    compared = relation.comparison is not None and relation.comparison.baseline_rate is not None
    then = f"; baseline {figures.count(before)} ({_share(before, total)})" if compared else ""
    yield f"{says} ({_share(now, total)}){then}."
    lost = regressed_slices(relation)[:WORST]
    if lost:
        yield f"Lost most: {'; '.join(map(_moved, lost))}."


def _moved(one: SliceResult) -> str:
    before, now, total = right_before_and_now(one)
    of = figures.count(total)
    return f"{slice_name(one.name)} {figures.count(before)} of {of} -> {figures.count(now)} of {of}"


def _share(part: int, whole: int) -> str:
    return figures.percent(part / whole, 0)
