"""However a run ends, no later command takes what it leaves for a run that it is not."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from making_onnx import looping, save_checkpoint, scores
from mt_gate.base.interrupts import INTERRUPTED
from mt_gate.sut.processes import resident

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
    result: dict[str, list[str]] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("name", ["run into a new folder", "run over an old one"])
def test_a_killed_run_is_refused_until_it_is_whole(
    stories: dict[str, list[str]], name: str
) -> None:
    old, actual = stories["old"], stories[name]
    assert len(actual) > 5
    kinds = ["old" if run == old else run if run == "refused" else "new" for run in actual]
    order = [kind for kind, _ in itertools.groupby(kinds)]
    assert order == ["old", "refused", "new"][name == "run into a new folder" :]
    assert actual[-1] not in (old, "refused")


def test_a_killed_comparison_leaves_its_result_or_the_new_one(
    stories: dict[str, list[str]],
) -> None:
    """Between the renames of rows and result the folder holds neither: one moment, no more."""
    old, actual = stories["old"], stories["compare into its own"]
    assert len(actual) > 10
    order = [run for run, _ in itertools.groupby(actual)]
    assert order[0] == old
    assert actual.count("refused") == 1
    assert actual[-1] not in (old, "refused")


def wait(until: Callable[[], object]) -> None:
    """Wait for what happens sooner or later, or for a minute."""
    for _ in range(600):
        if until():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_a_line_and_ends_what_it_started(
    suite: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    endless = save_checkpoint(tmp_path / "loop", looping(scores(400, 7)))
    start = (  # either may be ignored here, which is inherited
        "import signal; from mt_gate.__main__ import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "
        "signal.signal(signal.SIGTERM, signal.SIG_DFL); main()"
    )
    run = subprocess.Popen(
        [
            sys.executable, "-c", start, "run", "--checkpoint", endless, "--task", "ner",
            "--suite", suite, "--out", tmp_path / "out", "--cache", tmp_path / "cache",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    wait(lambda: (tmp_path / "out").is_dir() and children.read_text())
    time.sleep(1)
    started = [int(number) for number in children.read_text().split()]
    assert started
    run.send_signal(sent)
    _, result = run.communicate()
    assert run.returncode == INTERRUPTED
    assert result == "mt-gate: Interrupted. The cache keeps the predictions made so far.\n"
    wait(lambda: not any(map(resident, started)))
    assert [*(tmp_path / "out").glob("*")] == []
