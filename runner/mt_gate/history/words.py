"""The words of a history, alike on the page and on a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from mt_gate.base import figures
from mt_gate.history.records import History, PastRate, PastRun, Rerecorded, SuiteHistory
from mt_gate.reporting.words.texts import VERDICT_WORDS
from mt_gate.results.result import AgainstAnchor, ComparisonFigures

CAUTION = (
    "Nothing is judged here: each verdict is the run's own, against its own baseline. An interval "
    "is of one run, for as many groups as its sources are worth."
)
NOT_RUN = "not run"
_DATE = 10
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(Z|\+00:00)")


def rate_text(rate: PastRate | None) -> str:
    """Return the rate of a relation in a run."""
    return NOT_RUN if rate is None else figures.percent(rate.rate)


def rate_in_words(rate: PastRate | None) -> str:
    """Return the rate with its interval."""
    if rate is None or rate.ci95 is None:
        return rate_text(rate)
    return f"{rate_text(rate)} ({figures.between(rate.ci95)})"


def distance(anchor: AgainstAnchor | None) -> str:
    """Return how far a run is from its anchor; empty where it has none."""
    if anchor is None:
        return ""
    found: ComparisonFigures = anchor.figures
    return figures.change(found.delta, found.ci95)


def reason_text(found: Rerecorded) -> str:
    """Return why a baseline was recorded."""
    if found.reason is None:
        return "reason not known: give the baseline with --baselines"
    return found.reason or "no reason was needed"


def day(created: str) -> str:
    """Return the day of a time in ISO 8601."""
    return created[:_DATE]


def moment(text: str) -> str:
    """Return a time of a result, or of a baseline, to the minute; what is none as it is."""
    found = _MOMENT.fullmatch(text)
    return f"{found[1]} {found[2]}" if found else text


def span(of: SuiteHistory) -> str:
    """Return the first and the last day of a suite's runs."""
    days = sorted({day(run.created) for run in of.runs})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def verdicts(of: SuiteHistory) -> str:
    """Return "Pass 5, Regression 1", the most frequent first."""
    counted = Counter(run.verdict for run in of.runs).most_common()
    return ", ".join(f"{VERDICT_WORDS[verdict]} {figures.count(n)}" for verdict, n in counted)


def suite_name(of: SuiteHistory) -> str:
    """Return what a suite's section is called; a part of a suite says of what it is."""
    part = f" ({'; '.join(of.suite.part)})" if of.suite.part else ""
    return f"{of.suite.name}, version {of.suite.version}{part}"


def checkpoints(of: SuiteHistory) -> int:
    """Return how many checkpoints were run; one without fingerprint counts by its name."""
    return len({run.checkpoint.fingerprint or run.checkpoint.name for run in of.runs})


def changes(of: SuiteHistory) -> list[tuple[PastRun, Rerecorded]]:
    """Return the runs that were the first to be held against a baseline recorded again."""
    return [(run, run.rerecorded) for run in of.runs if run.rerecorded]


def lines(history: History) -> Iterator[str]:
    """Yield the history for a terminal or a build log, a few lines a suite."""
    for of in history.suites:
        first, last = of.runs[0], of.runs[-1]
        yield (
            f"{suite_name(of)}: {figures.counted(len(of.runs), 'run')} of "
            f"{figures.counted(checkpoints(of), 'checkpoint')}, {span(of)}"
        )
        yield f"  verdicts: {verdicts(of)}"
        yield f"  violation rate, all relations: {rate_in_words(last.overall)}"
        if last != first:
            yield f"  of the first run: {rate_in_words(first.overall)}"
        if last.anchor:
            of_what = ", relations that block" if last.overall.tier else ""
            yield f"  against the anchor{of_what}: {distance(last.anchor)}"
        for run, found in changes(of):
            yield f"  baseline recorded again before {run.place}: {reason_text(found)}"
    for note in history.notes:
        yield f"  - {note}"
