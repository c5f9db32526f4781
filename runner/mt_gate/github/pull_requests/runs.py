"""Workflow runs, their artifacts and pull requests as values, whoever serves them."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Pull(NamedTuple):
    """An open pull request: its number, and the repository and commit of its head."""

    number: int
    head: str
    sha: str


class Artifact(NamedTuple):
    """What a run has kept; ``size`` is in bytes, packed, and the newest has the largest id."""

    id: int
    name: str
    size: int
    expired: bool


class Runs(Protocol):
    """What a repository says of its runs. Every method may raise ``ApiFailure``."""

    def pulls(self, owner: str, branch: str) -> list[Pull]:
        """Return the open pull requests from a branch of an owner's repositories."""

    def artifacts(self, run: int, name: str) -> list[Artifact]:
        """Return a run's artifacts of a name; several where it was run again."""

    def download(self, artifact: int, limit: int) -> bytes:
        """Return an artifact's zip archive; one of more than ``limit`` bytes is a failure."""
