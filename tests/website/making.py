"""The site for tests: of this checkout's documentation, with reports made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import site_build
from site_demo import TASKS

REPORT = "<!doctype html><html lang=en><title>A report</title><p>Made up.</p></html>\n"


def make_demo(folder: Path) -> Path:
    """Write what the site takes of ``mt-gate demo``."""
    for task in (task.id for task in TASKS.values() if task.demo):
        candidate = folder / task / "candidate"
        candidate.mkdir(parents=True)
        (candidate / "report.html").write_text(REPORT, encoding="utf-8")
        (candidate / "result.json").write_text(json.dumps({"verdict": "regression"}), "utf-8")
    return folder


def make_site(folder: Path) -> None:
    """Build ``main`` into a folder."""
    folder.mkdir()
    assert site_build.main([str(folder / "out"), "--demo", str(make_demo(folder / "demo"))]) == 0


def needs_sphinx() -> None:
    """Skip where the site cannot be built."""
    for module, name in site_build.NEEDED.items():
        pytest.importorskip(module, reason=f"{name} is not installed; pip install 'mt-gate[docs]'")
