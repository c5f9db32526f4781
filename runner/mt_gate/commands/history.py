"""``mt-gate history``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base.console import say
from mt_gate.base.errors import UsageError
from mt_gate.commands import options


@click.command()
@click.argument("folders", type=options.PATH, nargs=-1, required=True, metavar="DIR...")
@click.option(
    "--out",
    type=options.PATH,
    required=True,
    metavar="FILE",
    help="Write this page or table: FILE.html or FILE.csv.",
)
@click.option(
    "--along",
    type=click.Choice(["time", "commits"]),
    default="time",
    show_default=True,
    help="time: order by the time of each run. commits: by the names of the folders.",
)
@click.option(
    "--baselines",
    type=options.PATH,
    multiple=True,
    metavar="PATH",
    help="Old version of a baseline, or a folder of them, to show why it was recorded. Repeatable.",
)
def history(folders: tuple[Path, ...], out: Path, along: str, baselines: tuple[Path, ...]) -> None:
    """Show stored results over time, as a page or a table.

    Each DIR has a result.json, or is a parent folder of such folders. Shows rates with intervals,
    verdicts, why baselines were recorded again, and the distance to the anchor.
    """
    from mt_gate.history.runs import read_history
    from mt_gate.history.views import history_lines, write_history
    from mt_gate.reporting.table import show_lines
    from mt_gate.reporting.words.texts import relation_texts

    if out.suffix.lower() not in (".html", ".csv"):
        raise UsageError(f"--out must end in .html or .csv (got {out}).")
    done = read_history(folders, baselines, by_time=along == "time")
    write_history(out, done, relation_texts())
    show_lines(history_lines(done))
    for message in done.unread:
        say(f"Skipped: {message}")
    say(f"Wrote {out}.")
