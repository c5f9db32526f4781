"""Which runs may be recorded, and which together: checked before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.figures import percent
from mt_gate.baselines.schema import MOST_RUNS
from mt_gate.judging.comparison import compare
from mt_gate.judging.statistics import wilson
from mt_gate.judging.verdicts import RunVerdicts
from mt_gate.results.result import GateVerdict, Overall, RelationResult, Result, is_loss
from mt_gate.settings.record import DECIDING, SETTINGS

ONE_RUN = (
    "one run: the same recipe trained again may fail against it, since the test does not know by "
    "how much such trainings differ; record 3 to 5 of them (docs/baselines.md)"
)
_LEAVE_OUT = (
    "runs of one baseline are trainings of one recipe, so a broken one hides later regressions; "
    'leave it out, or record it anyway with --accept "reason"'
)
OUTLIER = 0.10
"""Rise of a violation rate beyond the other runs, and beyond chance, that needs a reason."""
FAR = 0.25
"""Difference of two runs' violation rates, beyond chance, that needs a reason."""


def check_recordable(path: Path, result: Result, accept: str | None) -> None:
    """Refuse to record a run that is bad, or left out relations, and that nobody has accepted.

    Raises:
        UsageError: the run stopped early, or needs ``--accept`` and a reason, and has none.
    """
    if result.early and result.early.stopped:
        raise UsageError(
            f"{path}: the run stopped early, after {result.early.asked:,} of "
            f"{result.early.clusters:,} clusters of sources, and no whole run could be compared "
            "with it; run it again without --early-stop"
        )
    if accept is not None and not accept.strip():
        raise UsageError('--accept: the reason is empty, expected a sentence; --accept "reason"')
    if accept is not None:
        return
    advice = 'record it anyway with --accept "reason"'
    bad = (GateVerdict.WARNING, GateVerdict.CANNOT_JUDGE)
    if is_loss(result.verdict) or result.verdict in bad:
        raise UsageError(f"{path}: the run's verdict is {result.verdict.value}; {advice}")
    if not result.settings.complete:
        raise UsageError(f"{path}: the run left out relations of the suite; {advice}")


def check_missing(record_missing: bool | None, baseline: Path | None) -> None:
    """Refuse, with UsageError, to record what is missing where no file is named."""
    if record_missing and baseline is None:
        raise UsageError("--record-missing: no --baseline to record; name its file")


def check_number(paths: Sequence[Path]) -> None:
    """Refuse, with UsageError, too many runs, and a file named twice, before any is read."""
    if len(paths) > MOST_RUNS:
        raise UsageError(f"{len(paths)} runs: a baseline is of 1 to {MOST_RUNS}; name fewer")
    if len(set(paths)) < len(paths):
        raise UsageError("a result is named twice; expected each run once")


def check_together(runs: Mapping[Path, Result]) -> None:
    """Check that runs can be one baseline: other checkpoints, on one suite, alike in the rest.

    Raises:
        UsageError: one does not belong to the first.
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
                        f"{path}: {words}{name} {quoted(here)}, {first_path} has {quoted(there)}; "
                        "expected runs of one suite with the same settings; run it again like the "
                        "first, or leave it out"
                    )
    seen: dict[str, Path] = {}
    for path, result in runs.items():
        run = result.run.id if result.run else ""
        checkpoint = result.checkpoint.fingerprint
        for identity, what in ((run, "the run"), (checkpoint, "a run of the checkpoint")):
            if identity and identity in seen:
                raise UsageError(
                    f"{path}: {what} of {seen[identity]}; expected each checkpoint once, since "
                    "the same one again shows no difference between trainings; leave it out"
                )
            seen[identity] = path


def check_alike(
    runs: Mapping[Path, Result], verdicts: Mapping[Path, RunVerdicts], accept: str | None
) -> None:
    """Refuse a run that is far worse than the others, and runs that differ by far.

    Runs of one baseline show how much trainings of one recipe differ. With a broken run among
    them, every later regression would pass for such a difference.

    Raises:
        UsageError: there is such a run, and no reason to record it anyway.
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
                f"{path}: far worse than the other runs ({outcome.reasons[0]}); {_LEAVE_OUT}"
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
                f"{worst}: {percent(rates[worst])} of its groups are violated"
                f"{f' at {name}' if name else ''}, of {best} {percent(rates[best])}; "
                f"{_LEAVE_OUT}"
            )


def _counts(result: Result, name: str) -> RelationResult | Overall:
    """Return the counts of a relation; of all for one that is not there, or an empty name."""
    return next((of for of in result.relations if of.id == name), result.overall)
