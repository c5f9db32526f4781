"""The comment on a pull request: one per gate, found by a hidden marker.

A failure to write the comment is a notice. It does not fail the check, which is on the checkpoint.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from mt_gate import __version__
from mt_gate.base.console import print_command
from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, page, quoted, reported
from mt_gate.base.escaping import command_data, hide, log_line, markdown, one_line, shorten
from mt_gate.github.base_commit import read_event, step_input
from mt_gate.reporting.words.first_screen import Rows, gather
from mt_gate.reporting.words.texts import Catalogue, gate_name, relation_texts
from mt_gate.reporting.writers.markdown import COMMENT_LIMIT, Frame, heading, summary
from mt_gate.results.result import GateVerdict, Result
from mt_gate.results.store import read_result, read_rows, result_file

Say = Callable[[str], None]
API = "https://api.github.com"
EVENTS = ("pull_request", "pull_request_target")
INPUTS = ("comment", "github-token")
"""The action's inputs that concern only the comment."""
LONGEST_NAME = 100
LONGEST_RUN = 18
"""Maximum digits of a run's id."""
MOST_COMMENTS = 5_000
"""Maximum comments to search; GitHub allows 2,500 on one pull request."""
TRIES, BACKOFF, LONGEST_WAIT = 3, 1.0, 60
"""Maximum retries of a request, backoff factor in seconds, and longest wait for a rate limit."""
_TIMEOUT = 20
_MARKED = "<!-- mt-gate comment "
_MOST_GATES, _LONGEST_TABLE = 15, 6_000
"""Maximum gates in the table of a run, and characters reserved for the table."""
_HEADING = re.compile(r"^### (:\w+:) mt-gate(?: \((.{1,1500}?)\))?: (.{1,1500})$", re.MULTILINE)
_TABLE = re.compile(r"\n\n<!-- mt-gate gates -->\n.*?\n<!-- mt-gate gates end -->", re.DOTALL)
_LONG_MESSAGE, _LONG_ANSWER, _LONGEST_LINK = 4_000, 200, 2_000
_RUN = re.compile(rf"<!-- mt-gate run (\d{{1,{LONGEST_RUN}}}) -->\s*\Z", re.ASCII)
# Owners with an underscore are users that an enterprise manages.
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}")
_API = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?")
# Links for Markdown's <...>, without characters that could end it.
_LINK = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][A-Za-z0-9._~/?#@!$&'*+,;=:%-]*)?")
_RENAMED = "Was the repository renamed or moved? Use its current name"
_NO_PULL = "Pass the number of the pull request with --pull N."
_WHAT_TO_DO = (
    ". The token may not write there. Give the job the permission pull-requests: write (on pull "
    "requests from forks it is never granted: "
    f"{page('pull-requests')})"
)
_OF_A_FORK = (
    "These results are from the pull request's own workflow. Its author may have changed the "
    "workflow, the gate and the figures. mt-gate did not compute them again.",
)


class Mode(StrEnum):
    """When a comment is created. An existing comment is updated in all modes except ``never``."""

    ALWAYS = "always"
    CHANGES = "changes"
    REGRESSIONS = "regressions"
    NEVER = "never"


class Body(NamedTuple):
    """A comment's text below its marker, whether anything changed, and whether the gate failed."""

    text: str
    changed: bool
    failed: bool

    def is_wanted(self, mode: Mode) -> bool:
        """Return whether to create a comment if there is none yet."""
        if mode is Mode.CHANGES:
            return self.changed or self.failed
        return mode is Mode.ALWAYS or (mode is Mode.REGRESSIONS and self.failed)


class Target(NamedTuple):
    """A pull request with API address and token. ``token`` is secret and never printed."""

    repository: str
    pull: int
    api: str
    token: str

    def __repr__(self) -> str:
        """Return the target without its token."""
        return f"Target({self.repository}#{self.pull} at {self.api})"


class ApiFailure(Exception):  # noqa: N818 - a state of the other side, not a defect here
    """A failed request to GitHub: the HTTP status (0 without a reply), and the reason."""

    def __init__(self, status: int, message: str) -> None:
        """Make the message safe for one line."""
        self.status = status
        super().__init__(shorten(one_line(message), _LONG_ANSWER))


class Message(NamedTuple):
    """A line for the log; a notice needs attention."""

    text: str
    notice: bool = False


def comment_stored(
    path: Path,
    environment: Mapping[str, str],
    say: Say,
    *,
    repo: str | None,
    pull: int | None,
    name: str | None,
    mode: Mode,
    link: str | None,
) -> None:
    """Comment on a stored result; parameters that are None come from the environment.

    Raises UsageError: an argument or variable is invalid.
    """
    path = result_file(path)
    result = read_result(path)
    gate = checked_name(gate_name(result) if name is None else name)
    link = run_link(environment) if link is None else checked_link(link)
    if mode is Mode.NEVER:
        say("comment: not written, because the mode is never")
        return
    target = find_target(environment, repo, pull, environment.get("GITHUB_TOKEN", "").strip())
    # A workflow of event workflow_run comments on the result of an untrusted workflow.
    under = _OF_A_FORK if environment.get("GITHUB_EVENT_NAME") == "workflow_run" else ()
    body = body_of(result, lambda: read_rows(path, result), relation_texts(), gate, link, under)
    for message in post(target, gate, body, mode, run_id(environment)):
        say(message.text)


def comment_in_step(
    environment: Mapping[str, str], make_body: Callable[[str, str], Body], name: str, say: Say
) -> None:
    """Comment on the pull request that a step of the action runs for, if any.

    Every failure is a notice: the check is on the checkpoint, not on a comment. ``make_body`` gets
    the gate's ``name`` and the link to the report.
    """
    text = step_input(environment, "comment") or Mode.CHANGES
    try:
        if text not in [*Mode]:
            raise UsageError(f"comment is {quoted(text)}. Expected one of {', '.join(Mode)}.")
        mode = Mode(text)
        if mode is Mode.NEVER or environment.get("GITHUB_EVENT_NAME") not in EVENTS:
            return
        gate = checked_name(name)
        target = find_target(environment, None, None, step_input(environment, "github-token"))
        body = make_body(gate, run_link(environment))
        messages = post(target, gate, body, mode, run_id(environment))
    except MtGateError as error:
        messages = [Message(str(error), notice=True)]
    except Exception as error:  # no error in commenting may fail the check
        failed = f"The comment was not written ({type(error).__name__}: {reported(error)})"
        messages = [Message(failed, True)]
    print_messages(messages, say)


def print_messages(messages: Iterable[Message], say: Say) -> None:
    """Print messages to a workflow's log; notices are workflow commands."""
    for text, notice in messages:
        if notice:
            print_command(f"::notice title=mt-gate comment::{command_data(log_line(text))}")
        else:
            say(text)


def body_of(
    result: Result,
    rows: Rows,
    catalogue: Catalogue,
    gate: str,
    link: str,
    under: tuple[str, ...] = (),
) -> Body:
    """Return the comment on a run, shorter than 65,536 characters including its marker.

    ``link`` is the checked address of the report; ``under`` are sentences under the verdict.
    """
    hidden = marker(gate), run_mark(10**LONGEST_RUN)
    room = COMMENT_LIMIT - sum(map(len, hidden)) - 4 - _LONGEST_TABLE
    texts = {**relation_texts(result), **catalogue}
    text = summary(result, gather(result, rows), texts, room, Frame(gate, link, under))
    every = [*(item.comparison for item in result.relations), result.overall.comparison]
    changed = result.verdict not in (GateVerdict.PASS, GateVerdict.MEASURED) or any(
        comparison.new_violations
        or comparison.fixed_violations
        or comparison.delta
        or ((of := comparison.applicability) and (of.only_baseline or of.only_candidate))
        for comparison in filter(None, every)
    )
    return Body(text, changed, failed=result.exit_code != 0)


def body_of_failure(message: str, gate: str, link: str, under: tuple[str, ...] = ()) -> Body:
    """Return the comment on a run without a result; ``under`` are sentences below the message."""
    head = heading(GateVerdict.CANNOT_JUDGE, "cannot judge, the check fails", gate)
    texts = [markdown(shorten(text, _LONG_MESSAGE)) for text in (message, *under)]
    parts = [head, *texts, f"[Open the run](<{link}>)." if link else ""]
    return Body("\n\n".join(part for part in parts if part) + "\n", changed=True, failed=True)


def post(target: Target, gate: str, body: Body, mode: Mode, run: int = 0) -> list[Message]:
    """Update the gate's comment or create it; return messages about it.

    If GitHub refuses or does not reply, return a notice. A comment of a later run is not changed.
    ``run`` is the id of the workflow's run, 0 if unknown.
    """
    place = log_line(f"comment of gate {gate} on {target.repository}, pull request {target.pull}")
    text = f"{marker(gate)}\n{body.text}"
    if run:
        text = f"{text.rstrip()}\n\n{run_mark(run)}\n"
    try:
        outcome, others = _put(target, gate, text, body.is_wanted(mode), run)
    except ApiFailure as failure:
        refused = failure.status in (401, 403, 404)
        hint = _WHAT_TO_DO if refused else ". This does not change the verdict"
        words = f"{place} was not written. GitHub's reply: {failure}{hint}"
        return [Message(log_line(words), True)]
    outcome = outcome or f"not written, nothing to report in mode {mode}"
    messages = [Message(f"{place}: {outcome}")]
    if others:
        text = f"{others} more comments of this gate are below the updated one. Delete them"
        messages.append(Message(f"{place}: {text}", True))
    return messages


def _put(target: Target, gate: str, text: str, wanted: bool, run: int) -> tuple[str, int]:
    """Write a comment; return what was done, and the number of the gate's other comments.

    Edit only comments that begin with the marker and are by a bot or the token's user, because
    anybody may write a marker.
    """
    try:
        from requests import RequestException

        from github import Auth, Github, GithubException, GithubRetry
    except ImportError:
        raise CannotJudge("PyGithub is not installed. Run pip install 'mt-gate[github]'") from None
    # PyGithub logs whole responses; the failures have the relevant parts.
    logging.getLogger("github").setLevel(logging.CRITICAL)
    client = Github(
        auth=Auth.Token(target.token),
        base_url=target.api,
        timeout=_TIMEOUT,
        user_agent=f"mt-gate/{__version__}",
        per_page=100,
        retry=GithubRetry(
            total=TRIES,
            backoff_factor=BACKOFF,
            secondary_rate_wait=LONGEST_WAIT,
            max_rate_limit_wait=LONGEST_WAIT,
            retry_after_max=LONGEST_WAIT,
            status_forcelist=[429, *range(500, 600)],
            # Retry POST too: a duplicate comment does less harm than none.
            allowed_methods=frozenset({"GET", "POST", "PATCH"}),
            raise_on_status=False,
        ),
        seconds_between_requests=0,
        lazy=True,  # do not fetch repository and pull request before the comments
        api_version=None,  # GitHub Enterprise Server has different API versions
    )
    try:
        issue = client.get_repo(target.repository).get_issue(target.pull)
        comments = islice(issue.get_comments(), MOST_COMMENTS)
        marked = [item for item in comments if (item.body or "").startswith(_MARKED)]
        # A deleted account leaves no user.
        trusted = [item for item in marked if item.user and item.user.type == "Bot"]
        if len(trusted) < len(marked):
            try:
                login = client.get_user().login
            except GithubException as error:
                if error.status not in (401, 403, 404):
                    raise
                login = None  # a workflow's token does not belong to a user
            others = (item for item in marked if item not in trusted)
            trusted += [item for item in others if item.user and item.user.login == login]
        requester, place = issue.requester, issue.url
        address = f"{place.rpartition('/')[0]}/comments/"
        own = [item for item in trusted if item.body.startswith(marker(gate))]
        own.sort(key=lambda item: item.id)
        newer = _RUN.search(own[0].body) if own else None
        if newer and 0 < run < int(newer[1]):
            return "not written, because it is about a later run", len(own) - 1
        if not own and not wanted:
            return "", 0
        bodies = {  # comments of the run's other gates; the first one has a table of all gates
            item.id: item.body
            for item in trusted
            if item not in own and run and (of := _RUN.search(item.body)) and int(of[1]) == run
        }
        first = min(bodies, default=0)
        is_first = bool(own) and own[0].id < first
        if is_first:
            text = with_table(text, [text, *bodies.values()])
        if own:
            _write(requester, "PATCH", f"{address}{own[0].id}", text)
        else:
            _write(requester, "POST", f"{place}/comments", text)
        if bodies and not is_first:
            table = with_table(bodies[first], [*bodies.values(), text])
            _write(requester, "PATCH", f"{address}{first}", table)
        return ("updated" if own else "created"), max(len(own) - 1, 0)
    except GithubException as error:
        data = error.data if isinstance(error.data, dict) else {}
        reason = error.message or data.get("message") or "no reason"
        raise ApiFailure(error.status, f"{error.status}, {reason}") from None
    except RequestException as error:
        raise ApiFailure(0, f"none ({type(error).__name__})") from None
    except ApiFailure:
        raise
    except RuntimeError as error:  # the library raises it for a redirect that it does not follow
        nested = isinstance(error, RecursionError)
        text = "JSON that is nested too deeply" if nested else "a redirect to another address"
        raise ApiFailure(0, text if nested else f"{text}. {_RENAMED}") from None
    except Exception as error:  # the library raises many errors if a response is not GitHub's
        text = f"it is not from the API ({type(error).__name__})"
        raise ApiFailure(0, text) from None
    finally:
        client.close()


def _write(requester: Any, verb: str, address: str, text: str) -> None:
    """Write a comment, and check that the response contains one.

    The library's own methods treat a redirect as success, and fetch missing fields from an address
    in the response.
    """
    status, headers, answer = requester.requestJson(verb, address, input={"body": hide(text)})
    try:
        data = json.loads(answer)
    except (ValueError, RecursionError):
        data = None
    data = data if isinstance(data, dict) else {}
    if status >= 400:
        raise requester.createException(status, headers, data)
    if not 200 <= status < 300:
        raise ApiFailure(status, f"{status}, a redirect. {_RENAMED}")
    if type(data.get("id")) is not int:
        raise ApiFailure(0, "it has no comment, so none was written")


def with_table(body: str, bodies: Iterable[str]) -> str:
    """Return a comment with a table of all gates of its run under its heading.

    ``bodies`` are the comments of that run. Comments without mt-gate's heading are skipped.
    """
    heads = [head.groups() for text in bodies if (head := _HEADING.search(text))]
    rows = [f"| {sign} | {gate or ''} | {words} |" for sign, gate, words in sorted(heads, key=str)]
    lines = ["| | Gate | Result |", "| --- | --- | --- |", *rows[:_MOST_GATES]]
    if rows[_MOST_GATES:]:
        lines.append(f"| | | and {len(rows) - _MOST_GATES} more |")
    table = "\n".join(("<!-- mt-gate gates -->", "", *lines, "", "<!-- mt-gate gates end -->"))
    bare = _TABLE.sub("", body)
    head = _HEADING.search(bare)
    if head is None or len(bare) + len(table) > COMMENT_LIMIT:
        return body
    return f"{bare[: head.end()]}\n\n{table}{bare[head.end() :]}"


def marker(gate: str) -> str:
    """Return the hidden first line of a gate's comment.

    All characters except ASCII letters, digits, ``_`` and ``.`` are percent-encoded. So no name can
    close the HTML comment, and no marker is a prefix of another gate's marker.
    """
    named = quote(gate, safe="", errors="surrogatepass")
    return f"{_MARKED}{named.replace('-', '%2D').replace('~', '%7E')} -->"


def run_mark(run: int) -> str:
    """Return the hidden last line of a comment: the id of its run."""
    return f"<!-- mt-gate run {run} -->"


def find_target(
    environment: Mapping[str, str], repository: str | None, pull: int | None, token: str
) -> Target:
    """Return the pull request from arguments, or from GitHub's environment variables.

    Raises UsageError: a value is missing or malformed.
    """
    name = repository or environment.get("GITHUB_REPOSITORY", "").strip()
    if not _REPOSITORY.fullmatch(name):
        raise UsageError(
            f"--repo is {quoted(name)}. Expected OWNER/NAME, here or in GITHUB_REPOSITORY."
        )
    api = environment.get("GITHUB_API_URL", "").strip() or API
    if not _API.fullmatch(api):
        raise UsageError(f"GITHUB_API_URL is {quoted(api)}. Expected an address such as {API}")
    if not re.fullmatch(r"[!-~]+", token):
        raise UsageError(
            f"GITHUB_TOKEN is {'empty' if not token else 'not a token'}. Set it to a token that "
            "may write comments (pull-requests: write)."
        )
    if pull is None:
        event = environment.get("GITHUB_EVENT_PATH", "").strip()
        if not event:
            raise UsageError(f"GITHUB_EVENT_PATH is not set. {_NO_PULL}")
        about = read_event(Path(event), dict[str, Any], _NO_PULL).get("pull_request")
        pull = about.get("number") if isinstance(about, dict) else None
        if not isinstance(pull, int) or isinstance(pull, bool) or pull < 1:
            raise UsageError(f"The event in {event} is not about a pull request. {_NO_PULL}")
    return Target(name, pull, api.rstrip("/"), token)


def run_link(environment: Mapping[str, str]) -> str:
    """Return the address of the artifacts of a workflow's run; empty outside a workflow."""
    parts = [
        environment.get(name, "").strip()
        for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    ]
    link = f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}#artifacts"
    return link if all(parts) and _LINK.fullmatch(link) else ""


def run_id(environment: Mapping[str, str]) -> int:
    """Return the id of a workflow's run, which is higher for later runs; 0 outside a workflow."""
    text = environment.get("GITHUB_RUN_ID", "").strip()
    return int(text) if re.fullmatch(rf"[1-9]\d{{0,{LONGEST_RUN - 1}}}", text, re.ASCII) else 0


def checked_link(link: str) -> str:
    """Return ``link`` if it is an encoded http or https address; raise UsageError otherwise."""
    if len(link) > _LONGEST_LINK or not _LINK.fullmatch(link):
        raise UsageError(
            f"--link is {quoted(link, 200)}. Expected a percent-encoded http or https address of "
            f"at most {_LONGEST_LINK} characters."
        )
    return link


def checked_name(name: str) -> str:
    """Return ``name`` if it is one line, neither empty nor too long; raise UsageError otherwise."""
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or not name.strip():
        raise UsageError(
            f"--name is {quoted(name, 200)}. Expected a line of 1 to {LONGEST_NAME} characters."
        )
    return name
