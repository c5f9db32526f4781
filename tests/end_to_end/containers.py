"""Container engines that the action is run with: Docker, or podman behind the same interface.

Where no Docker runs and no registry is reached, ``../shared/tools`` (or ``MT_GATE_TOOLS``) sets
podman and a stand-in for the base image up: ``container-setup.sh``. This module uses what it made.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(os.environ.get("MT_GATE_TOOLS", ROOT.parent / "shared" / "tools"))
STORE = Path(os.environ.get("MT_GATE_CONTAINERS", Path.home() / ".cache" / "mt-gate-containers"))
BASE = "docker.io/library/python:3.11-slim-bookworm"
IMAGE, MACHINE = "localhost/mt-gate-e2e:run", "localhost/mt-gate-e2e:machine"
"""The action's image, and that of the machine that a job's other steps run on."""
BUILD = 540
"""Seconds that an image may take."""


@dataclass(frozen=True)
class Engine:
    """A program with Docker's commands, and the environment that it and its clients need."""

    program: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, *command: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a command of the engine, or another program with its environment."""
        return subprocess.run(
            command,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
        )

    def build(self, tag: str, context: Path, *more: str) -> None:
        """Build an image from a folder with a Dockerfile."""
        if self.program == "docker":
            command = ["docker", "build", "--tag", tag, *more, str(context)]
        else:
            script = ["bash", str(TOOLS / "build-image.sh"), str(context), tag]
            # podman's stand-in has no digest to be known by.
            command = [*script, *_lent(), "--build-arg", f"BASE={BASE}", *more]
        done = self.run(*command, timeout=BUILD)
        assert done.returncode == 0, done.stdout[-4000:]

    def clean(self) -> None:
        """Remove the containers of these tests that a run left behind, and what they wrote."""
        for image in (IMAGE, MACHINE):
            left = self.run(self.program, "ps", "-aq", "--filter", f"ancestor={image}").stdout
            if left.split():
                self.run(self.program, "rm", "--force", "--volumes", *left.split())


def find() -> Engine:
    """Return an engine that runs containers; skip the test, and say why, where there is none."""
    docker = Engine("docker")
    if shutil.which("docker") and docker.run("docker", "info").returncode == 0:
        engine = docker
    elif all(map(shutil.which, ("podman", "buildah"))) and (STORE / "env").is_file():
        names = ("CONTAINERS_STORAGE_CONF", "storage.conf"), ("CONTAINERS_CONF", "containers.conf")
        engine = Engine("podman", {name: str(STORE / file) for name, file in names})
        if not (TOOLS / "build-image.sh").is_file():
            pytest.skip(f"no container is built: {TOOLS} has no build-image.sh (set MT_GATE_TOOLS)")
    else:
        pytest.skip("no containers: neither a Docker daemon nor podman set up by .ci/containers")
    tried = engine.run(engine.program, "run", "--rm", BASE, "true", timeout=BUILD)
    if tried.returncode:
        pytest.skip(f"no containers: {engine.program} run: {tried.stdout.strip()[-300:]}")
    return engine


@contextmanager
def serving(engine: Engine) -> Iterator[Engine]:
    """Give an engine that answers Docker's clients: podman needs a server, Docker is one."""
    if engine.program == "docker":
        yield engine
        return
    # A socket's path is short, and pytest's folders are not.
    with tempfile.TemporaryDirectory(prefix="mt-gate-") as folder:
        socket = Path(folder) / "podman.sock"
        url = f"unix://{socket}"
        # podman asks dpkg whose its helpers are, time and again: most of what its server does.
        (Path(folder) / "dpkg-query").symlink_to("/bin/false")
        path = os.pathsep.join((folder, os.environ["PATH"]))
        service = subprocess.Popen(
            ["podman", "system", "service", "--time=0", url],
            env={**os.environ, **engine.environment, "PATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            end = time.monotonic() + 60
            while not socket.exists():
                assert service.poll() is None, "podman's service has ended"
                assert time.monotonic() < end, "podman's service does not listen"
                time.sleep(0.1)
            yield Engine(engine.program, {**engine.environment, "DOCKER_HOST": url})
        finally:
            service.terminate()
            service.wait(timeout=30)


def _lent() -> list[str]:
    """Return what lets a build read the packages of pip's local indexes: they lie next to these."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    )
    indexes = [Path(path) for path in re.findall(r"file://(/[^\s'\"]+)", done.stdout)]
    return [
        word
        for folder in dict.fromkeys(index.parent for index in indexes if index.is_dir())
        for word in ("-v", f"{folder}:{folder}:ro")
    ]
