from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hostile.material import make_good
from hostile.running import Case, Ground, Outcome, Runner, check, files


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    runner = Runner(tmp_path_factory.mktemp("runner"))
    yield runner
    runner.close()


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory, runner: Runner) -> Path:
    return make_good(tmp_path_factory.mktemp("good"), runner)


@pytest.fixture
def attack(
    runner: Runner,
    good: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Callable[[Case], Outcome]:
    def attack(case: Case) -> Outcome:
        ground = Ground(tmp_path, good, runner)
        arguments = case.make(ground)
        before = files(tmp_path)
        outcome = runner.run(arguments, ground)
        request.node.user_properties += [
            ("command", " ".join(arguments)),
            ("code", outcome.code),
            ("seconds", round(outcome.seconds, 2)),
            ("MiB", outcome.peak >> 20),
            ("last", outcome.last),
        ]
        check(case, ground, outcome, before)
        return outcome

    return attack
