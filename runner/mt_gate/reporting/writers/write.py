"""Write all reports of a run next to its result, each whole or not at all."""

from __future__ import annotations

from pathlib import Path

from mt_gate.base.jsonio import write_whole
from mt_gate.reporting.words.gathering import Rows, gather
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.reporting.writers import html, junit_xml, markdown
from mt_gate.results.result import Result


def write_reports(out_dir: Path, result: Result, rows: Rows, catalogue: Catalogue) -> None:
    """Write ``junit.xml``, ``report.html`` and ``summary.md`` into a folder that may not exist."""
    out_dir.mkdir(parents=True, exist_ok=True)
    gathered = gather(result, rows)
    write_whole(out_dir / "junit.xml", junit_xml.junit(result, gathered, catalogue))
    write_whole(out_dir / "report.html", html.report(result, gathered, catalogue))
    write_whole(out_dir / "summary.md", markdown.summary(result, gathered, catalogue))
