"""docs/workflows/gpu.yml: the action in a container of one's own keeps the comment up to date."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

import mt_gate
from mt_gate.base.errors import CANNOT_JUDGE
from mt_gate.github.comment import marker
from pull_requests.fake_github import BOT, TOKEN, FakeGitHub

ROOT = Path(__file__).parents[2]
IMAGE = f"ghcr.io/org/mt-gate:{mt_gate.__version__}-gpu"
DOCKER = f"""#!{sys.executable}
# In the place of docker: only what --env names reaches the program.
import os, sys
words = sys.argv[1:]
names = [word for flag, word in zip(words, words[1:]) if flag == "--env"]
kept = {{name: os.environ[name] for name in names if name in os.environ}}
kept |= {{name: os.environ[name] for name in ("PATH", "PYTHONPATH")}}
command = words[words.index("{IMAGE}") + 1 :]
os.execve({sys.executable!r}, [{sys.executable!r}, "-m", "mt_gate", *command], kept)
"""


def test_a_run_that_cannot_judge_updates_the_comment(
    github: FakeGitHub, workflow: dict[str, str], tmp_path: Path
) -> None:
    github.add(BOT, f"{marker('ner')}\nAll was well.")
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    file = yaml.safe_load((ROOT / "docs" / "workflows" / "gpu.yml").read_text())
    del workflow["GITHUB_TOKEN"]
    codes = []
    for step in file["jobs"]["understanding"]["steps"]:
        if "docker run" not in step.get("run", ""):
            continue
        variables = {name: str(value) for name, value in step["env"].items()}
        tokens = {name: TOKEN for name, value in variables.items() if "github.token" in value}
        environment = {
            **os.environ, **workflow, **variables, **tokens,
            "PATH": f"{docker.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "runner"),
            "GITHUB_WORKSPACE": str(tmp_path),
            "RUNNER_TEMP": str(tmp_path),
        }  # fmt: skip
        assert step.get("if") is None
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        codes.append(done.returncode)
        assert TOKEN not in done.stdout + done.stderr
    assert codes == [CANNOT_JUDGE]
    (body,) = github.bodies()
    assert body.startswith(f"{marker('ner')}\n### ")
    assert "annot judge" in body
    assert "[Open the run](<https://github.com/octo/models/actions/runs/4711" in body
