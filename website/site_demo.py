"""The reports of ``mt-gate demo``, taken into the site as they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from mt_gate.tasks.table import TASKS
from site_pages import PageFault

FOLDER = "demo"
"""Where the reports lie on the site."""
PAGE = """# Reports of the demo

What `mt-gate demo` writes: for each task the candidate's `report.html`, whole. Each is one file,
which filters, sorts and shows every group, without requests. What they show is in
[reports.md](reports.md#html), how the checkpoints were made in [demo.md](demo.md).
"""


def reports(demo: Path) -> dict[str, Path]:
    """Return each task's folder with the reports of the candidate, where the demo wrote it.

    Raises:
        PageFault: one is missing.
    """
    found = {task.id: demo / task.id / "candidate" for task in TASKS.values() if task.demo}
    for folder in found.values():
        for name in ("report.html", "result.json"):
            if not (folder / name).is_file():
                raise PageFault(
                    f"{folder / name}: not there, so there is no report to show; "
                    f"make it first: mt-gate demo --out {demo}"
                )
    return found


def write(pages: Path, beside: Path, demo: Path) -> None:
    """Write the page that lists the reports, and the reports.

    Args:
        pages: the folder of the pages' sources.
        beside: the folder of what is copied to the site as it is.
        demo: what ``mt-gate demo`` wrote.

    Raises:
        PageFault: a report is missing.
    """
    (beside / FOLDER).mkdir(parents=True)
    rows = []
    for task, folder in reports(demo).items():
        shutil.copy(folder / "report.html", beside / FOLDER / f"{task}.html")
        verdict = json.loads((folder / "result.json").read_text(encoding="utf-8"))["verdict"]
        link = f'<a href="{FOLDER}/{task}.html">Report of task <code>{task}</code></a>'
        rows.append(f"| {link} | `{verdict}` |")
    text = "\n".join([PAGE, "| report | verdict |", "| --- | --- |", *rows, ""])
    (pages / "demo-reports.md").write_text(text, encoding="utf-8")
