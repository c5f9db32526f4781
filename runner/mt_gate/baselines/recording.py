"""Which runs may be recorded, and which together: told before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.figures import percent
from mt_gate.baselines.schema import MOST_RUNS
from mt_gate.judging.comparison import compare
from mt_gate.judging.statistics import wilson
from mt_gate.judging.verdicts import RunVerdicts
from mt_gate.results.result import GateVerdict, Result, RunSettings, SuiteHead, is_loss
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
FAR_APART = 0.25
"""Difference of two runs' violation rates, beyond chance, that needs a reason."""
_OWN = frozenset({"noise"})
"""Settings that runs which belong together may differ in."""


def check_recordable(path: Path, result: Result, accept: str | None) -> None:
    """Refuse to record a run that is bad, or left out relations, and that nobody has accepted.

    Args:
        path: of the result, for messages.
        result: of the run.
        accept: the reason, if there is one.

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
    """Refuse to record what is missing where no file is named.

    Raises:
        UsageError: that is so.
    """
    if record_missing and baseline is None:
        raise UsageError("--record-missing: no --baseline to record; name its file")


def check_number(paths: Sequence[Path]) -> None:
    """Refuse too many runs, and a file that is named twice, before any is read.

    Raises:
        UsageError: that is so.
    """
    if len(paths) > MOST_RUNS:
        raise UsageError(f"{len(paths)} runs: a baseline is of 1 to {MOST_RUNS}; name fewer")
    if len(set(paths)) < len(paths):
        raise UsageError("a result is named twice; expected each run once")


def check_together(runs: Mapping[Path, Result]) -> None:
    """Check that runs can be one baseline: other checkpoints, on one suite, alike in the rest.

    Args:
        runs: at least one, by the file of each.

    Raises:
        UsageError: one does not belong to the first.
    """
    (first_path, first), *others = runs.items()
    for path, result in others:
        for what, found, expected in _compared(result, first):
            if found != expected:
                raise UsageError(
                    f"{path}: {what} {quoted(found)}, {first_path} has {quoted(expected)}; "
                    "expected runs of one suite with the same settings; run it again like the "
                    "first, or leave it out"
                )
    _check_distinct(runs)


def check_alike(
    runs: Mapping[Path, Result], verdicts: Mapping[Path, RunVerdicts], accept: str | None
) -> None:
    """Refuse a run that is far worse than the others, and runs that are far apart.

    Runs of one baseline show how much trainings of one recipe differ. With a broken run among
    them, every later regression would pass for such a difference.

    Args:
        runs: that belong together, by the file of each.
        verdicts: of the same runs.
        accept: the reason to record them anyway, if there is one.

    Raises:
        UsageError: there is such a run, and no reason.
    """
    if accept is not None or len(runs) == 1:
        return
    for path, result in runs.items():
        others = [found for other, found in verdicts.items() if other != path]
        if reason := _worse(verdicts[path], others, result.settings):
            raise UsageError(f"{path}: far worse than the other runs ({reason}); {_LEAVE_OUT}")
    names = ["", *dict.fromkeys(one.id for result in runs.values() for one in result.relations)]
    for name in names:
        counts = {path: _counts(result, name) for path, result in runs.items()}
        best, worst = (pick(counts, key=lambda path: _rate(counts[path])) for pick in (min, max))
        if _differ_by_far(counts[best], counts[worst]):
            raise UsageError(
                f"{worst}: {percent(_rate(counts[worst]))} of its groups are violated"
                f"{f' at {name}' if name else ''}, of {best} {percent(_rate(counts[best]))}; "
                f"{_LEAVE_OUT}"
            )


def _worse(run: RunVerdicts, others: Sequence[RunVerdicts], settings: RunSettings) -> str:
    """Return why a run would fail against the others were only a large rise one; empty if not."""
    plain = {name: SETTINGS[name].default for name in DECIDING}
    by = replace(settings, **{**plain, "alpha": settings.alpha, "margin": OUTLIER})
    outcome = compare(run, others, by)
    return outcome.reasons[0] if is_loss(outcome.verdict) else ""


def _counts(result: Result, relation: str) -> tuple[int, int]:
    """Return the violated and the applicable groups of a relation; of all for an empty name."""
    each = {one.id: one for one in result.relations}
    found = each.get(relation, result.overall) if relation else result.overall
    return found.violated, found.applicable


def _rate(counts: tuple[int, int]) -> float:
    violated, applicable = counts
    return violated / applicable if applicable else 0.0


def _differ_by_far(best: tuple[int, int], worst: tuple[int, int]) -> bool:
    """Whether two rates differ by more than trainings of one recipe do, and more than by chance."""
    if not best[1] or _rate(worst) - _rate(best) <= FAR_APART:
        return False
    return wilson(*best)[1] < wilson(*worst)[0]


def _compared(result: Result, first: Result) -> Iterator[tuple[str, object, object]]:
    """Yield what runs must have in common: what it is, the run's own, the first's."""
    for name in SuiteHead.__struct_fields__:
        yield f"suite {name}", getattr(result.suite, name), getattr(first.suite, name)
    for name in RunSettings.__struct_fields__:
        if name not in _OWN:
            yield name, getattr(result.settings, name), getattr(first.settings, name)


def _check_distinct(runs: Mapping[Path, Result]) -> None:
    """Refuse a run, or a checkpoint, that is there twice: it would tell of no difference."""
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
