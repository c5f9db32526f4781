"""Real repositories, as GitHub and actions/checkout make them: remote, merge, shallow clone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

WHO = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    # A commit asks no other process whether there is something to clean up.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
}
Files = Mapping[str, bytes | str | None]
"""Content by path, or what a link leads to; None for a file that is removed."""
Propose = Callable[..., tuple[str, dict[str, str]]]
"""Opens a pull request, see ``tests/github/conftest.py``."""


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **WHO},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


class Forge:
    """A remote, with a work tree to make commits in: its refs are set, for nothing is pushed."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.remote = folder / "clone", folder / "clone" / ".git"
        self.clone.mkdir(parents=True)
        git(self.clone, "init", "-q", "-b", "main")
        self.commit({}, "first")

    def commit(self, files: Files, message: str = "change") -> str:
        for name, data in files.items():
            path = self.clone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            if not isinstance(data, bytes):
                path.unlink(missing_ok=data is not None)
            if isinstance(data, str):
                path.symlink_to(data)
            elif data is not None:
                path.write_bytes(data)
        git(self.clone, "add", "-A")
        git(self.clone, "commit", "-q", "--allow-empty", "-m", message)
        return git(self.clone, "rev-parse", "HEAD")

    def push(self, name: str) -> None:
        git(self.clone, "update-ref", name, "HEAD")

    def base(self, files: Files) -> str:
        """Commit to ``main``, and return the commit."""
        git(self.clone, "checkout", "-q", "main")
        return self.commit(files)

    def pull_request(self, base: str, files: Files) -> tuple[str, str]:
        """Return the pull request's head, and GitHub's test merge of it into ``main``."""
        git(self.clone, "checkout", "-q", "--detach", base)
        head = self.commit(files, "proposal")
        self.push("refs/pull/1/head")
        return head, self.merge(head)

    def merge(self, head: str) -> str:
        git(self.clone, "checkout", "-q", "--detach", "main")
        git(self.clone, "merge", "-q", "--no-ff", "-m", "merge", head)
        self.push("refs/pull/1/merge")
        return git(self.clone, "rev-parse", "HEAD")

    def check_out(self, folder: Path, ref: str = "refs/pull/1/merge", depth: int = 1) -> Path:
        """Check a ref out as actions/checkout does."""
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q")
        git(folder, "remote", "add", "origin", self.remote.as_uri())
        git(folder, "fetch", "-q", f"--depth={depth}", "origin", ref)
        git(folder, "checkout", "-q", "FETCH_HEAD")
        return folder


def event(folder: Path, name: str, payload: object, sha: str = "") -> dict[str, str]:
    """Return the environment of a workflow's step that an event started."""
    path = folder / "event.json"
    path.write_text(json.dumps(payload))
    return {
        "PATH": os.environ["PATH"],
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_SHA": sha,
    }


def of_pull_request(base: object, head: object) -> dict[str, object]:
    return {"action": "synchronize", "pull_request": {"base": {"sha": base}, "head": {"sha": head}}}


def result() -> dict[str, Any]:
    """Return the result of the action's step in the working folder."""
    value: dict[str, Any] = json.loads(Path("mt-gate-out/result.json").read_text())
    return value


def summary(environment: Mapping[str, str]) -> str:
    return Path(environment["GITHUB_STEP_SUMMARY"]).read_text()
