"""The anchor: an older baseline that stays while the baseline is recorded again and again.

Each baseline may be a little worse than the one before, by less than any test of the two finds. So
a run is judged by the last baseline and told against the anchor, and what is beyond the margin
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
from mt_gate.base.figures import change, distinct_decimals, percent, points, size_in_points
from mt_gate.base.redaction import shorten
from mt_gate.baselines.schema import RECORD, Anchor, Baseline, read_baseline
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

    It is that of the baseline there, or else this baseline itself.

    Args:
        path: of the baseline's file, which need not be there.
        suite: of the runs that are recorded.
        runs: their ids; where they are recorded there already, nothing becomes old.

    Raises:
        CannotJudge: what is there cannot be read, so that nothing says what its anchor is.
    """
    if not os.path.exists(path):
        return AnchorChoice(None, "no anchor yet: this baseline becomes that of the next")
    old = _read(path)
    if _identity(old.suite) != _identity(suite):
        return AnchorChoice(None, "no anchor: the baseline before was of another suite")
    again = [run.id for run in old.runs] == list(runs)
    anchor = old.anchor or (
        None if again else Anchor(name=old.name, recorded=old.recorded, runs=old.runs)
    )
    if anchor is None:
        return AnchorChoice(None, "no anchor yet: the baseline before was of the same runs")
    return AnchorChoice(anchor, f"anchor: {named(anchor)}")


def named(anchor: Anchor) -> str:
    """Return what messages call an anchor."""
    return f"{anchor.name} of {anchor.recorded} ({shorten(anchor.runs[0].checkpoint.name, 80)})"


def compare_with_anchor(
    anchor: Anchor, candidate: RunVerdicts, settings: RunSettings
) -> AgainstAnchor:
    """Compare a run with an anchor, on the relations that both have.

    Args:
        anchor: of the run's suite.
        candidate: of ``verdicts_from_rows``; with the sources of its groups.
        settings: of the run; limits on its own rates, groups that must hold and relations that
            are required are left aside.
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
    each = {name: rules.paired_of(found) for name, found in outcome.relations.items()}
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


def check_within(told: Sequence[AgainstAnchor], path: Path, accept: str | None) -> None:
    """Refuse to record what is beyond the margin worse than its anchor, without a reason.

    Args:
        told: each run that is recorded, against the anchor; none where there is no anchor.
        path: of the baseline.
        accept: the reason, if there is one.

    Raises:
        UsageError: one run is a loss, or their mean is more than the margin worse.
    """
    if accept is not None or not told:
        return
    mean = math.fsum(one.figures.delta or 0.0 for one in told) / len(told)
    margin = math.fsum(one.margin or 0.0 for one in told) / len(told)
    lost = [
        one
        for one in told
        if one.rose or is_loss(one.verdict) or one.verdict is GateVerdict.WARNING
    ]
    if not lost and not rules.is_above(mean, margin):
        return
    over = f" ({points(mean)} in the mean of {len(told)} runs)" if len(told) > 1 else ""
    raise UsageError(
        f"{path}: {(lost or told)[0].sentence}{over}; to record it all the same give the reason "
        'with --accept "reason", and --new-anchor if it is to be the new anchor'
    )


def _read(path: Path) -> Baseline:
    try:
        return read_baseline(path)
    except CannotJudge as error:
        if not str(error).endswith(RECORD):
            raise
        raise CannotJudge(
            f'{error} --new-anchor --accept "reason", since its anchor cannot be read; or restore '
            "it with git before"
        ) from None


def _identity(suite: SuiteHead) -> tuple[object, ...]:
    """Return what two runs must have in common to be of the same groups."""
    return suite.sha256, suite.task, suite.part, suite.ontology


def _decided(outcome: Outcome, decision: Decision) -> tuple[str, ...]:
    return tuple(
        relation for relation, found in outcome.relations.items() if found.decision is decision
    )


def _sentence(anchor: Anchor, figures: ComparisonFigures, outcome: Outcome, margin: float) -> str:
    """Return the comparison with an anchor in one line."""
    parts = [outcome.overall.reason]
    if figures.delta is not None:
        place = "beyond" if rules.is_above(figures.delta, margin) else "within"
        decimals = distinct_decimals(figures.delta, margin)
        parts = [
            f"violation rate {percent(figures.baseline_rate)} to "
            f"{percent(figures.candidate_rate)} ({change(figures.delta, figures.ci95, decimals)}), "
            f"{place} the margin of {size_in_points(margin, decimals)}"
        ]
    for words, decision in (
        ("rose", Decision.REGRESSION),
        ("stopped answering", Decision.COLLAPSE),
    ):
        together = (TOGETHER,) if outcome.overall.decision is decision else ()
        if relations := _decided(outcome, decision) or together:
            parts.append(f"{words}: {shorten(', '.join(relations), _LONGEST_LIST)}")
    return f"against the anchor, {named(anchor)}: {'; '.join(parts)}"
