from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mt_gate.pull_requests.target import Target
from mt_gate.result_store import write_result, write_rows
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
    write_result(folder, made_up.result())
    write_rows(folder, made_up.rows())
    return folder


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
