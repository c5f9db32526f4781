"""``mt-gate compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import Style, say
from mt_gate.base.errors import PASS, UsageError
from mt_gate.commands import options


@click.command()
@click.argument("results", type=options.PATH, nargs=-1, required=True, metavar="RESULT [RESULT]...")
@options.settings("baseline")
@click.option(
    "--seeds",
    type=options.PATH,
    multiple=True,
    metavar="RESULT",
    help="Another training of RESULT's recipe: compare the means of all. Repeat for more.",
)
@options.out("write nothing")
@options.DECIDING_AGAIN
@options.shown_as
def compare(
    results: tuple[Path, ...],
    baseline: Path | None,
    seeds: tuple[Path, ...],
    out: Path | None,
    style: Style,
    **values: Any,
) -> int:
    """Compare stored results with a baseline, or with each other.

    One RESULT needs --baseline. Several are shown side by side, with the evaluations in their
    folders.
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

        others = [result_file(seed) for seed in seeds]
        run = compare_stored(result_file(result), baseline, out, values, others)
        return show_run(run, out, style)
    if seeds:
        raise UsageError("--seeds needs one RESULT and --baseline. Omit it, or the other results.")
    _show_side_by_side(results, out, {**values, "baseline": baseline})
    return PASS


def _show_side_by_side(paths: Sequence[Path], out: Path | None, options: Mapping[str, Any]) -> None:
    """Show results, evaluations, or both; a folder may have one of each."""
    from mt_gate.evaluating import side_by_side as evaluating
    from mt_gate.history import views
    from mt_gate.history.runs import check_side_by_side, read_side_by_side
    from mt_gate.reporting.table import show_lines
    from mt_gate.reporting.words.texts import relation_texts

    check_side_by_side(paths, options)
    evaluations = evaluating.read_evaluations(paths)
    if evaluations and not evaluating.has_results(paths):
        if fault := evaluating.mismatch(evaluations):
            raise UsageError(fault)
        if out is not None:
            evaluating.write_evaluations(out, evaluations)
        show_lines(evaluating.system_names(evaluations))
    else:
        done, texts = read_side_by_side(paths), relation_texts()
        shown, more = None, ""
        if evaluations:
            heads = [run.checkpoint for run in done.suites[0].runs]
            if fault := evaluating.mismatch(evaluations, heads):
                say(f"Only violation rates are shown. {fault}")
                evaluations = []
        if evaluations:
            shown = evaluating.shown_values(evaluations, views.side_rates(done, texts))
            more = f"\n{evaluating.markdown_text(evaluations)}"
        if out is not None:
            views.write_side_by_side(out, done, texts, shown, more)
        views.show_side_by_side(done, texts)
    if evaluations:
        evaluating.show_evaluations(evaluations)
