"""Decide which runs may be recorded together, and compare them with an older baseline, the anchor.

The anchor stays while the baseline is recorded again. Each new baseline may be a little worse than
the one before, by less than a test can detect. So a baseline that is worse than the anchor by more
than the margin needs a reason.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.base.errors import CannotJudge, UsageError, page, quoted
from mt_gate.base.escaping import shorten
from mt_gate.base.figures import (
    change,
    counted,
    distinct_decimals,
    moved,
    percent,
    points,
    size_in_points,
)
from mt_gate.baselines.schema import (
    RECORD,
    Anchor,
    Baseline,
    read_baseline,
)
from mt_gate.judging.clustered import pair
from mt_gate.judging.comparison import TOGETHER, Outcome, compare
from mt_gate.judging.statistics import wilson
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, applicable_units
from mt_gate.results import rules
from mt_gate.results.result import (
    AgainstAnchor,
    ComparisonFigures,
    Decision,
    GateVerdict,
    Overall,
    RelationResult,
    Result,
    RunSettings,
    SuiteHead,
    is_loss,
)
from mt_gate.settings.record import DECIDING, SETTINGS

ONE_RUN = (
    "Single-run baseline: variation between training runs is not accounted for, so a "
    "retrained model may fail against it. If you retrain, record 3 to 5 runs: "
    f"{page('baselines', 'a-retrained-checkpoint')}"
)
_LEAVE_OUT = (
    "A broken run in a baseline hides later regressions. Omit it, or record it anyway with "
    '--accept "reason"'
)
OUTLIER = 0.10
"""Significant rise of a run's violation rate above the other runs' that needs a reason."""
FAR = 0.25
"""Significant difference between two runs' violation rates that needs a reason."""


def check_recordable(path: Path, result: Result, accept: str | None) -> None:
    """Reject a run that failed or omitted relations, unless the user accepts it.

    Raises UsageError: the run stopped early, or needs ``--accept`` and a reason, and has none.
    """
    if result.early and result.early.stopped:
        raise UsageError(
            f"{path}: the run stopped early, after {result.early.asked:,} of "
            f"{result.early.clusters:,} clusters of original texts. mt-gate could not compare "
            "whole runs with it. Run it again without --early-stop."
        )
    if accept is not None and not accept.strip():
        raise UsageError('--accept has an empty reason. Give one: --accept "reason"')
    if accept is not None:
        return
    advice = 'To record it anyway, add --accept "reason"'
    bad = (GateVerdict.WARNING, GateVerdict.CANNOT_JUDGE)
    if is_loss(result.verdict) or result.verdict in bad:
        raise UsageError(f"{path}: the verdict of this run is {result.verdict.value}. {advice}")
    if not result.settings.complete:
        raise UsageError(f"{path}: the run did not include all relations of the suite. {advice}")
    unanswered, cases = rules.count_unanswered(result.relations)
    if 2 * unanswered > cases:
        raise UsageError(
            f"{path}: the model's reply was not a label in {unanswered:,} of "
            f"{counted(cases, 'case')}. Change the prompt, and run it again. {advice}"
        )
    if not any(item.applicable for item in result.relations):
        raise UsageError(f"{path}: none of {counted(cases, 'case')} could be tested. {advice}")


def check_together(runs: Mapping[Path, Result]) -> None:
    """Check that runs can form one baseline: different checkpoints, same suite and settings.

    Raises UsageError: a run does not fit the first run.
    """
    (first_path, first), *others = runs.items()
    for path, result in others:
        for of, one, other, words in (
            (result.suite.__struct_fields__, result.suite, first.suite, "suite "),
            (result.settings.__struct_fields__, result.settings, first.settings, ""),
        ):
            for name in of:
                here, there = getattr(one, name), getattr(other, name)
                if here != there and name not in ("noise", "flips", "allowed_flips", "retrained"):
                    raise UsageError(
                        f"{path}: {words}{name} is {quoted(here)}, but {first_path} has "
                        f"{quoted(there)}. All runs of a baseline need the same suite and "
                        "settings. Run it again like the first, or omit it."
                    )
    seen: dict[str, Path] = {}
    for path, result in runs.items():
        run = result.run.id if result.run else ""
        checkpoint = result.checkpoint.fingerprint
        for identity, what in ((run, "run"), (checkpoint, "checkpoint")):
            if identity and identity in seen:
                raise UsageError(
                    f"{path} is of the same {what} as {seen[identity]}. The runs of a baseline "
                    "show the variation between trainings. Pass each checkpoint once."
                )
            seen[identity] = path


def check_alike(
    runs: Mapping[Path, Result], verdicts: Mapping[Path, RunVerdicts], accept: str | None
) -> None:
    """Reject a run that is far worse than the others, and runs that differ by far.

    Runs of one baseline show how much trainings of one recipe differ. With a broken run among
    them, every later regression would look like such a difference.

    Raises UsageError: there is such a run, and no reason to record it anyway.
    """
    if accept is not None or len(runs) == 1:
        return
    plain = {name: SETTINGS[name].default for name in DECIDING}
    for path, result in runs.items():
        others = [run for other, run in verdicts.items() if other != path]
        lax = {**plain, "alpha": result.settings.alpha, "margin": OUTLIER}
        outcome = compare(verdicts[path], others, replace(result.settings, **lax))
        if is_loss(outcome.verdict):
            raise UsageError(
                f"{path} is much worse than the other runs ({outcome.reasons[0]}). {_LEAVE_OUT}"
            )
    for name in [
        "",
        *dict.fromkeys(relation.id for result in runs.values() for relation in result.relations),
    ]:
        counts: dict[Path, RelationResult | Overall] = {
            path: next(
                (relation for relation in result.relations if relation.id == name), result.overall
            )
            for path, result in runs.items()
        }
        rates = {path: count.violated / (count.applicable or 1) for path, count in counts.items()}
        best, worst = (pick(rates, key=rates.__getitem__) for pick in (min, max))
        low, high = counts[best], counts[worst]
        if not low.applicable or rates[worst] - rates[best] <= FAR:
            continue
        if wilson(low.violated, low.applicable)[1] < wilson(high.violated, high.applicable)[0]:
            raise UsageError(
                f"{worst} violates {percent(rates[worst])} of its "
                f"cases{f' of {name}' if name else ''}, {best} only {percent(rates[best])}. "
                f"{_LEAVE_OUT}"
            )


_LONGEST_LIST = 300


class AnchorChoice(NamedTuple):
    """The anchor of a new baseline, and a sentence about it."""

    anchor: Anchor | None
    words: str


def choose_anchor(path: Path, suite: SuiteHead, runs: Sequence[str]) -> AnchorChoice:
    """Return the anchor of a baseline of this suite that will be recorded at ``path``.

    It is the anchor of the baseline there, or else that baseline itself. There is none yet if that
    baseline has the same ``runs`` (ids).

    Raises CannotJudge: the file there cannot be read, so that its anchor is unknown.
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
            f"{error} mt-gate cannot read its anchor either: restore the file with git first, or "
            'also pass --new-anchor --accept "reason".'
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
    """Return the name of an anchor in messages."""
    return f"{anchor.name} of {anchor.recorded} ({shorten(anchor.runs[0].checkpoint.name, 80)})"


def compare_with_anchor(
    anchor: Anchor, candidate: RunVerdicts, settings: RunSettings
) -> AgainstAnchor:
    """Compare a run with an anchor of its suite, on the relations that both have.

    Limits on the run's own rates, pinned cases and required relations do not count.
    """
    before = tuple(run.verdicts() for run in anchor.runs)
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
    margin = rules.make_pool_settings(settings, outcome.relations).margin
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
    """Reject runs that regressed from their anchor by more than the margin, unless accepted.

    Raises UsageError: a run regressed, or the mean of all runs is worse by more than the margin.
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
    over = f" ({points(mean)} on average over {len(runs)} runs)" if len(runs) > 1 else ""
    raise UsageError(
        f"{path}: {(lost or runs)[0].sentence}{over}. To record it anyway, add --accept "
        '"reason". To make it the new anchor, also add --new-anchor.'
    )


def _decided(outcome: Outcome, decision: Decision) -> tuple[str, ...]:
    return tuple(
        name for name, compared in outcome.relations.items() if compared.decision is decision
    )


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


class RelationDiff(NamedTuple):
    """How one relation changed from one baseline to another, whose suites may differ.

    Only cases with a verdict in both count as changed. ``rates`` are violation rates, None if no
    case was testable. ``only`` counts the testable cases, or sources, of one side alone.
    """

    id: str
    rates: tuple[float | None, float | None]
    newly_violated: frozenset[str]
    fixed: frozenset[str]
    only: tuple[int, int]


def diff_baselines(a: Baseline, b: Baseline) -> list[RelationDiff]:
    """Compare the first runs of two baselines relation by relation, without judging."""
    in_a, in_b = ({relation.id: relation for relation in side.runs[0].relations} for side in (a, b))
    read = a.runs[0].verdicts(), b.runs[0].verdicts()
    relations = []
    for name in in_a | in_b:
        sides = in_a.get(name), in_b.get(name)
        old, new = (verdicts.get(name, RelationVerdicts(id=name)) for verdicts in read)
        moved = pair(new, [old])
        ids_a, ids_b = (applicable_units(verdicts, verdicts.bound) for verdicts in (old, new))
        rate_a, rate_b = (side.rate if side else None for side in sides)
        only = len(ids_a - ids_b), len(ids_b - ids_a)
        relations.append(RelationDiff(name, (rate_a, rate_b), moved.new, moved.fixed, only))
    return relations
