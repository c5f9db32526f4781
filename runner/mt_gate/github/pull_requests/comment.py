"""``mt-gate comment``, and the action's comment: when there is one, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge
from mt_gate.base.escaping import log_line, markdown
from mt_gate.base.redaction import shorten
from mt_gate.github.pull_requests import sticky
from mt_gate.github.pull_requests.target import (
    Target,
    checked_link,
    checked_name,
    run_id,
    run_link,
    target,
)
from mt_gate.github.pull_requests.thread import ApiFailure
from mt_gate.reporting.words.gathering import Rows
from mt_gate.reporting.words.texts import Catalogue, with_stated
from mt_gate.reporting.writers.markdown import COMMENT_LIMIT, Frame, footing, heading, summary
from mt_gate.results.result import Comparison, GateVerdict, Result
from mt_gate.results.store import read_result, read_rows, result_file

Say = Callable[[str], None]
_LONG_MESSAGE = 4_000
_REFUSED = (401, 403, 404)
_WHAT_TO_DO = (
    "; the token may not write there: give the job the permission pull-requests: write (on pull "
    "requests from forks it is never granted: docs/pull-requests.md)"
)
INSTALL = "PyGithub is not installed; pip install 'mt-gate[github]'"


class Mode(StrEnum):
    """When a comment is made. One that is there already is updated in all but ``never``."""

    ALWAYS = "always"
    CHANGES = "changes"
    REGRESSIONS = "regressions"
    NEVER = "never"


@dataclass(frozen=True)
class Body:
    """A comment's text below its marker, and whether each mode makes one of it."""

    text: str
    changed: bool
    failed: bool

    def wanted(self, mode: Mode) -> bool:
        """Say whether a comment is made where there is none yet."""
        if mode is Mode.CHANGES:
            return self.changed or self.failed
        return mode is Mode.ALWAYS or (mode is Mode.REGRESSIONS and self.failed)


def body_of(
    result: Result,
    rows: Rows,
    catalogue: Catalogue,
    gate: str,
    link: str,
    under: tuple[str, ...] = (),
) -> Body:
    """Return the comment on a run, of less than 65,536 characters with its marker.

    Args:
        result: the run.
        rows: returns a fresh iterator over the run's groups.
        catalogue: title, description and example of each relation.
        gate: the gate's name.
        link: where the whole report is, checked; empty for nowhere.
        under: sentences right under the verdict.
    """
    hidden = sticky.marker(gate), sticky.run_mark(10**sticky.LONGEST_RUN)
    room = COMMENT_LIMIT - sum(map(len, hidden)) - 4
    texts = with_stated(catalogue, result)
    text = summary(result, rows, texts, room, Frame(gate, link, under))
    return Body(text, changed=_changed(result), failed=result.exit_code != 0)


def body_of_failure(message: str, gate: str, link: str, under: tuple[str, ...] = ()) -> Body:
    """Return the comment on a run that came to no result; ``under`` are sentences below why."""
    head = heading(GateVerdict.CANNOT_JUDGE, gate)
    texts = [markdown(shorten(text, _LONG_MESSAGE)) for text in (message, *under)]
    parts = [head, *texts, footing("", link)]
    return Body("\n\n".join(part for part in parts if part) + "\n", changed=True, failed=True)


def _changed(result: Result) -> bool:
    """Say whether anything moved against the baseline; without one, nothing did."""
    if result.verdict not in (GateVerdict.PASS, GateVerdict.MEASURED):
        return True
    found = [relation.comparison for relation in result.relations]
    return any(map(_moved, [*found, result.overall.comparison]))


def _moved(comparison: Comparison | None) -> bool:
    if comparison is None:
        return False
    shares = comparison.applicability
    if shares and (shares.only_baseline or shares.only_candidate):
        return True
    return bool(comparison.new_violations or comparison.fixed_violations or comparison.delta)


class Told(NamedTuple):
    """A line on what was done; a notice is one that asks for something to be done."""

    text: str
    notice: bool = False


def post(where: Target, gate: str, body: Body, mode: Mode, run: int = 0) -> list[Told]:
    """Update or make the gate's comment; return what was done, in lines.

    ``run`` is the id of the workflow's run that it is on, 0 where that is not known.

    A refusal of GitHub's, and its silence, are notices, no failures: what becomes of a comment says
    nothing about a checkpoint.

    Raises:
        CannotJudge: the library that speaks with GitHub is not installed.
    """
    try:
        from mt_gate.github.pull_requests.client import open_thread
    except ImportError:
        raise CannotJudge(INSTALL) from None
    place = f"comment of gate {gate} on {where.repository}, pull request {where.pull}"
    text = f"{sticky.marker(gate)}\n{body.text}"
    try:
        with open_thread(where) as thread:
            done = sticky.put(thread, gate, text, only_update=not body.wanted(mode), run=run)
    except ApiFailure as failure:
        hint = _WHAT_TO_DO if failure.status in _REFUSED else "; the result is not affected"
        return [Told(log_line(f"{place}: not written, GitHub says: {failure}{hint}"), True)]
    return _outcome_lines(log_line(place), done, mode)


def _outcome_lines(place: str, outcome: sticky.CommentOutcome, mode: Mode) -> list[Told]:
    if outcome.done is sticky.Done.LEFT_OUT:
        return [Told(f"{place}: not written, nothing to report in mode {mode}")]
    if outcome.done is sticky.Done.OUTDATED:
        return [Told(f"{place}: not written, it is on a later run than this one")]
    lines = [Told(f"{place}: {outcome.done}")]
    if outcome.others:
        more = f"{outcome.others} more of this name are below the one updated; delete them"
        lines.append(Told(f"{place}: {more}", True))
    return lines


@dataclass(frozen=True)
class CommentOptions:
    """The arguments of ``mt-gate comment``; what is None comes from the environment."""

    repository: str | None = None
    pull: int | None = None
    name: str | None = None
    mode: Mode = Mode.CHANGES
    link: str | None = None


def comment_stored(
    path: Path,
    asked: CommentOptions,
    catalogue: Catalogue,
    environment: Mapping[str, str],
    say: Say,
) -> None:
    """Comment on a stored result.

    Raises:
        UsageError: an argument, or what stands in its place in the environment, is not usable.
        CannotJudge: the result is missing or unreadable, or PyGithub is not installed.
    """
    path = result_file(path)
    result = read_result(path)
    gate = checked_name(result.suite.task if asked.name is None else asked.name)
    link = run_link(environment) if asked.link is None else checked_link(asked.link)
    if asked.mode is Mode.NEVER:
        say("comment: mode never, nothing is written")
        return
    token = environment.get("GITHUB_TOKEN", "").strip()
    where = target(environment, asked.repository, asked.pull, token)
    body = body_of(result, lambda: read_rows(path, result), catalogue, gate, link)
    for line in post(where, gate, body, asked.mode, run_id(environment)):
        say(line.text)
