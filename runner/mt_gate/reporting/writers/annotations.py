"""Annotations of a workflow's run: one a relation that got worse, not one a sentence.

A relation that fails the build is an error, one that is inconclusive and lets it pass is a warning.
GitHub keeps ten of each level of a step, so that more are told together in the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.escaping import command_data, command_property, log_line
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.texts import (
    VERDICT_WORDS,
    Catalogue,
    Level,
    after_rate,
    before_rate,
    decision_words,
    failing_first,
    level_of,
    listing,
    pooled_counts,
    pooled_title,
    sentence,
    text_of,
)
from mt_gate.results.result import Comparison, Overall, RelationResult, Result

MOST = 10
"""Annotations of one level that GitHub shows of a step."""

_LONGEST_TITLE = 120
_LONGEST_MESSAGE = 1_000
_LONG_NAME = 80
_NAMED = 20
"""Relations that the last annotation names where there are more than ``MOST``."""


class Annotation(NamedTuple):
    """A line of the run's list of annotations, as plain text."""

    level: Level
    title: str
    message: str


def annotations_of(
    result: Result, catalogue: Catalogue, gate: str, report: str
) -> tuple[Annotation, ...]:
    """Return the annotations of a run, errors first, at most ``MOST`` of each level.

    A run that fails has at least one error; one whose relations are all well has none.

    Args:
        result: the run.
        catalogue: title of each relation.
        gate: the gate's name.
        report: where the HTML report lies.
    """
    found = [*_of_relations(result, catalogue, gate, report)]
    failed = any(annotation.level is Level.ERROR for annotation in found)
    if result.exit_code != 0 and not failed:
        found.insert(0, _of_run(result, catalogue, gate, report))
    elif not found:
        found += _of_all_together(result, gate, report)
    return tuple(
        annotation
        for level in Level
        for annotation in _bounded([a for a in found if a.level is level], gate, report)
    )


def command(annotation: Annotation) -> str:
    """Return the workflow command that makes an annotation: one line, escaped."""
    title = command_property(log_line(shorten(annotation.title, _LONGEST_TITLE)))
    message = command_data(log_line(shorten(annotation.message, _LONGEST_MESSAGE)))
    return f"::{annotation.level} title={title}::{message}"


def _of_relations(
    result: Result, catalogue: Catalogue, gate: str, report: str
) -> Iterator[Annotation]:
    for relation in failing_first(result.relations):
        level = relation.comparison and level_of(relation.comparison)
        if relation.comparison and level:
            title = text_of(catalogue, relation.id).title
            yield _of(level, title, relation, relation.comparison, gate, report)


def _of_all_together(result: Result, gate: str, report: str) -> Iterator[Annotation]:
    comparison = result.overall.comparison
    level = comparison and level_of(comparison)
    if comparison and level:
        yield _of(level, pooled_title(result), pooled_counts(result), comparison, gate, report)


def _of(
    level: Level,
    title: str,
    counts: RelationResult | Overall,
    comparison: Comparison,
    gate: str,
    report: str,
) -> Annotation:
    named = shorten(title, _LONG_NAME)
    head = f"mt-gate {gate}: {decision_words(counts).lower()}, {named}"
    return Annotation(level, head, f"{_figures(counts, comparison)} {_opening(report)}")


def _figures(counts: RelationResult | Overall, comparison: Comparison) -> str:
    """Return what moved, by how much, and why that is the decision."""
    parts = [
        f"Violation rate from {figures.percent(before_rate(counts))} to "
        f"{figures.percent(after_rate(counts))}, difference {figures.points(comparison.delta)}, "
        f"95 % interval {figures.interval(comparison.ci95)} pp, "
        f"adjusted p {figures.p_value(comparison.p_adjusted)}",
        f"{figures.counted(comparison.new_violations, 'group')} newly violated, "
        f"{figures.count(comparison.fixed_violations)} fixed",
    ]
    shares = comparison.applicability
    if shares is not None and shares.applicable.candidate < shares.applicable.baseline:
        before = figures.percent(shares.applicable.baseline)
        after = figures.percent(shares.applicable.candidate)
        parts.append(f"applicable groups from {before} to {after}")
    why = shorten(comparison.reason.strip().rstrip("."), _LONGEST_MESSAGE // 2)
    return ". ".join(["; ".join(parts), *([why] if why else [])]) + "."


def _opening(report: str) -> str:
    return f"The sentences that flipped: {shorten(report, 200)}, or the summary of this job."


def _of_run(result: Result, catalogue: Catalogue, gate: str, report: str) -> Annotation:
    """Return the annotation of a run that fails without a relation to blame."""
    title = f"mt-gate {gate}: {VERDICT_WORDS[result.verdict].lower()}"
    reasons = " ".join(result.reasons) or sentence(result, catalogue)
    told = shorten(reasons, _LONGEST_MESSAGE - len(_opening(report)) - 1)
    return Annotation(Level.ERROR, title, f"{told} {_opening(report)}")


def _bounded(found: Sequence[Annotation], gate: str, report: str) -> Iterator[Annotation]:
    """Yield annotations of one level; where they are too many, the last tells of all the rest."""
    if len(found) <= MOST:
        yield from found
        return
    yield from found[: MOST - 1]
    rest = found[MOST - 1 :]
    names = listing([item.title.removeprefix(f"mt-gate {gate}: ") for item in rest], _NAMED)
    told = shorten(names, _LONGEST_MESSAGE - len(_opening(report)) - 2)
    title = f"mt-gate {gate}: {len(rest)} more relations"
    yield Annotation(found[0].level, title, f"{told}. {_opening(report)}")
