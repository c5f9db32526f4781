"""Which runs may be recorded, and which together: checked before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from mt_gate.base.errors import CannotJudge, UsageError, page, quoted
from mt_gate.base.figures import percent
from mt_gate.baselines.schema import MOST_RUNS, read_baseline
from mt_gate.judging.comparison import compare
from mt_gate.judging.statistics import wilson
from mt_gate.judging.verdicts import RunVerdicts
from mt_gate.results.result import GateVerdict, Overall, RelationResult, Result, is_loss
from mt_gate.settings.record import DECIDING, SETTINGS

ONE_RUN = (
    "Single-run baseline: variation between training runs is not accounted for, so a "
    "retrained model may fail against it. If you retrain, record 3 to 5 runs: "
    f"{page('baselines', 'several-runs')}"
)
_LEAVE_OUT = (
    "A broken run in a baseline hides later regressions. Omit it, or record it anyway with "
    '--accept "reason"'
)
OUTLIER = 0.10
"""Rise of a violation rate beyond the other runs, and beyond chance, that needs a reason."""
FAR = 0.25
"""Difference of two runs' violation rates, beyond chance, that needs a reason."""


def count_runs(path: Path) -> int:
    """Return how many runs a baseline has; 0 where there is none that can be read."""
    with suppress(CannotJudge):
        return len(read_baseline(path).runs) if path.exists() else 0
    return 0


def check_recordable(path: Path, result: Result, accept: str | None) -> None:
    """Refuse to record a run that is bad, or left out relations, and that nobody has accepted.

    Raises UsageError: the run stopped early, or needs ``--accept`` and a reason, and has none.
    """
    if result.early and result.early.stopped:
        raise UsageError(
            f"{path}: the run stopped early, after {result.early.asked:,} of "
            f"{result.early.clusters:,} clusters of source texts. A whole run could not be "
            "compared with it. Run it again without --early-stop."
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


def check_number(paths: Sequence[Path]) -> None:
    """Refuse, with UsageError, too many runs, and a file named twice, before any is read."""
    if len(paths) > MOST_RUNS:
        raise UsageError(f"A baseline has 1 to {MOST_RUNS} runs (got {len(paths)}). Pass fewer.")
    if len(set(paths)) < len(paths):
        raise UsageError("The same result is named twice. Pass each run once.")


def check_together(runs: Mapping[Path, Result]) -> None:
    """Check that runs can be one baseline: other checkpoints, on one suite, alike in the rest.

    Raises UsageError: one does not belong to the first.
    """
    (first_path, first), *others = runs.items()
    for path, result in others:
        for of, one, other, words in (
            (result.suite.__struct_fields__, result.suite, first.suite, "suite "),
            (result.settings.__struct_fields__, result.settings, first.settings, ""),
        ):
            for name in of:
                here, there = getattr(one, name), getattr(other, name)
                if here != there and name != "noise":
                    raise UsageError(
                        f"{path}: {words}{name} is {quoted(here)}, but {first_path} has "
                        f"{quoted(there)}. The runs of a baseline need the same suite and "
                        "settings. Run it again like the first, or omit it."
                    )
    seen: dict[str, Path] = {}
    for path, result in runs.items():
        run = result.run.id if result.run else ""
        checkpoint = result.checkpoint.fingerprint
        for identity, what in ((run, "the run"), (checkpoint, "a run of the checkpoint")):
            if identity and identity in seen:
                raise UsageError(
                    f"{path}: {what} of {seen[identity]}. Pass each checkpoint once: the same "
                    "one again shows no difference between trainings."
                )
            seen[identity] = path


def check_alike(
    runs: Mapping[Path, Result], verdicts: Mapping[Path, RunVerdicts], accept: str | None
) -> None:
    """Reject a run that is far worse than the others, and runs that differ by far.

    Runs of one baseline show how much trainings of one recipe differ. With a broken run among
    them, every later regression would pass for such a difference.

    Raises UsageError: there is such a run, and no reason to record it anyway.
    """
    if accept is not None or len(runs) == 1:
        return
    plain = {name: SETTINGS[name].default for name in DECIDING}
    for path, result in runs.items():
        others = [of for other, of in verdicts.items() if other != path]
        lax = {**plain, "alpha": result.settings.alpha, "margin": OUTLIER}
        outcome = compare(verdicts[path], others, replace(result.settings, **lax))
        if is_loss(outcome.verdict):
            raise UsageError(
                f"{path} is much worse than others ({outcome.reasons[0]}). {_LEAVE_OUT}"
            )
    for name in ["", *dict.fromkeys(of.id for result in runs.values() for of in result.relations)]:
        counts = {path: _counts(result, name) for path, result in runs.items()}
        rates = {path: of.violated / (of.applicable or 1) for path, of in counts.items()}
        best, worst = (pick(rates, key=rates.__getitem__) for pick in (min, max))
        low, high = counts[best], counts[worst]
        if not low.applicable or rates[worst] - rates[best] <= FAR:
            continue
        if wilson(low.violated, low.applicable)[1] < wilson(high.violated, high.applicable)[0]:
            raise UsageError(
                f"{worst} violates {percent(rates[worst])} of its "
                f"cases{f' at {name}' if name else ''}, {best} only {percent(rates[best])}. "
                f"{_LEAVE_OUT}"
            )


def _counts(result: Result, name: str) -> RelationResult | Overall:
    return next((of for of in result.relations if of.id == name), result.overall)
