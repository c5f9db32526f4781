"""A pull request on a real repository, checked out as a workflow's step has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from making_pull_requests import Files, Forge, Propose, event, of_pull_request


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path / "forge")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def propose(forge: Forge, workspace: Path) -> Propose:
    """Open a pull request and check it out; return the base commit and the step's environment."""

    def propose(before: Files, change: Files, depth: int = 1) -> tuple[str, dict[str, str]]:
        commit = forge.base({"README": b"x", **before})
        head, merge = forge.pull_request(commit, {"model": b"new", **change})
        forge.check_out(workspace, depth=depth)
        payload = of_pull_request(commit, head)
        return commit, event(workspace.parent, "pull_request", payload, merge)

    return propose
