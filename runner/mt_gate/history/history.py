"""Stored runs over time or commits, apart by suite; nothing is judged.

A run passes against the baseline before it; what many such runs add up to is seen here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import write_whole
from mt_gate.history import page, table
from mt_gate.history.finding import (
    MOST_RUNS,
    Found,
    Reasons,
    Stored,
    find,
    newest,
    read,
    read_reasons,
)
from mt_gate.history.records import History, PastRate, PastRun, Rerecorded, SuiteHistory
from mt_gate.reporting.words.texts import Catalogue, relation_texts
from mt_gate.results.result import SuiteHead

Writer = Callable[[History, Catalogue], str]
WRITERS: dict[str, Writer] = {
    ".html": page.render,
    ".csv": lambda history, _: table.render(history),
}


def write_history(
    folders: Sequence[Path], out: Path, baselines: Sequence[Path], *, by_time: bool
) -> History:
    """Write the history of stored results.

    Args:
        folders: each with a ``result.json``, or with such folders below.
        out: the file, a page or a table by its ending.
        baselines: files of baselines, or folders of such: why they were recorded.
        by_time: in order of when they were made; otherwise as they are named, a step each.

    Raises:
        UsageError: a path that is not there, or another ending.
        CannotJudge: no result, or none that can be read.
    """
    writer = WRITERS.get(out.suffix.lower())
    if writer is None:
        raise UsageError(f"--out {out}: expected a name that ends in .html or .csv")
    reasons, unread = read_reasons(baselines)
    history = gather(find(folders), reasons, by_time=by_time)
    history = history._replace(unread=(*history.unread, *unread))
    text = writer(history, relation_texts())
    try:
        write_whole(out, text)
    except OSError as error:
        raise UsageError(
            f"--out {out}: cannot be written ({error.strerror}); name another file"
        ) from None
    return history


def gather(found: Sequence[Found], reasons: Reasons, *, by_time: bool) -> History:
    """Read results, and put those of one suite together.

    Raises:
        CannotJudge: none of them can be read.
    """
    taken = newest(found, by_time=by_time)
    stored, unread = _read(taken)
    if not stored:
        more = f" (and {len(unread) - 1} more like it)" if len(unread) > 1 else ""
        raise CannotJudge(f"not one of {figures.counted(len(taken), 'result')}: {unread[0]}{more}")
    kept = {one.run.id: one for one in reversed(stored)}
    chosen = [one for one in stored if kept[one.run.id] is one]
    if by_time:
        chosen.sort(key=lambda one: one.when)
    suites: dict[tuple[object, ...], list[Stored]] = {}
    for one in chosen:
        suites.setdefault(_identity(one.suite), []).append(one)
    return History(
        tuple(_of_suite(runs, reasons) for runs in suites.values()),
        by_time,
        tuple(unread),
        (*_older(len(found) - len(taken)), *_notes(stored, chosen, len(suites))),
    )


def _read(found: Iterable[Found]) -> tuple[list[Stored], list[str]]:
    stored: list[Stored] = []
    unread: list[str] = []
    for one in found:
        try:
            stored.append(read(one))
        except CannotJudge as error:
            unread.append(str(error))
    return stored, unread


def _identity(suite: SuiteHead) -> tuple[object, ...]:
    """Return what two runs must have in common to stand in one line."""
    return suite.sha256, suite.task, suite.part, suite.ontology


def _of_suite(stored: Sequence[Stored], reasons: Reasons) -> SuiteHistory:
    names = dict.fromkeys(rate.id for one in stored for rate in one.run.rates if rate.id)
    return SuiteHistory(
        stored[0].suite,
        tuple(_with_changes([one.run for one in stored], reasons)),
        tuple(names),
    )


def _with_changes(runs: Iterable[PastRun], reasons: Reasons) -> Iterable[PastRun]:
    """Say of each run whether its baseline is another than that of the run before."""
    before: tuple[str, str] | None = None
    for run in runs:
        # What was run in the same job is another each time, and no baseline that was recorded.
        if run.baseline is None or run.baseline.against:
            yield run
            continue
        now = (run.baseline.name, run.baseline.recorded)
        changed = before is not None and now != before
        yield run._replace(rerecorded=Rerecorded(*now, reasons.get(now))) if changed else run
        before = now


def _older(number: int) -> Iterable[str]:
    if number:
        yield (
            f"{figures.counted(number, 'older result')} left out: at most "
            f"{figures.count(MOST_RUNS)} are shown"
        )


def _notes(stored: Sequence[Stored], chosen: Sequence[Stored], suites: int) -> Iterable[str]:
    if copies := len(stored) - len(chosen):
        yield f"{figures.counted(copies, 'result')} left out: the same run is there already"
    if bare := sum(_is_bare(one.run.overall) for one in chosen):
        yield f"{figures.counted(bare, 'run')} without intervals: the groups are not beside"
    if stopped := sum(one.stopped for one in chosen):
        yield f"{figures.counted(stopped, 'run')} stopped early: rates are of what was asked"
    if suites > 1:
        yield f"{suites} suites, or parts of one, each by itself: their rates do not compare"


def _is_bare(rate: PastRate) -> bool:
    return rate.rate is not None and rate.ci95 is None
