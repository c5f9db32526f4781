"""Models that a stranger made."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hostile.models import CASES, judged
from hostile.running import Case, Ground, Runner


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_model(case: Case, attack: Callable) -> None:
    attack(case)


@contextmanager
def swapping(path: Path, contents: tuple[bytes, ...]) -> Iterator[None]:
    done = threading.Event()

    def swap() -> None:
        for content in itertools.cycle(contents):
            if done.wait(0.003):
                return
            next_to = path.with_name("next")
            next_to.write_bytes(content)
            next_to.replace(path)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_model_swapped_while_it_is_read(runner: Runner, good: Path, tmp_path: Path) -> None:
    """What is hashed is what is loaded, or the run ends."""
    verdicts = {"checkpoint": 0, "worse": 1}
    fingerprints = {
        name: json.loads((good / result / "result.json").read_text())["checkpoint"]["fingerprint"]
        for name, result in (("checkpoint", "result"), ("worse", "worse-result"))
    }
    contents = tuple((good / name / "model.onnx").read_bytes() for name in verdicts)
    for number in range(6):
        (tmp_path / str(number)).mkdir()
        ground = Ground(tmp_path / str(number), good, runner)
        arguments = judged(ground)
        with swapping(ground.folder / "checkpoint/model.onnx", contents):
            outcome = runner.run(arguments, ground)
        assert outcome.code in (0, 1, 3), outcome
        if outcome.code == 3:
            continue
        result = json.loads((ground.folder / "out/result.json").read_text())
        named = result["checkpoint"]["fingerprint"]
        assert {verdicts[n] for n, value in fingerprints.items() if value == named} == {
            outcome.code
        }
