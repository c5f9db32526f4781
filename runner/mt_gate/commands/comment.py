"""``mt-gate comment``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.commands import options


@click.command()
@click.argument("result", type=options.PATH)
@click.option("--repo", metavar="OWNER/NAME", help="Repository [default: GITHUB_REPOSITORY].")
@click.option(
    "--pull",
    metavar="N",
    type=click.IntRange(1),
    help="Number of the pull request [default: from GITHUB_EVENT_PATH].",
)
@options.setting("name", "the run's")
@click.option(
    "--mode",
    type=click.Choice(["always", "changes", "regressions", "never"]),
    default="changes",
    show_default=True,
    help="When to create a comment. An existing one is always updated, except with never.",
)
@click.option("--link", metavar="URL", help="Link to the full report [default: the workflow run].")
def comment(result: Path, mode: str, **values: Any) -> None:
    """Comment on a pull request with a stored result.

    The token is read from GITHUB_TOKEN.
    """
    from mt_gate.github.comment import Mode, comment_stored

    comment_stored(result, os.environ, say, mode=Mode(mode), **values)
