"""Find stored runs below folders, and group them by suite.

Nothing is judged. Small changes that passed one by one add up and become visible here. Weak
relations of several checkpoints can be compared (Reading comprehension paper, section 6.3, RQ3).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.baselines.schema import read_baseline
from mt_gate.judging.clustered import Interval, Rate, rates
from mt_gate.reporting.words.texts import VERDICT_WORDS, shown_state
from mt_gate.results.result import (
    AgainstAnchor,
    BaselineHead,
    CheckpointHead,
    Decision,
    GateVerdict,
    Overall,
    RelationResult,
    SuiteHead,
)
from mt_gate.results.store import GROUPS, RESULT, read_result, read_rows, result_file
from mt_gate.settings.policy import Tier

DEEPEST = 4
"""Maximum depth of searched folders below a folder that the user names."""
MOST_FOLDERS = 100_000
MOST_RUNS = 1_000
"""Maximum results in one history; the last in order are kept."""
MOST_COMPARED = 26
"""Maximum results side by side: one letter each."""
TIME, COMMITS, SIDE = "time", "commits", "side"
"""Order of runs: by time, evenly spaced in the user's order, or side by side."""


class PastRate(NamedTuple):
    """The violation rate of a relation in one run, with its comparison; ``id`` is "" overall."""

    id: str
    groups: int
    applicable: int
    violated: int
    rate: float | None  # in [0, 1]; None if nothing was applicable
    ci95: Interval | None = None  # None also if the run's groups are not stored
    decision: Decision | None = None
    delta: float | None = None  # in [-1, 1]
    delta_ci95: Interval | None = None
    tone: str = "measured"  # CSS class of the decision's colour
    # For the overall rate: ``block`` if only blocking relations were compared.
    tier: Tier | None = None


class Rerecorded(NamedTuple):
    """The baseline of a run, if it differs from the previous run's on the same suite."""

    name: str
    recorded: str
    reason: str | None = None  # empty if no reason was needed, None if unknown


class PastRun(NamedTuple):
    """A stored run."""

    place: str  # folder, relative to the parent folder that the user named
    id: str  # unique id of the run
    created: str  # UTC in ISO 8601
    checkpoint: CheckpointHead
    verdict: GateVerdict
    margin: float  # allowed rise compared with the anchor
    rates: tuple[PastRate, ...]  # by relation; the overall rate is last
    baseline: BaselineHead | None = None
    rerecorded: Rerecorded | None = None
    anchor: AgainstAnchor | None = None
    stopped: bool = False  # whether it stopped early

    @property
    def overall(self) -> PastRate:
        """Return the overall rate."""
        return self.rates[-1]

    def rate_of(self, relation: str) -> PastRate | None:
        """Return the rate of a relation (overall for an empty id); None if it was not run."""
        return next((rate for rate in self.rates if rate.id == relation), None)


class SuiteHistory(NamedTuple):
    """The runs of one suite, at least one, in order; ``relations`` are those of all runs."""

    suite: SuiteHead
    runs: tuple[PastRun, ...]
    relations: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the title of a suite's section, with the notes on a subset."""
        part = f" ({'; '.join(self.suite.part)})" if self.suite.part else ""
        return f"{self.suite.name}, version {self.suite.version}{part}"

    @property
    def span(self) -> str:
        """Return the first and the last day of the runs."""
        days = sorted({run.created[:10] for run in self.runs})
        return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

    @property
    def verdicts(self) -> str:
        """Return "Pass 5, Regression 1", the most frequent first."""
        counted = Counter(run.verdict for run in self.runs).most_common()
        return ", ".join(f"{VERDICT_WORDS[verdict]} {figures.count(n)}" for verdict, n in counted)

    @property
    def checkpoints(self) -> int:
        """Return the number of distinct checkpoints, by fingerprint, or by name if it is empty."""
        return len({run.checkpoint.fingerprint or run.checkpoint.name for run in self.runs})


class History(NamedTuple):
    """Stored runs by suite; ``unread`` are messages on files that could not be read."""

    suites: tuple[SuiteHistory, ...]
    along: str = TIME
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class StoredRun(NamedTuple):
    """A ``result.json``, and the name of its folder."""

    file: Path
    place: str


def read_history(folders: Sequence[Path], baselines: Sequence[Path], *, by_time: bool) -> History:
    """Read stored results, and group them by suite."""
    reasons, unread_baselines = _read_reasons(baselines)
    stored = find(folders)
    runs: list[tuple[SuiteHead, PastRun]] = []
    unread: list[str] = []
    for run_file in stored:
        try:
            runs.append(_read(run_file))
        except CannotJudge as error:
            unread.append(str(error))
    if not runs:
        more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
        raise CannotJudge(f"No result can be read: {unread[0]}{more}")
    first = {run.id: run for _, run in reversed(runs)}
    chosen = [(suite, run) for suite, run in runs if first[run.id] is run]
    if by_time:
        chosen.sort(key=lambda one: datetime.fromisoformat(one[1].created))
    copies, older = len(runs) - len(chosen), max(len(chosen) - MOST_RUNS, 0)
    chosen = chosen[older:]
    # Runs are comparable if these values are the same.
    suites: dict[tuple[object, ...], list[tuple[SuiteHead, PastRun]]] = {}
    for suite, run in chosen:
        key = (suite.sha256, suite.task, suite.part, suite.ontology)
        suites.setdefault(key, []).append((suite, run))
    notes = _notes(older, copies, chosen, len(suites))
    return History(
        tuple(
            _summarise_suite(
                suite_runs[0][0], [*_with_changes((run for _, run in suite_runs), reasons)]
            )
            for suite_runs in suites.values()
        ),
        TIME if by_time else COMMITS,
        (*unread, *unread_baselines),
        tuple(notes),
    )


def check_side_by_side(paths: Sequence[Path], options: Mapping[str, Any]) -> None:
    """Raise UsageError for options that need a baseline, and for too many results."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} needs exactly one result (got {len(paths)}). Omit it, "
                "or compare the results one by one."
            )
    if len(paths) > MOST_COMPARED:
        raise UsageError(f"Pass at most {MOST_COMPARED} results (got {len(paths)}).")


def read_side_by_side(paths: Sequence[Path]) -> History:
    """Read two or more results of one suite, to show side by side."""
    stored = [StoredRun(file, str(file)) for file in map(result_file, paths)]
    read = [_read(run, whole=True) for run in stored]
    first = read[0][0]
    for one, (suite, _) in zip(stored, read, strict=True):
        if suite.sha256 != first.sha256:
            raise UsageError(
                f"{one.file} is of suite {suite.name} {suite.version} ({suite.sha256[:12]}), but "
                f"{stored[0].file} is of {first.name} {first.version} ({first.sha256[:12]}). Run "
                "both checkpoints on one suite."
            )
    runs = [run for _, run in read]
    notes = []
    if len({tuple(rate.id for rate in run.rates) for run in runs}) > 1:
        notes.append(
            "The runs do not have the same relations, so their overall rates are not comparable."
        )
    notes += [
        f"{run.checkpoint.name} stopped early: its counts and rates cover only what was run."
        for run in runs
        if run.stopped
    ]
    known = [run.checkpoint.fingerprint for run in runs if run.checkpoint.fingerprint]
    if len(known) != len({*known}):
        notes.append("Some results are of the same checkpoint.")
    return History((_summarise_suite(first, runs),), SIDE, (), tuple(notes))


def find(folders: Sequence[Path]) -> list[StoredRun]:
    """Return the results in folders and below them.

    Folders within the folder of a result are not searched, because they belong to that result
    (``base`` of ``qualify``). Links to folders are not followed. Results of a folder are sorted by
    depth and path.
    """
    stored: list[StoredRun] = []
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"Folder {folder} does not exist. Pass results or their parents.")
        below = _below(folder)
        stored += sorted(below, key=lambda one: (one.place.count("/"), one.place))
    if not stored:
        named = ", ".join(map(str, folders[:3])) + (", ..." if len(folders) > 3 else "")
        raise CannotJudge(
            f"No {RESULT} in {named} or up to {DEEPEST} folders below. Pass --out folders of "
            "'mt-gate run'."
        )
    return stored


def _below(folder: Path) -> Iterator[StoredRun]:
    def refuse(error: OSError) -> None:
        raise CannotJudge(f"{error.filename} cannot be read ({error.strerror}). Check access.")

    for seen, (path, inner, files) in enumerate(os.walk(folder, onerror=refuse), 1):
        place = Path(path).relative_to(folder)
        if RESULT in files:
            yield StoredRun(Path(path, RESULT), place.as_posix() if place.parts else str(folder))
        if RESULT in files or len(place.parts) == DEEPEST:
            inner.clear()
        if seen > MOST_FOLDERS:
            raise UsageError(
                f"{folder} contains more than {MOST_FOLDERS} folders. Pass only those with results."
            )


def _read(stored: StoredRun, *, whole: bool = False) -> tuple[SuiteHead, PastRun]:
    """Read a stored run. Its groups, which ``whole`` requires, give the intervals of rates."""
    result = read_result(stored.file)
    assert result.run is not None, "read from a file"
    measured = None
    if whole or (stored.file.parent / GROUPS).exists():
        measured = rates(result, read_rows(stored.file, result))
    against = result.anchor.margin if result.anchor else None
    rates_of_relations = [
        _rate(item.id, item.groups, item, measured and measured.relations[item.id], item.tier)
        for item in result.relations
    ]
    groups = sum(relation.groups for relation in result.relations)
    tier = Tier.BLOCK if result.settings.policy.has_tiers else None
    pooled = _rate("", groups, result.overall, measured and measured.overall, tier)
    run = PastRun(
        place=stored.place,
        id=result.run.id,
        created=_time(stored.file, result.created).isoformat(timespec="seconds"),
        checkpoint=result.checkpoint,
        verdict=result.verdict,
        margin=result.settings.margin if against is None else against,
        rates=(*rates_of_relations, pooled),
        baseline=result.baseline,
        anchor=result.anchor,
        stopped=bool(result.early and result.early.stopped),
    )
    return result.suite, run


def _time(file: Path, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise CannotJudge(
            f"{file}: created is {quoted(text)}. Expected a time such as "
            "2026-01-31T12:00:00+00:00. Run 'mt-gate run' again."
        ) from None


def _rate(
    name: str,
    groups: int,
    counts: RelationResult | Overall,
    rate: Rate | None,
    tier: Tier | None,
) -> PastRate:
    comparison = counts.comparison
    return PastRate(
        id=name,
        groups=groups,
        applicable=counts.applicable,
        violated=counts.violated,
        rate=counts.violation_rate,
        ci95=rate.ci95 if rate else None,
        decision=comparison.decision if comparison else None,
        tone=shown_state(counts).tone,
        delta=comparison.delta if comparison else None,
        delta_ci95=comparison.ci95 if comparison else None,
        tier=tier,
    )


def _read_reasons(paths: Iterable[Path]) -> tuple[dict[tuple[str, str], str], tuple[str, ...]]:
    """Return reasons of baselines by (name, time recorded), and messages on unreadable files."""
    reasons: dict[tuple[str, str], str] = {}
    unread: list[str] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist. Pass old baselines, or their folder.")
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            try:
                baseline = read_baseline(file)
            except CannotJudge as error:
                unread.append(str(error))
            else:
                reasons[baseline.name, baseline.recorded] = baseline.accept or ""
    return reasons, tuple(unread)


def _summarise_suite(suite: SuiteHead, runs: Sequence[PastRun]) -> SuiteHistory:
    names = dict.fromkeys(rate.id for run in runs for rate in run.rates if rate.id)
    return SuiteHistory(suite, tuple(runs), tuple(names))


def _with_changes(
    runs: Iterable[PastRun], reasons: Mapping[tuple[str, str], str]
) -> Iterator[PastRun]:
    """Yield the runs, with ``rerecorded`` set if the baseline differs from the previous run's."""
    before: tuple[str, str] | None = None
    for run in runs:
        # A base that ran in the same job is not a recorded baseline, and differs in every run.
        if run.baseline is None or run.baseline.against:
            yield run
            continue
        now = (run.baseline.name, run.baseline.recorded)
        changed = before is not None and now != before
        yield run._replace(rerecorded=Rerecorded(*now, reasons.get(now))) if changed else run
        before = now


def _notes(
    older: int, copies: int, chosen: Sequence[tuple[SuiteHead, PastRun]], suites: int
) -> Iterator[str]:
    if older:
        yield (
            f"{figures.counted(older, 'older result')} omitted: at most "
            f"{figures.count(MOST_RUNS)} are shown"
        )
    if copies:
        yield f"{figures.counted(copies, 'result')} omitted: the same run is already included"
    overall = [run.overall for _, run in chosen]
    if bare := sum(rate.rate is not None and rate.ci95 is None for rate in overall):
        yield f"{figures.counted(bare, 'run')} without intervals, because no cases are stored"
    if stopped := sum(run.stopped for _, run in chosen):
        yield f"{figures.counted(stopped, 'run')} stopped early: rates cover only what was run"
    if suites > 1:
        yield f"{suites} suites or subsets, shown separately: their rates are not comparable"
