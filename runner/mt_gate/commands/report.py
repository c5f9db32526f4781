"""``mt-gate report``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base import console
from mt_gate.base.errors import UsageError
from mt_gate.commands import options


@click.command()
@click.argument("results", type=options.PATH, nargs=-1, required=True, metavar="RESULT...")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["html", "junit", "markdown", "json", "sarif", "badge", "corpora", "gates"]),
    required=True,
    help="Format of the report.",
)
@click.option(
    "--output",
    type=options.PATH,
    metavar="FILE",
    help="Write to this file [default: standard output].",
)
def report(results: tuple[Path, ...], kind: str, output: Path | None) -> None:
    """Write a report of a stored result, or a table of several gates."""
    from mt_gate.reporting.table import markdown_table
    from mt_gate.results.store import result_file
    from mt_gate.stored_results import gates_table, report_text

    if kind == "gates":
        text = markdown_table(gates_table(results)) + "\n"
    elif len(results) > 1:
        raise UsageError(f"--format {kind} takes one result (got {len(results)}). Pass one.")
    else:
        text = report_text(result_file(results[0]), kind)
    if output is None:
        console.print_document(text)
        return
    from mt_gate.base.files import write_whole

    try:
        write_whole(output, text)
    except OSError as error:
        raise UsageError(
            f"--output {output} cannot be written ({error.strerror}). Choose another file."
        ) from None
