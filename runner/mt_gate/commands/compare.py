"""``mt-gate compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import Style
from mt_gate.base.errors import PASS, UsageError
from mt_gate.commands import options


@click.command()
@click.argument("results", type=options.PATH, nargs=-1, required=True, metavar="RESULT [RESULT]...")
@options.settings("baseline")
@options.out("write nothing")
@options.DECIDING_AGAIN
@options.shown_as
def compare(
    results: tuple[Path, ...], baseline: Path | None, out: Path | None, style: Style, **values: Any
) -> int:
    """Compare stored results with a baseline, or with each other.

    One RESULT needs --baseline. Several are shown side by side.
    """
    if len(results) == 1:
        result = results[0]
        from mt_gate.results.store import result_file
        from mt_gate.stored_results import compare_stored

        if baseline is None:
            raise UsageError(
                "--baseline is missing. Add it, or pass two or more results to show side by side."
            )
        from mt_gate.reporting.writers.terminal import show_run

        return show_run(compare_stored(result_file(result), baseline, out, values), out, style)
    from mt_gate.history.runs import read_side_by_side
    from mt_gate.history.views import show_side_by_side, write_side_by_side
    from mt_gate.reporting.words.texts import relation_texts

    done = read_side_by_side(results, {**values, "baseline": baseline})
    if out is not None:
        write_side_by_side(out, done, relation_texts())
    show_side_by_side(done, relation_texts())
    return PASS
