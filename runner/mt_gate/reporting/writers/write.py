"""Write all reports of a run next to its result, each whole or not at all."""

from __future__ import annotations

from pathlib import Path

from mt_gate.base.jsonio import write_whole
from mt_gate.reporting.words.gathering import Rows, gather
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.reporting.writers import html, junit_xml, markdown
from mt_gate.results.result import Result


def write_reports(out_dir: Path, result: Result, rows: Rows, catalogue: Catalogue) -> None:
    """Write ``junit.xml``, ``report.html`` and ``summary.md`` into a directory.

    Args:
        out_dir: made if it is not there.
        result: the run.
        rows: returns a fresh iterator over the run's groups; it is read once.
        catalogue: title, description and example of each relation.

    Raises:
        OSError: a file cannot be written; those written before it stay.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    gathered = gather(result, rows)
    write_whole(out_dir / "junit.xml", junit_xml.render(result, gathered, catalogue))
    write_whole(out_dir / "report.html", html.render(result, gathered, catalogue))
    limit = markdown.SUMMARY_LIMIT
    write_whole(out_dir / "summary.md", markdown.render(result, gathered, catalogue, limit))
