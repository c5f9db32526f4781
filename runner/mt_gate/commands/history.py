"""``mt-gate history``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS, UsageError
from mt_gate.commands import options


@click.command()
@click.argument("folders", type=options.PATH, nargs=-1, required=True, metavar="DIR...")
@click.option(
    "--out",
    type=options.PATH,
    required=True,
    metavar="FILE",
    help="Page or table to write: FILE.html or FILE.csv.",
)
@click.option(
    "--along",
    type=click.Choice(["time", "commits"]),
    default="time",
    show_default=True,
    help="Order by when runs were made, or as the folders are named, a step each.",
)
@click.option(
    "--baselines",
    type=options.PATH,
    multiple=True,
    metavar="PATH",
    help="Baseline as it was, or a folder of such: why it was recorded. May be repeated.",
)
def history(folders: tuple[Path, ...], out: Path, along: str, baselines: tuple[Path, ...]) -> int:
    """Show stored results over time or commits, as a page or a table.

    Each DIR has a result.json, or holds folders that do. Rates with intervals, verdicts, baselines
    recorded again and why, distance to the anchor.
    """
    from mt_gate.history.runs import read_history
    from mt_gate.history.views import history_lines, write_history
    from mt_gate.reporting.table import show_lines
    from mt_gate.reporting.words.texts import relation_texts

    if out.suffix.lower() not in (".html", ".csv"):
        raise UsageError(f"--out {out}: expected a name that ends in .html or .csv")
    done = read_history(folders, baselines, by_time=along == "time")
    write_history(out, done, relation_texts())
    show_lines(history_lines(done))
    for message in done.unread:
        say(f"not shown: {message}")
    say(f"{out}: written")
    return PASS
