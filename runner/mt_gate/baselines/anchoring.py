"""The anchor: an older baseline that stays while the baseline is recorded again and again.

Each baseline may be a little worse than the one before, by less than any test of the two finds. So
a run is judged by the last baseline and compared with the anchor, and what is beyond the margin
worse than the anchor is recorded only with a reason.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.figures import change, distinct_decimals, moved, points, size_in_points
from mt_gate.base.redaction import shorten
from mt_gate.baselines.schema import RECORD, Anchor, read_baseline
from mt_gate.judging.comparison import TOGETHER, Outcome, compare
from mt_gate.judging.verdicts import RunVerdicts
from mt_gate.results import rules
from mt_gate.results.result import (
    AgainstAnchor,
    ComparisonFigures,
    Decision,
    GateVerdict,
    RunSettings,
    SuiteHead,
    is_loss,
)

_LONGEST_LIST = 300


class AnchorChoice(NamedTuple):
    """The anchor of a baseline that is recorded, and what to say of it."""

    anchor: Anchor | None
    words: str


def choose_anchor(path: Path, suite: SuiteHead, runs: Sequence[str]) -> AnchorChoice:
    """Return the anchor that a baseline of this suite has when it is recorded at ``path``.

    It is that of the baseline there, or else this baseline itself. ``runs`` are the ids of those
    that are recorded; where they are recorded there already, nothing becomes old.

    Raises CannotJudge: what is there cannot be read, so that nothing says what its anchor is.
    """
    if not os.path.exists(path):
        return AnchorChoice(
            None, "No anchor yet. The next baseline will be compared with this one."
        )
    try:
        old = read_baseline(path)
    except CannotJudge as error:
        if not str(error).endswith(RECORD):
            raise
        raise CannotJudge(
            f'{error} Its anchor cannot be read, so also pass --new-anchor --accept "reason", or '
            "restore the file with git first."
        ) from None
    names = ("sha256", "task", "part", "ontology")
    if any(getattr(old.suite, name) != getattr(suite, name) for name in names):
        return AnchorChoice(None, "No anchor: the previous baseline was recorded on another suite.")
    anchor = old.anchor
    if anchor is None and [run.id for run in old.runs] == [*runs]:
        return AnchorChoice(None, "No anchor yet: the previous baseline had the same runs.")
    anchor = anchor or Anchor(name=old.name, recorded=old.recorded, runs=old.runs)
    return AnchorChoice(anchor, f"anchor: {named(anchor)}")


def named(anchor: Anchor) -> str:
    """Return what messages call an anchor."""
    return f"{anchor.name} of {anchor.recorded} ({shorten(anchor.runs[0].checkpoint.name, 80)})"


def compare_with_anchor(
    anchor: Anchor, candidate: RunVerdicts, settings: RunSettings
) -> AgainstAnchor:
    """Compare a run with an anchor of its suite, on the relations that both have.

    Limits on the run's own rates, groups that must hold and required relations do not count.
    """
    before = anchor.verdicts()
    ids = tuple(relation for relation in settings.relations if relation in before[0])
    settings = replace(
        settings,
        relations=ids,
        strict=False,
        max_violation_rate={},
        must_hold=(),
        required=(),
        max_churn=1.0,
        max_negative_flips=1.0,
        policy=settings.policy.without_limits(),
    )
    now = {relation: candidate[relation] for relation in ids if relation in candidate}
    outcome = compare(now, before, settings)
    figures = ComparisonFigures(
        **{name: getattr(outcome.overall, name) for name in ComparisonFigures.__struct_fields__}
    )
    each = {name: rules.paired_of(of) for name, of in outcome.relations.items()}
    margin = rules.of_pool(settings, each).margin
    return AgainstAnchor(
        name=anchor.name,
        recorded=anchor.recorded,
        runs=len(anchor.runs),
        figures=figures,
        verdict=outcome.verdict,
        margin=margin,
        rose=_decided(outcome, Decision.REGRESSION),
        sentence=_sentence(anchor, figures, outcome, margin),
    )


def check_within(runs: Sequence[AgainstAnchor], path: Path, accept: str | None) -> None:
    """Refuse to record runs that are beyond the margin worse than their anchor, without a reason.

    Raises UsageError: one run is a loss, or their mean is more than the margin worse.
    """
    if accept is not None or not runs:
        return
    mean = math.fsum(run.figures.delta or 0.0 for run in runs) / len(runs)
    margin = math.fsum(run.margin or 0.0 for run in runs) / len(runs)
    lost = [
        run
        for run in runs
        if run.rose or is_loss(run.verdict) or run.verdict is GateVerdict.WARNING
    ]
    if not lost and not rules.is_above(mean, margin):
        return
    over = f" ({points(mean)} in the mean of {len(runs)} runs)" if len(runs) > 1 else ""
    raise UsageError(
        f"{path}: {(lost or runs)[0].sentence}{over}. To record it anyway, add --accept "
        '"reason". To make it the new anchor, also add --new-anchor.'
    )


def _decided(outcome: Outcome, decision: Decision) -> tuple[str, ...]:
    return tuple(name for name, of in outcome.relations.items() if of.decision is decision)


def _sentence(anchor: Anchor, figures: ComparisonFigures, outcome: Outcome, margin: float) -> str:
    parts = [outcome.overall.reason]
    if figures.delta is not None:
        place = "beyond" if rules.is_above(figures.delta, margin) else "within"
        decimals = distinct_decimals(figures.delta, margin)
        parts = [
            f"violation rate {moved(figures.baseline_rate, figures.candidate_rate)}, "
            f"{change(figures.delta, figures.ci95, decimals)}, "
            f"{place} the margin of {size_in_points(margin, decimals)}"
        ]
    for words, decision in (("rose", Decision.REGRESSION), ("no prediction", Decision.COLLAPSE)):
        together = (TOGETHER,) if outcome.overall.decision is decision else ()
        if relations := _decided(outcome, decision) or together:
            parts.append(f"{words}: {shorten(', '.join(relations), _LONGEST_LIST)}")
    return f"compared with the anchor {named(anchor)}: {'; '.join(parts)}"
