"""Three tiers of tests: fast, daily and nightly; and how what tests make is shared.

A mark comes from a fixture that a test uses, itself or through others, or from its module; a single
test of a light module that takes seconds carries its mark itself.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

HEAVY = {
    "browser": "opens pages in Chromium",
    "checkpoint": "runs a fine-tuned checkpoint, or a whole suite or demo",
    "container": "runs workflows in containers",
    "export": "makes, exports or asks a network of PyTorch",
    "runs": "makes whole runs by the dozen",
    "slow": "hostile input, other programs, pages of 10,000 groups",
    "nightly": "kills, full disks, clusters, and what others already test on a smaller scale",
}
"""The marks, and what is heavy about a test that has one."""
BY_FIXTURE = {
    "act": "container",
    "browser": "browser",
    "causal_folder": "export",
    "encoder_folder": "export",
    "engine": "container",
    "fine_tuned": "checkpoint",
    "hugging_face": "export",
    "made_once": "export",
    "masked_folder": "export",
    "runner": "slow",
    "schema": "slow",
    "shared": "checkpoint",
}
BY_MODULE = {
    "commands/test_policy.py": "runs",
    "test_doctor.py": "slow",
    "end_to_end/test_locked_down.py": "nightly",
    "end_to_end/test_recipes.py": "nightly",
    "end_to_end": "container",
    "exporting/test_export.py": "export",
    "exporting/test_export_tasks.py": "export",
    "exporting/test_hostile_exports.py": "nightly",
    "exporting/test_precision.py": "export",
    "exporting/test_tokenizer.py": "export",
    "exporting/test_torch_backend.py": "export",
    "fuzz/test_command.py": "nightly",
    "github/test_base_commit.py": "slow",
    "github/test_base_settings.py": "slow",
    "github/test_committed_cache.py": "slow",
    "hostile": "slow",
    "language/test_causal.py": "export",
    "language/test_kinds.py": "export",
    "mutating/test_analysis.py": "export",
    "mutating/test_weights.py": "export",
    "releasing/test_release_workflow.py": "slow",
    "releasing/test_wheels.py": "nightly",
    "pull_requests/test_comment.py": "slow",
    "pull_requests/test_gpu_recipe.py": "slow",
    "pull_requests/test_prism.py": "slow",
    "pull_requests/test_step.py": "slow",
    "pull_requests/test_posting.py": "slow",
    "reporting/test_junit_consumers.py": "slow",
    "reporting/test_markup.py": "slow",
    "reporting/test_xss.py": "slow",
    "history/test_history.py": "slow",
    "sharding/test_cluster.py": "nightly",
    "benchmarks": "nightly",
    "sharding/test_merging.py": "runs",
    "sharding/test_on_cluster.py": "nightly",
    "suites/test_quick.py": "runs",
    "sut/systems/test_command.py": "slow",
    "sut/systems/test_endpoint.py": "slow",
    "sut/systems/test_llama_server.py": "nightly",
    "sut/test_confined.py": "slow",
    "sut/test_passage.py": "export",
    "sut/test_relation_text.py": "export",
    "tasks/test_toy_task.py": "runs",
    "test_action_pull_requests.py": "slow",
    "test_action_settings.py": "checkpoint",
    "test_bad_input.py": "runs",
    "test_boolq.py": "checkpoint",
    "test_ci_recipes.py": "slow",
    "test_demo.py": "checkpoint",
    "test_kills.py": "nightly",
    "test_machine_faults.py": "nightly",
    "test_on_terminal.py": "slow",
    "test_qualify.py": "runs",
    "test_re.py": "export",
    "test_real_checkpoint.py": "nightly",
    "test_reading_table.py": "nightly",
    "test_recipes.py": "slow",
    "test_speeds.py": "slow",
    "test_texts_leaving.py": "slow",
    "test_workflows.py": "slow",
}
"""Files and folders of which every test is heavy; the fast tier does not even import them."""
_LONGEST_FIRST = ("container", "checkpoint", "export", "slow", "runs")
_LONGEST_OF_THE_FAST = ("test_gate.py", "evaluating/test_evaluate.py")
_TESTS = Path(__file__).parent
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier",
        choices=("fast", "daily", "all"),
        default="daily",
        help="fast: no test that is marked heavy; daily: none that is marked nightly",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Else each process that a test starts compiles the package, and each run all tests.
    os.environ.pop(_NO_BYTECODE, None)
    sys.dont_write_bytecode = False
    for name, why in HEAVY.items():
        config.addinivalue_line("markers", f"{name}: {why}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    mark = mark_of_module(collection_path)
    return True if mark in _left_out(config) else None


def _left_out(config: pytest.Config) -> tuple[str, ...]:
    """Return the marks whose tests do not run."""
    return {"fast": (*HEAVY,), "daily": ("nightly",)}.get(config.getoption("--tier"), ())


def mark_of_module(path: Path) -> str | None:
    """Return the mark of every test of a file, or of a file's folder."""
    if not path.is_relative_to(_TESTS):
        return None
    inner = path.relative_to(_TESTS)
    places = [inner.as_posix(), *(parent.as_posix() for parent in inner.parents)]
    return next((BY_MODULE[place] for place in places if place in BY_MODULE), None)


def turn(place: str) -> int:
    """Return when the tests of a file or folder are due among all: those that take longest first.

    Args:
        place: from the repository's root, such as ``tests/test_demo.py``.
    """
    due = [*_LONGEST_FIRST, *_LONGEST_OF_THE_FAST]
    mark = mark_of_module(_TESTS.parent / place)
    mark_or_file = mark or place.removeprefix("tests/")
    return due.index(mark_or_file) if mark_or_file in due else len(due)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        marks = {mark_of_module(item.path)}
        marks |= {BY_FIXTURE.get(name) for name in getattr(item, "fixturenames", ())}
        for name in marks - {None}:
            item.add_marker(str(name))
    left_out = [i for i in items if any(map(i.get_closest_marker, _left_out(config)))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


class Made:
    """Folders that the first test to ask for one makes, in whatever process it runs."""

    def __init__(self, base: Path) -> None:
        self._base = base

    def __call__(self, make: Callable[..., object], *arguments: object, **named: object) -> Path:
        """Return the folder that ``make(folder, *arguments, **named)`` has filled.

        Nobody may change what is in it. Its key is the maker's name and arguments,
        whose ``repr`` must be equal in every process.
        """
        maker = f"{make.__module__}.{make.__qualname__}"
        assert "<" not in maker, f"{maker}: a function of a module, so that its name tells it"
        key = hashlib.sha256(
            json.dumps([maker, arguments, named], default=repr).encode()
        ).hexdigest()
        place = self._base / key[:16]
        folder = place / make.__name__
        place.mkdir(parents=True, exist_ok=True)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (place / "whole").exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a maker that failed
                make(folder, *arguments, **named)
                (place / "whole").touch()
        return folder


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make a checkpoint once for all processes of a test run."""
    base = tmp_path_factory.getbasetemp()
    # Under xdist, a worker's folder lies in that of the run.
    return Made((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "made")


def first_daily(values: Sequence[Any], daily: int = 1) -> list[Any]:
    """Return the values of a parametrised test, those after the first ``daily`` for the night."""
    night = [pytest.param(*_listed(value), marks=pytest.mark.nightly) for value in values[daily:]]
    return [*values[:daily], *night]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else (value,)
