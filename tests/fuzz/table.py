"""Every reader that is fuzzed, by name."""

from __future__ import annotations

from fuzz import (
    of_checkpoints,
    of_labels,
    of_runs,
    of_settings,
    of_suites,
)
from fuzz.target import Target

TARGETS: dict[str, Target] = {
    **of_suites.TARGETS,
    **of_runs.TARGETS,
    **of_checkpoints.TARGETS,
    **of_settings.TARGETS,
    **of_labels.TARGETS,
}
