"""Whether a baseline is of the suite that is run, and of the groups that the run is to have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge
from mt_gate.baselines.schema import RECORD, Baseline
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, observed_units
from mt_gate.relations.known_answer import is_labels
from mt_gate.results.result import Result, SuiteHead

AGREES = 1e-3
"""Difference of a score that rounding explains; integers that are cut off differ by a tenth."""


def check_fits(baseline: Baseline, suite: SuiteHead, path: str | Path | None = None) -> None:
    """Check that a baseline is of the suite, and the very part of it, that is run now.

    Raises CannotJudge: it is of another task, suite, version or content.
    """
    where = f"Baseline {path or baseline.name}"
    part = f" ({', '.join(suite.part)})" if suite.part else ""
    another = "Pass a matching --baseline."
    then = baseline.suite
    for what, old, new, todo in (
        ("task", then.task, suite.task, another),
        ("suite", then.name, suite.name, another),
        ("suite version", then.version, suite.version, RECORD),
        ("suite sha256", then.sha256, suite.sha256, RECORD),
    ):
        if old != new:
            raise CannotJudge(
                f"{where} is for {what} {old:.80}, but this run is for {what} {new}{part}. {todo}"
            )


def check_arithmetic(baseline: Baseline, result: Result, path: str | Path) -> None:
    """Check that 8-bit arithmetic predicts for a run what it would have for a baseline.

    CPUs without VNNI may cut off sums of 8-bit products. Runs on CPUs with the same instructions
    are alike; of others both must have shown that 8-bit operators, computed in another way,
    give the same scores but for rounding.

    Raises CannotJudge: that is not so, or the baseline does not say on what it was recorded.
    """
    noise = max(result.settings.noise, baseline.settings.noise)
    now = result.checkpoint.runtime
    for run in baseline.runs:
        then = run.checkpoint.runtime
        if not (now.integers or then.integers):
            continue
        alike = now.cpu_features == then.cpu_features or (now.cpu_features and noise <= AGREES)
        if then.cpu_features and alike:
            continue
        has, had = (" ".join(runtime.cpu_features) or "unknown" for runtime in (now, then))
        raise CannotJudge(
            f"{path} was recorded on a CPU with {had}, this CPU has {has}, and the checkpoint "
            f"multiplies 8-bit integers. Its scores move by up to {noise:.2g} with the way of "
            f"computing, at most {AGREES:.2g} is allowed. Record a new baseline on this kind of "
            "machine, or export the checkpoint with --precision int8, which computes in fp32."
        )


class Units(NamedTuple):
    """What a run counts a relation in: its groups, or the sources of one that is bound."""

    bound: bool
    ids: Set[str]


def units_of_run(verdicts: RunVerdicts, relations: Iterable[str]) -> dict[str, Units]:
    """Return the units of each relation of a run, of its own verdicts, which know all groups."""
    each = {relation: verdicts.get(relation, RelationVerdicts(id="")) for relation in relations}
    return {
        relation: Units(of.bound, (of.sources if of.bound else of.source_of).keys())
        for relation, of in each.items()
    }


def check_covers(
    baseline: Baseline, expected: Mapping[str, Units], path: str | Path, *, whole: bool = True
) -> None:
    """Check that every run of a baseline has the very groups that a run of its suite is to have.

    Relations that the run leaves out are not looked at, nor those that an anchor does not have.
    Of a run that is not ``whole`` the baseline has more groups.

    Raises CannotJudge: a relation is missing there, or has other groups.
    """
    several = len(baseline.runs) > 1
    for number, verdicts in enumerate(baseline.verdicts(), 1):
        _check_run(verdicts, expected, f"{path}: run {number}" if several else f"{path}", whole)
    for verdicts in baseline.anchor.verdicts() if baseline.anchor else ():
        known = {relation: units for relation, units in expected.items() if relation in verdicts}
        _check_run(verdicts, known, f"{path}: its anchor", whole)


def _check_run(
    verdicts: RunVerdicts, expected: Mapping[str, Units], where: str, whole: bool
) -> None:
    for relation, units in expected.items():
        old = verdicts.get(relation)
        if is_labels(relation):
            if old is None or old.groups != units.ids:
                raise CannotJudge(
                    f"{where} was recorded {'without' if old is None else 'with other'} labelled "
                    "examples. Record a new baseline with these --labels, or omit --labels."
                )
            continue
        if old is None:
            raise CannotJudge(
                f"{where} has no relation {relation}, but this run has it. {RECORD} Or name the "
                "other relations with --relations."
            )
        ids = observed_units(old, old.bound)
        missing, other = len(units.ids - ids), len(ids - units.ids) if whole else 0
        if missing or other:
            what = "sources" if units.bound else "groups"
            its_own = f", and it has {other} that are not in this run" if whole else ""
            raise CannotJudge(
                f"{where}: {relation}: {missing} of this run's {len(units.ids)} {what} are not "
                f"in the baseline{its_own}. Both must be of one suite. {RECORD}"
            )
        if old.bound != units.bound and units.ids:
            kind = "source" if units.bound else "id"
            raise CannotJudge(f"{where}: {relation}: its cases must be by {kind}. {RECORD}")
