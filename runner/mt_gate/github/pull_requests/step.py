"""The comment of the GitHub Action: a step's inputs and event; whatever fails is a notice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mt_gate.base.errors import MtGateError, UsageError, quoted, reported
from mt_gate.base.escaping import command_data, log_line
from mt_gate.base.streams import print_command
from mt_gate.github.pull_requests.comment import Body, Mode, Say, Told, post
from mt_gate.github.pull_requests.target import EVENTS, checked_name, run_id, run_link, target
from mt_gate.github.workflow import step_input

INPUTS = ("comment", "github-token", "name")
"""The action's inputs that say nothing of the run."""

MakeBody = Callable[[str, str], Body]
"""Returns the comment, given the gate's name and the link to the whole report."""


def comment_in_step(
    environment: Mapping[str, str], make_body: MakeBody, task: str, say: Say
) -> None:
    """Comment on the pull request that the step runs for, if it runs for one.

    Nothing that happens here is raised: the check is about the checkpoint, not about a comment.

    Args:
        environment: inputs as ``INPUT_*``, and what GitHub sets.
        make_body: returns the comment.
        task: names a gate that has no name.
        say: takes a line for the log.
    """
    try:
        lines = _comment(environment, make_body, task)
    except MtGateError as error:
        lines = [Told(str(error), notice=True)]
    except Exception as error:  # the last resort, for the reason above
        lines = [Told(f"not written: {type(error).__name__}: {reported(error)}", True)]
    tell(lines, say)


def tell(lines: Iterable[Told], say: Say) -> None:
    """Say lines in a workflow's log, those that ask for something to be done as notices."""
    for line in lines:
        if line.notice:
            print_command(f"::notice title=mt-gate comment::{command_data(log_line(line.text))}")
        else:
            say(line.text)


def _comment(environment: Mapping[str, str], make_body: MakeBody, task: str) -> list[Told]:
    mode = _mode(step_input(environment, "comment"))
    if mode is Mode.NEVER or environment.get("GITHUB_EVENT_NAME") not in EVENTS:
        return []
    gate = checked_name(step_input(environment, "name") or task)
    where = target(environment, None, None, step_input(environment, "github-token"))
    body = make_body(gate, run_link(environment))
    return post(where, gate, body, mode, run_id(environment))


def _mode(text: str) -> Mode:
    try:
        return Mode(text or Mode.CHANGES)
    except ValueError:
        raise UsageError(f"comment is {quoted(text)}; expected one of {', '.join(Mode)}") from None
