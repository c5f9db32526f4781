"""``mt-gate comment``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS, UsageError
from mt_gate.commands import options


@click.command()
@click.argument("result", type=options.PATH, required=False)
@click.option("--repo", metavar="OWNER/NAME", help="Repository [default: GITHUB_REPOSITORY].")
@click.option(
    "--pull",
    metavar="N",
    type=click.IntRange(1),
    help="Pull request [default: that of the event, GITHUB_EVENT_PATH].",
)
@click.option("--name", metavar="GATE", help="One comment per gate [default: the task].")
@click.option(
    "--mode",
    type=click.Choice(["always", "changes", "regressions", "never"]),
    default="changes",
    show_default=True,
    help="When a comment is made; one that exists is updated.",
)
@click.option(
    "--link", metavar="URL", help="Address of the whole report [default: the workflow's run]."
)
@click.option(
    "--workflow-run",
    is_flag=True,
    help="Take the result from the artifact of the run that the event workflow_run is about.",
)
@click.option("--artifact", metavar="NAME", help="Name of the run's artifact [default: mt-gate].")
def comment(
    result: Path | None, workflow_run: bool, artifact: str | None, mode: str, **given: Any
) -> int:
    """Comment on a pull request with a stored result; the token is GITHUB_TOKEN."""
    from mt_gate.github.pull_requests.comment import CommentOptions, Mode, comment_stored
    from mt_gate.reporting.words.texts import relation_texts

    if workflow_run:
        return _comment_on_run(result, artifact, Mode(mode), given)
    if result is None or artifact is not None:
        raise UsageError(
            "comment: expected a RESULT without --artifact, or --workflow-run without a RESULT"
        )
    asked = CommentOptions(given["repo"], given["pull"], given["name"], Mode(mode), given["link"])
    comment_stored(result, asked, relation_texts(), os.environ, say)
    return PASS


def _comment_on_run(
    result: Path | None, artifact: str | None, mode: Any, given: dict[str, Any]
) -> int:
    from mt_gate.github.pull_requests.after_run import ARTIFACT, RunOptions, comment_on_run
    from mt_gate.reporting.words.texts import relation_texts

    if result or any(given[name] is not None for name in ("repo", "pull", "link")):
        raise UsageError(
            "--workflow-run finds result, repository, pull request and link from the event; "
            "expected no RESULT, --repo, --pull or --link"
        )
    asked = RunOptions(given["name"], artifact or ARTIFACT, mode)
    comment_on_run(asked, relation_texts(), os.environ, say)
    return PASS
