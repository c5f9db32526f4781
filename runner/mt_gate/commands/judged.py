"""A run from its settings to its exit code, as commands show it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mt_gate.base.console import Style, say, silent


def judged(values: Mapping[str, Any], config: Path | None, style: Style) -> int:
    """Run and judge, show the verdict and what to do next, return the exit code."""
    from mt_gate import gate
    from mt_gate.base.progress import Progress
    from mt_gate.reporting.writers.terminal import show_run
    from mt_gate.settings.loading import load

    settings = load(values, config)
    quiet = style is Style.QUIET
    speak = silent if quiet else say
    usual = Path("baselines", f"{settings.task}.json")
    if settings.baseline is None and not settings.against and usual.is_file():
        speak(f"{usual} exists and is not used; to compare with it: --baseline {usual}")
    with Progress(shown=not quiet) as progress:
        finished = gate.run(settings, speak, progress)
    return show_run(finished, settings.out, style)
