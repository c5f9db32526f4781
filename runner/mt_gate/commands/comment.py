"""``mt-gate comment``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS
from mt_gate.commands import options


@click.command()
@click.argument("result", type=options.PATH)
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
def comment(result: Path, mode: str, **values: Any) -> int:
    """Comment on a pull request with a stored result; the token is GITHUB_TOKEN."""
    from mt_gate.github.comment import CommentOptions, Mode, comment_stored
    from mt_gate.reporting.words.texts import relation_texts

    chosen = CommentOptions(
        values["repo"], values["pull"], values["name"], Mode(mode), values["link"]
    )
    comment_stored(result, chosen, relation_texts(), os.environ, say)
    return PASS
