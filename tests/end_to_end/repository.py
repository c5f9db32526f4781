"""A small repository with checkpoints and baselines, and a pull request that changes one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from making_pull_requests import Forge, git, of_pull_request
from mt_gate import gate
from mt_gate.base.console import Progress
from mt_gate.baselines.writing import RunToRecord, build_baseline, write_baseline
from mt_gate.demo import CHECKPOINTS
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.settings.record import Settings
from pull_requests.fake_github import PULL, REPOSITORY

PHRASES = "ner/phrase-replacement"
ENOUGH, FEW = 900, 60
"""Sources: so many that the demo's candidate of task ner is seen to be worse, and for speed."""
Files = Mapping[str, bytes]


class Change(NamedTuple):
    """A pull request, checked out as actions/checkout does with ``fetch-depth: 2``."""

    workspace: Path
    event: Path
    on: str = "pull_request"

    def queued(self) -> Change:
        base, head = git(self.workspace, "rev-parse", "HEAD^1", "HEAD").split()
        path = self.event.with_name("merge_group.json")
        path.write_text(json.dumps({"merge_group": {"base_sha": base, "head_sha": head}}))
        return Change(self.workspace, path, "merge_group")

    def pushed(self) -> Change:
        path = self.event.with_name("push.json")
        after = git(self.workspace, "rev-parse", "HEAD")
        path.write_text(json.dumps({"ref": "refs/heads/main", "after": after}))
        return Change(self.workspace, path, "push")


def checkpoint(name: str, folder: str) -> Files:
    return {f"{folder}/{file.name}": file.read_bytes() for file in (CHECKPOINTS / name).iterdir()}


def settings(sources: int, *more: str) -> Files:
    return {"mt-gate.toml": "\n".join([f"sources = {sources}", *more, ""]).encode()}


def record(task: str, sources: int, relations: tuple[str, ...], folder: Path) -> bytes:
    """Return the baseline of the demo's baseline checkpoint of a task; all relations if none."""
    chosen = Settings(
        checkpoint=str(CHECKPOINTS / f"{task}-baseline"),
        task=task,
        suite=f"{task}-default",
        relations=relations,
        sources=sources,
        out=folder / "out",
        device="cpu",
        cache=folder / "cache",
    )
    with Progress() as progress:
        result = gate.run(chosen, lambda _: None, progress)
    measured = RunToRecord(result.result, verdicts_from_rows(result.rows))
    baseline = build_baseline([measured], name=task, accept="a part")
    path = folder / "baseline.json"
    write_baseline(path, baseline)
    return path.read_bytes()


def propose(folder: Path, base: Files, change: Files, *, fork: bool = False) -> Change:
    """Commit a base, and open a pull request to it."""
    forge = Forge(folder / "forge")
    before = forge.base(base)
    head, _ = forge.pull_request(before, change)
    workspace = forge.check_out(folder / "workspace", depth=2)
    # As actions/checkout does; without a reference, git takes act's copy for no repository.
    git(workspace, "update-ref", f"refs/remotes/pull/{PULL}/merge", "HEAD")
    # act takes the repository's name from its address.
    git(workspace, "remote", "set-url", "origin", f"https://github.com/{REPOSITORY}")
    path = folder / "event.json"
    path.write_text(json.dumps(_event(before, head, fork)))
    return Change(workspace, path)


def _event(base: str, head: str, fork: bool) -> dict[str, Any]:
    event: dict[str, Any] = of_pull_request(base, head)
    request = event["pull_request"]
    request["number"] = PULL
    request["base"] |= {"ref": "main", "repo": {"full_name": REPOSITORY, "fork": False}}
    owner = "stranger/models" if fork else REPOSITORY
    request["head"] |= {"ref": "proposal", "repo": {"full_name": owner, "fork": fork}}
    about = {"full_name": REPOSITORY, "default_branch": "main"}
    return event | {"number": PULL, "repository": about}
