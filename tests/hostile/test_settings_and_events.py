"""Settings and events that a stranger made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hostile.running import Case, Ground, Runner, check_canaries
from hostile.settings_and_events import CASES, step, workspace
from pull_requests import fake_github


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_setting_or_event(case: Case, attack: Callable) -> None:
    attack(case)


@pytest.mark.parametrize(
    "link", [True, False], ids=["a link to the environment", "a good checkpoint"]
)
def test_no_comment_tells_a_secret(link: bool, runner: Runner, good: Path, tmp_path: Path) -> None:
    ground = Ground(tmp_path, good, runner)
    folder = ground.take("word-pair", "checkpoint")
    suite = ground.take("boolq-suite")
    if link:
        (folder / "vocabulary.txt").unlink()
        (folder / "vocabulary.txt").symlink_to("/proc/self/environ")
    ground.repository = workspace(ground, {}, {})
    event = ground.edit(
        "event.json", lambda value: value["pull_request"].update(number=fake_github.PULL)
    )
    assert json.loads(event.read_text())
    with fake_github.serving() as github:
        ground.environment |= {
            "GITHUB_API_URL": github.url,
            "GITHUB_REPOSITORY": fake_github.REPOSITORY,
        }
        named = {"task": "boolq", "suite": str(suite)}
        arguments = step(ground, comment="always", against=str(folder), baseline="", **named)
        outcome = runner.run(arguments, ground)
        [said] = github.bodies()
    assert outcome.code == (3 if link else 0), outcome
    check_canaries(tmp_path, outcome.out, outcome.err, said)
    assert not outcome.exposed
