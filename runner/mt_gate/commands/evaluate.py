"""``mt-gate evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say, warn_on_failure
from mt_gate.commands import options


@click.command()
@options.SYSTEM
@options.settings("task")
@options.setting("labels", required=True)
@options.CORPUS
@click.option(
    "--mapping",
    type=options.PATH,
    metavar="NAME|FILE",
    help="Table that maps labels (task re), such as the built-in nyt10-25.",
)
@click.option("--distant", is_flag=True, help="Treat labels as distant supervision (task re).")
@click.option(
    "--result",
    type=options.PATH,
    metavar="RESULT_DIR",
    help="Show the violation rates of this run next to the accuracy.",
)
@options.settings("baseline", "record_missing", "out", "device")
@options.LIMITS
@options.settings("system_environment", "alpha", "margin", "cache")
@options.ENDPOINT
@options.READING
@options.settings("label_map", "threshold")
@options.CONFIG_FILE
def evaluate(
    labels: Path,
    form: str | None,
    patch: Path | None,
    mapping: Path | None,
    distant: bool,
    result: Path | None,
    config: Path | None,
    **values: Any,
) -> int:
    """Measure accuracy on labelled inputs.

    Here --baseline is an earlier evaluation.json, and --margin is the allowed drop of accuracy.
    """
    from mt_gate.base.console import Progress
    from mt_gate.evaluating.evaluate import evaluate as run_evaluation
    from mt_gate.evaluating.evaluate import request_of
    from mt_gate.evaluating.relation_labels import OWN_FORMAT, LabelFormat
    from mt_gate.evaluating.reports.texts import lines
    from mt_gate.reporting.table import show_lines
    from mt_gate.reporting.words.texts import relation_texts

    reading = LabelFormat(form or OWN_FORMAT, patch, distant)
    request = request_of(
        values, config, labels=labels, result=result, mapping=mapping, reading=reading
    )
    with Progress() as progress:
        done = run_evaluation(request, say, progress)
    warn_on_failure("the table", lambda: show_lines(lines(done, relation_texts())), say)
    return done.exit_code
