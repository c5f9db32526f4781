"""``mt-gate comment --workflow-run``: on a run that has ended, and whose token could not comment.

A workflow on pull requests from forks may not write. A second one, started when it has ended, may;
it runs nothing of the pull request, and takes from the first one only its artifact. Whose pull
request it is says the event; what the artifact holds is a stranger's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.escaping import log_line
from mt_gate.base.redaction import shorten
from mt_gate.base.scratch import scratch
from mt_gate.github.pull_requests import artifact
from mt_gate.github.pull_requests.comment import INSTALL, Body, Mode, Say, Told, body_of, post
from mt_gate.github.pull_requests.runs import Artifact, Pull, Runs
from mt_gate.github.pull_requests.step import tell
from mt_gate.github.pull_requests.target import Site, checked_name, run_link, site
from mt_gate.github.pull_requests.thread import ApiFailure
from mt_gate.github.pull_requests.workflow_run import EndedRun, ended_run
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.reporting.writers.markdown import footing, heading
from mt_gate.results.result import GateVerdict, GroupRow
from mt_gate.results.store import read_result, read_rows, result_file, shown
from mt_gate.tasks.table import TASKS

ARTIFACT = "mt-gate"
"""The name of the artifact where no other is asked for."""

TRIGGER = "pull_request"
"""The event of the runs that are commented on."""

_LONG_REASON = 400
_WHAT_TO_DO = (
    "; give the job the permissions actions: read and pull-requests: write (docs/recipes.md)"
)
_NOTHING = "The last run of this gate left no result that can be shown here; its log says why."


@dataclass(frozen=True)
class RunOptions:
    """The arguments of ``mt-gate comment --workflow-run``; ``name`` is the gate's."""

    name: str | None
    artifact: str = ARTIFACT
    mode: Mode = Mode.CHANGES


class _LeftOut(Exception):  # noqa: N818 - no defect: there is nothing to comment, or not on this
    """There is no comment to be made; the text says why."""


def comment_on_run(
    asked: RunOptions, catalogue: Catalogue, environment: Mapping[str, str], say: Say
) -> None:
    """Comment on the pull request of the run that the event is about.

    An artifact that is unfit is a notice, and never a comment that shows any of it.

    Raises:
        UsageError: an argument, or the event, is not usable.
        CannotJudge: the event is unreadable, or PyGithub is not installed.
    """
    if asked.name is None:
        raise UsageError("--workflow-run needs --name GATE: the artifact may have any name")
    gate = checked_name(asked.name)
    run = ended_run(environment)
    if asked.mode is Mode.NEVER:
        say("comment: mode never, nothing is written")
        return
    if run.event != TRIGGER:
        say(f"comment: run {run.id} was started by {log_line(run.event[:50])}, nothing is written")
        return
    where = site(environment, None, environment.get("GITHUB_TOKEN", "").strip())
    if where.repository.lower() != run.repository.lower():
        raise UsageError(f"the event is about {run.repository}, GITHUB_REPOSITORY is another one")
    tell(_comment(where, gate, run, asked, catalogue, run_link(environment, run.id)), say)


def _comment(
    where: Site, gate: str, run: EndedRun, asked: RunOptions, catalogue: Catalogue, link: str
) -> list[Told]:
    try:
        from mt_gate.github.pull_requests.client import open_runs
    except ImportError:
        raise CannotJudge(INSTALL) from None
    try:
        with open_runs(where) as runs:
            pull = _pull(runs.pulls(run.owner, run.branch), run)
            told, body = _body(runs, gate, run, asked.artifact, catalogue, link)
    except _LeftOut as reason:
        return [_notice(gate, run, str(reason))]
    except ApiFailure as failure:
        hint = _WHAT_TO_DO if failure.status in (401, 403, 404) else ""
        return [_notice(gate, run, f"GitHub says: {failure}{hint}")]
    # Of a run without a result only a comment that is there already is told.
    mode = Mode.CHANGES if told else asked.mode
    return [*told, *post(where.target(pull), gate, body, mode, run.id)]


def _pull(found: list[Pull], run: EndedRun) -> int:
    """Return the open pull request whose head is the run's commit.

    Raises:
        _LeftOut: there is none any more, or several.
    """
    numbers = [
        pull.number
        for pull in found
        if pull.sha == run.sha and pull.head.lower() == run.head.lower()
    ]
    named = [number for number in numbers if number in run.pulls] or numbers
    if not named:
        raise _LeftOut(f"no open pull request has the head {run.place}")
    if len(named) > 1:
        raise _LeftOut(f"pull requests {', '.join(map(str, named))} all have the head {run.place}")
    return named[0]


def _body(
    runs: Runs, gate: str, run: EndedRun, name: str, catalogue: Catalogue, link: str
) -> tuple[list[Told], Body]:
    """Return the comment on what a run left; where that is unfit, a notice and one in our words.

    Raises:
        ApiFailure: GitHub refused, or could not be reached.
    """
    try:
        with scratch() as folder:
            path = artifact.unpack(_download(runs, run, name), folder)
            return [], rendered(path, gate, run, catalogue, link)
    except _LeftOut as reason:
        text = str(reason)
    except CannotJudge as reason:
        text = f"artifact {name}: {reason}".replace(f"{folder}/", "")
    parts = [heading(GateVerdict.CANNOT_JUDGE, gate), _NOTHING, footing("", link)]
    body = Body("\n\n".join(part for part in parts if part) + "\n", changed=False, failed=False)
    return [_notice(gate, run, text)], body


def _download(runs: Runs, run: EndedRun, name: str) -> bytes:
    found = [item for item in runs.artifacts(run.id, name) if not item.expired]
    if not found:
        raise _LeftOut(f"it has no artifact {name}, or it has expired")
    newest: Artifact = max(found)
    if newest.size > artifact.MOST_PACKED:
        raise _LeftOut(
            f"artifact {name} has {newest.size} bytes, at most {artifact.MOST_PACKED} expected"
        )
    return runs.download(newest.id, artifact.MOST_PACKED)


def rendered(folder: Path, gate: str, run: EndedRun, catalogue: Catalogue, link: str) -> Body:
    """Return the comment on a stranger's result.

    Raises:
        CannotJudge: it is not of the form that a run writes.
    """
    path = result_file(folder)
    result = read_result(path)
    if result.suite.task not in TASKS:
        raise CannotJudge("an unknown task; expected what a run writes")

    def rows() -> Iterator[GroupRow]:
        return read_rows(path, result)

    return shown(path, lambda: body_of(result, rows, catalogue, gate, link, _origin(run)))


def _origin(run: EndedRun) -> tuple[str, ...]:
    if not run.is_of_fork:
        return ()
    return (
        f"From the run of a fork, {run.head} at {run.sha[:7]}, whose author may have changed the "
        "workflow, the gate and its figures; nothing here was computed again.",
    )


def _notice(gate: str, run: EndedRun, reason: str) -> Told:
    text = f"comment of gate {gate} on run {run.id}: not written: {reason}"
    return Told(log_line(shorten(text, _LONG_REASON)), notice=True)
