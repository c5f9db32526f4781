"""Where stored results lie below the folders that a user names, and what they hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.baselines.reading import read_baseline
from mt_gate.history.records import PastRate, PastRun
from mt_gate.judging.rates import Rate, Rates, rates
from mt_gate.reporting.words.texts import tone
from mt_gate.results.result import Overall, RelationResult, Result, SuiteHead
from mt_gate.results.store import GROUPS, RESULT, read_result, read_rows
from mt_gate.settings.policy import Tier

DEEPEST = 4
"""Folders within folders that are looked into, below one that is named."""
MOST_FOLDERS = 100_000
MOST_RUNS = 1_000
"""Results in one history: of more the newest."""


class Found(NamedTuple):
    """A ``result.json``, and what its folder is called."""

    file: Path
    place: str


class Stored(NamedTuple):
    """A run that was read, of which suite, when it was made, and whether it stopped early."""

    run: PastRun
    suite: SuiteHead
    when: datetime
    stopped: bool = False


Reasons = Mapping[tuple[str, str], str]
"""Why a baseline, by name and time of recording, was recorded; empty where nobody had to say."""


def find(folders: Sequence[Path]) -> list[Found]:
    """Return the results of folders that have one, or that hold folders which do.

    What lies within the folder of a result belongs to it (``base`` of ``qualify``); links to
    folders are not followed. In a folder results are in order of their paths.

    Raises:
        UsageError: a folder that is not there, or too many folders.
        CannotJudge: not one result.
    """
    found: list[Found] = []
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(
                f"{folder}: no such folder; name folders of results, or folders of such folders"
            )
        found += _below(folder)
    if not found:
        named = ", ".join(map(str, folders[:3])) + (", ..." if len(folders) > 3 else "")
        raise CannotJudge(
            f"{named}: no {RESULT} in it, nor in folders below, {DEEPEST} deep; name the folders "
            "that --out of 'mt-gate run' wrote"
        )
    return found


def _below(folder: Path) -> Iterator[Found]:
    seen = 0
    level = [folder]
    for _ in range(DEEPEST + 1):
        inner: list[Path] = []
        for path in level:
            if (path / RESULT).exists():
                place = path.relative_to(folder).as_posix()
                yield Found(path / RESULT, str(folder) if place == "." else place)
            else:
                inner += _folders_in(path)
            if (seen := seen + 1) > MOST_FOLDERS:
                raise UsageError(
                    f"{folder}: more than {MOST_FOLDERS} folders; name those of results"
                )
        level = inner


def _folders_in(path: Path) -> list[Path]:
    try:
        with os.scandir(path) as entries:
            return sorted(
                Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)
            )
    except OSError as error:
        raise CannotJudge(
            f"{path}: cannot be read ({error.strerror}); give it to who runs this"
        ) from None


def newest(found: Sequence[Found], *, by_time: bool) -> Sequence[Found]:
    """Return as many results as one history shows, those that were made last, in their order.

    Args:
        found: of ``find``.
        by_time: whether they say themselves when they were made; else the last named is the newest.
    """
    if len(found) <= MOST_RUNS:
        return found
    if not by_time:
        return found[-MOST_RUNS:]
    last = sorted(range(len(found)), key=lambda at: (_made(found[at]), at))[-MOST_RUNS:]
    return [found[at] for at in sorted(last)]


def _made(found: Found) -> datetime:
    """Return when a run was made; one that cannot be read gives way to those that can."""
    try:
        return _time(found.file, read_result(found.file).created)
    except CannotJudge:
        return datetime.min.replace(tzinfo=UTC)


def read(found: Found) -> Stored:
    """Read a stored run; with its groups beside it, rates have intervals.

    Raises:
        CannotJudge: its result, or the groups beside it, cannot be read or are not of one run.
    """
    result = read_result(found.file)
    assert result.run is not None, "read from a file"
    measured = None
    if (found.file.parent / GROUPS).exists():
        measured = rates(result, read_rows(found.file, result))
    when = _time(found.file, result.created)
    against = result.anchor.margin if result.anchor else None
    run = PastRun(
        place=found.place,
        id=result.run.id,
        created=when.isoformat(timespec="seconds"),
        checkpoint=result.checkpoint,
        verdict=result.verdict,
        margin=result.settings.margin if against is None else against,
        rates=tuple(_rates(result, measured)),
        baseline=result.baseline,
        anchor=result.anchor,
    )
    return Stored(run, result.suite, when, bool(result.early and result.early.stopped))


def _time(file: Path, text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise CannotJudge(
            f"{file}: created is {quoted(text)}, expected a time as 2026-01-31T12:00:00+00:00; "
            "run 'mt-gate run' again"
        ) from None


def _rates(result: Result, measured: Rates | None) -> Iterator[PastRate]:
    for relation in result.relations:
        rate = measured.relations[relation.id] if measured else None
        found = _rate(relation.id, relation.groups, relation, rate)
        yield found._replace(tier=relation.tier)
    groups = sum(relation.groups for relation in result.relations)
    pooled = _rate("", groups, result.overall, measured.overall if measured else None)
    yield pooled._replace(tier=Tier.BLOCK if result.settings.policy.has_tiers else None)


def _rate(name: str, groups: int, counts: RelationResult | Overall, rate: Rate | None) -> PastRate:
    comparison = counts.comparison
    return PastRate(
        id=name,
        groups=groups,
        applicable=counts.applicable,
        violated=counts.violated,
        rate=counts.violation_rate,
        ci95=rate.ci95 if rate else None,
        decision=comparison.decision if comparison else None,
        tone=tone(counts),
        delta=comparison.delta if comparison else None,
        delta_ci95=comparison.ci95 if comparison else None,
    )


def read_reasons(paths: Iterable[Path]) -> tuple[Reasons, tuple[str, ...]]:
    """Return the reasons of the baselines in files, and in the JSON files of folders.

    After them stands which files could not be read, and why: all else is shown without them.

    Raises:
        UsageError: a path that is not there.
    """
    found: dict[tuple[str, str], str] = {}
    unread: list[str] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder; name baselines as they were")
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            try:
                baseline = read_baseline(file)
            except CannotJudge as error:
                unread.append(str(error))
            else:
                found[baseline.name, baseline.recorded] = baseline.accept or ""
    return found, tuple(unread)
