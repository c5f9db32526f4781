"""``mt-gate baseline``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS
from mt_gate.commands import options


@click.group()
def baseline() -> None:
    """Record, show and compare baselines."""


@baseline.command()
@click.argument("results", metavar="RESULT...", type=options.PATH, nargs=-1, required=True)
@click.option("--name", required=True, help="Name of the baseline, and of its file.")
@click.option(
    "--dir",
    "folder",
    type=options.PATH,
    default="baselines",
    show_default=True,
    metavar="DIR",
    help="Folder of baselines.",
)
@click.option(
    "--accept",
    metavar="REASON",
    help="Record a run that left out relations, regressed, or is beyond its anchor, and why.",
)
@click.option("--new-anchor", is_flag=True, help="Start from this level, with a reason (--accept).")
@click.option("--no-answers", is_flag=True, help="Keep only verdicts, not the answers.")
def record(
    results: tuple[Path, ...],
    name: str,
    folder: Path,
    accept: str | None,
    new_anchor: bool,
    no_answers: bool,
) -> int:
    """Record results as the baseline that later runs are judged against.

    Up to five: the same recipe trained with other seeds, or the last good releases. The
    stored predictions are those of the first.
    """
    from mt_gate.results.store import result_file
    from mt_gate.stored_results import record_stored

    paths = [result_file(result) for result in results]
    recorded = record_stored(
        paths, name, folder, accept, answers=not no_answers, new_anchor=new_anchor
    )
    files, them = " and ".join(map(str, recorded.paths)), "them" if recorded.paths[1:] else "it"
    say(
        f"recorded {files}; commit {them}, so that runs are judged against {recorded.paths[0].name}"
    )
    for words in recorded.words:
        say(words)
    return PASS


@baseline.command()
@click.argument("file", type=options.PATH)
def show(file: Path) -> int:
    """Show what a baseline contains."""
    from mt_gate.baselines.schema import read_baseline
    from mt_gate.reporting.writers.terminal import show_baseline

    show_baseline(file, read_baseline(file))
    return PASS


@baseline.command()
@click.argument("a", type=options.PATH)
@click.argument("b", type=options.PATH)
def diff(a: Path, b: Path) -> int:
    """Show what changed from baseline A to baseline B."""
    from mt_gate.baselines.diff import diff_baselines
    from mt_gate.baselines.schema import read_baseline
    from mt_gate.reporting.writers.terminal import show_diff

    show_diff(a, b, diff_baselines(read_baseline(a), read_baseline(b)))
    return PASS
