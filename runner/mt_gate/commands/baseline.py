"""``mt-gate baseline``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base.console import say
from mt_gate.commands import options


@click.group()
def baseline() -> None:
    """Record, show and compare baselines."""


@baseline.command()
@click.argument("results", metavar="RESULT...", type=options.PATH, nargs=-1, required=True)
@click.option("--name", required=True, help="Name of the baseline and its file.")
@click.option(
    "--dir",
    "folder",
    type=options.PATH,
    default="baselines",
    show_default=True,
    metavar="DIR",
    help="Folder of the baselines.",
)
@click.option(
    "--accept",
    metavar="REASON",
    help="Record a run that regressed or omitted relations, and state why.",
)
@click.option(
    "--new-anchor", is_flag=True, help="Measure later drift from this baseline (needs --accept)."
)
@click.option("--no-answers", is_flag=True, help="Store only verdicts, not predictions.")
def record(
    results: tuple[Path, ...],
    name: str,
    folder: Path,
    accept: str | None,
    new_anchor: bool,
    no_answers: bool,
) -> None:
    """Record results as the baseline that later runs are compared with.

    Pass up to five: one recipe trained with several seeds, or the last good releases. Only the
    first one's predictions are stored.
    """
    from mt_gate.results.store import result_file
    from mt_gate.stored_results import record_stored

    paths = [result_file(result) for result in results]
    recorded = record_stored(
        paths, name, folder, accept, answers=not no_answers, new_anchor=new_anchor
    )
    files, them = " and ".join(map(str, recorded.paths)), "them" if recorded.paths[1:] else "it"
    say(
        f"Recorded {files}. Commit {them}. Runs with --baseline {recorded.paths[0]} are then "
        f"compared with {'it' if not recorded.paths[1:] else 'this baseline'}."
    )
    for words in recorded.words:
        say(words)


@baseline.command()
@click.argument("file", type=options.PATH)
def show(file: Path) -> None:
    """Show what a baseline contains."""
    from mt_gate.baselines.schema import read_baseline
    from mt_gate.reporting.writers.terminal import show_baseline

    show_baseline(file, read_baseline(file))


@baseline.command()
@click.argument("a", type=options.PATH)
@click.argument("b", type=options.PATH)
def diff(a: Path, b: Path) -> None:
    """Show what changed from baseline A to baseline B."""
    from mt_gate.baselines.schema import read_baseline
    from mt_gate.reporting.writers.terminal import show_diff

    show_diff((a, b), read_baseline(a), read_baseline(b))
