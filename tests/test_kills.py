"""However a run ends, no later command takes what it leaves for a run that it is not."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def stories(small: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    from making import SENTENCES, make_suite

    folder = tmp_path_factory.mktemp("kills")
    suite = make_suite(folder / "suite", SENTENCES[:30])
    done = subprocess.run(
        [sys.executable, TESTS / "killing.py", small, suite, folder],
        env={**os.environ, "PYTHONPATH": str(TESTS.parent / "runner")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", ["run into a new folder", "run over an old one"])
def test_a_killed_run_is_refused_until_it_is_whole(
    stories: dict[str, list[str]], name: str
) -> None:
    old, found = stories["old"], stories[name]
    assert len(found) > 5
    kinds = ["old" if run == old else run if run == "refused" else "new" for run in found]
    order = [kind for kind, _ in itertools.groupby(kinds)]
    assert order == ["old", "refused", "new"][name == "run into a new folder" :]
    assert found[-1] not in (old, "refused")


def test_a_killed_comparison_leaves_its_result_or_none(stories: dict[str, list[str]]) -> None:
    old, found = stories["old"], stories["compare into its own"]
    assert len(found) > 10
    order = [kind for kind, _ in itertools.groupby(found)]
    assert order[0] == old
    assert order[1] == "refused"
    assert len({*found} - {old, "refused"}) >= 1
