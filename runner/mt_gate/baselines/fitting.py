"""Whether a baseline is of the suite that is run, and of the groups that the run asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge
from mt_gate.baselines.schema import RECORD, Baseline
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, looked_at
from mt_gate.relations.known_answer import is_labels
from mt_gate.results.result import Result, Runtime, SuiteHead

_NAME_ANOTHER = f"name the --baseline of what is run, or {RECORD}"


def check_fits(baseline: Baseline, suite: SuiteHead, path: str | Path | None = None) -> None:
    """Check that a baseline is of the suite that is run now.

    Raises:
        CannotJudge: it is of another task, suite, version or content.
    """
    where = path or f"baseline {baseline.name}"
    for part, found, expected, todo in (
        ("task", baseline.suite.task, suite.task, _NAME_ANOTHER),
        ("suite", baseline.suite.name, suite.name, _NAME_ANOTHER),
        ("suite version", baseline.suite.version, suite.version, RECORD),
        ("suite sha256", baseline.suite.sha256, suite.sha256, RECORD),
    ):
        if found != expected:
            raise CannotJudge(
                f"{where}: {part} {found:.80}, this run has {expected}{_of_a_part(suite)}; {todo}"
            )


AGREES = 1e-3
"""Difference of a score that rounding explains; integers that are cut off differ by a tenth."""


def check_arithmetic(baseline: Baseline, result: Result, path: str | Path) -> None:
    """Check that 8-bit arithmetic gave a run what it would have given those of a baseline.

    CPUs without VNNI may cut off sums of 8-bit products. Runs on CPUs with the same instructions
    are alike; of others both must have found that 8-bit operators, computed in another way,
    give the same scores but for rounding.

    Raises:
        CannotJudge: that is not so, or the baseline does not say on what it was recorded.
    """
    noise = max(result.settings.noise, baseline.settings.noise)
    for run in baseline.runs:
        _check_integers(result.checkpoint.runtime, run.checkpoint.runtime, noise, path)


def _check_integers(now: Runtime, then: Runtime, found: float, path: str | Path) -> None:
    if not (now.integers or then.integers):
        return
    if then.cpu_features and now.cpu_features == then.cpu_features:
        return
    if then.cpu_features and now.cpu_features and found <= AGREES:
        return
    has, had = (" ".join(runtime.cpu_features) or "unknown" for runtime in (now, then))
    raise CannotJudge(
        f"{path}: recorded on a CPU with {had}, this one has {has}, and the checkpoint multiplies "
        f"8-bit integers, whose scores move by up to {found:.2g} with the way of computing; "
        f"expected the same instructions, or at most {AGREES:.2g}; {RECORD} on this kind of "
        "machine, or export the checkpoint with --precision int8, which multiplies in fp32"
    )


class Units(NamedTuple):
    """What a run counts a relation in: its groups, or the sources of one that is bound."""

    bound: bool
    ids: Set[str]


def units_of_run(verdicts: RunVerdicts, relations: Iterable[str]) -> dict[str, Units]:
    """Return the units of each relation of a run, of its own verdicts, which know all groups."""
    found = {relation: verdicts.get(relation, RelationVerdicts(id="")) for relation in relations}
    return {
        relation: Units(of_it.bound, (of_it.sources if of_it.bound else of_it.source_of).keys())
        for relation, of_it in found.items()
    }


def check_covers(
    baseline: Baseline, asked: Mapping[str, Units], path: str | Path, *, whole: bool = True
) -> None:
    """Check that every run of a baseline has the very groups that a run of its suite asks for.

    Relations that the run leaves out are not looked at, nor those that an anchor does not have.

    Args:
        baseline: of the run's suite, see ``check_fits``.
        asked: units of each relation of the run.
        path: of the baseline, for the message.
        whole: whether the run asked for all; else the baseline has more.

    Raises:
        CannotJudge: a relation is missing there, or has other groups.
    """
    several = len(baseline.runs) > 1
    for number, verdicts in enumerate(baseline.verdicts(), 1):
        where = f"{path}: run {number}" if several else f"{path}"
        _check_run(verdicts, asked, where, whole)
    for verdicts in baseline.anchor.verdicts() if baseline.anchor else ():
        known = {relation: units for relation, units in asked.items() if relation in verdicts}
        _check_run(verdicts, known, f"{path}: its anchor", whole)


def _check_run(verdicts: RunVerdicts, asked: Mapping[str, Units], where: str, whole: bool) -> None:
    for relation, units in asked.items():
        if is_labels(relation):
            _check_labels(verdicts.get(relation), units, where)
            continue
        if relation not in verdicts:
            raise CannotJudge(
                f"{where}: no relation {relation}, which this run has; {RECORD}, or name the "
                "others with --relations"
            )
        old = _units_of(verdicts[relation])
        missing, other = len(units.ids - old.ids), len(old.ids - units.ids) if whole else 0
        if missing or other:
            what = "sources" if units.bound else "groups"
            its_own = f", {other} of its own not in this run" if whole else ""
            raise CannotJudge(
                f"{where}: {relation}: {missing} of this run's {len(units.ids)} {what} are not in "
                f"it{its_own}; expected the {what} of one suite; {RECORD}"
            )
        if old.bound != units.bound and units.ids:
            raise CannotJudge(
                f"{where}: {relation}: expected its groups by "
                f"{'source' if units.bound else 'id'}; {RECORD}"
            )


def _check_labels(verdicts: RelationVerdicts | None, units: Units, where: str) -> None:
    if verdicts is None or verdicts.groups != units.ids:
        how = "without" if verdicts is None else "with other"
        raise CannotJudge(
            f"{where}: recorded {how} labelled examples; expected those of --labels; {RECORD}, or "
            "omit --labels"
        )


def _units_of(verdicts: RelationVerdicts) -> Units:
    return Units(verdicts.bound, looked_at(verdicts, verdicts.bound))


def _of_a_part(suite: SuiteHead) -> str:
    """Say that a run asks for a part of its suite: a baseline must be of the very same part."""
    return f" (a part of {suite.name}: {', '.join(suite.part)})" if suite.part else ""
