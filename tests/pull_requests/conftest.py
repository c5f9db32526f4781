from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mt_gate.github.comment import Target
from pull_requests import fake_github
from pull_requests.fake_github import PULL, REPOSITORY, TOKEN, FakeGitHub
from reporting import made_up


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    pytest.importorskip("github", reason="needs mt-gate[github]")
    with fake_github.serving() as fake:
        yield fake


@pytest.fixture
def where(github: FakeGitHub) -> Target:
    return Target(REPOSITORY, PULL, github.url, TOKEN)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A stored regression."""
    folder = tmp_path / "out"
    folder.mkdir()
    return made_up.store(folder, made_up.result(), made_up.rows())


@pytest.fixture
def event(tmp_path: Path) -> Path:
    """What a workflow's event file holds of a pull request."""
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"action": "synchronize", "pull_request": {"number": PULL}}))
    return path


@pytest.fixture
def workflow(github: FakeGitHub, event: Path) -> dict[str, str]:
    """What GitHub sets in a workflow on a pull request."""
    return {
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_API_URL": github.url,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_RUN_ID": "4711",
        "GITHUB_TOKEN": TOKEN,
    }
