"""``mt-gate report``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base import console
from mt_gate.base.errors import UsageError
from mt_gate.commands import options


@click.command()
@click.argument("result", type=options.PATH)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["html", "junit", "markdown", "json", "sarif", "badge", "corpora"]),
    required=True,
    help="Format of the report.",
)
@click.option(
    "--output",
    type=options.PATH,
    metavar="FILE",
    help="Write to this file [default: standard output].",
)
def report(result: Path, kind: str, output: Path | None) -> None:
    """Write one report of a stored result."""
    from mt_gate.results.store import result_file
    from mt_gate.stored_results import report_text

    text = report_text(result_file(result), kind)
    if output is None:
        console.print_document(text)
        return
    from mt_gate.base.files import write_whole

    try:
        write_whole(output, text)
    except OSError as error:
        raise UsageError(
            f"--output {output} cannot be written ({error.strerror}). Change it."
        ) from None
