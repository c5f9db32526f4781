"""The files of docs/ci: other servers' own schemas, and what their steps do, with real runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

import documents
from command_line import command_of, option_names
from mt_gate import __version__
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION

FOLDER = documents.ROOT / "docs" / "ci"
IMAGE = "ghcr.io/org/mt-gate"
JUNIT = "mt-gate-out/junit.xml"
DOCKER = """\
import subprocess, sys
from itertools import pairwise
words = sys.argv[1:]
at = next(n for n, word in enumerate(words) if word.startswith("ghcr.io/org/mt-gate:"))
mounts = dict(b.split(":")[1::-1] for a, b in pairwise(words[:at]) if a == "--volume")
where = next(mounts[b] for a, b in pairwise(words[:at]) if a == "--workdir")
run = [sys.executable, "-m", "mt_gate", *(mounts.get(word, word) for word in words[at + 1 :])]
sys.exit(subprocess.run(run, cwd=where).returncode)
"""
"""In the place of Docker: runs the command here, with the folders that it would mount."""


def load(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


class Recipe(NamedTuple):
    """Scripts that gate and that record, if there is one, and their environment."""

    gate: str
    record: str = ""
    environment: Mapping[str, str] = {}


def gitlab(_: Path) -> Recipe:
    jobs = load("gitlab-ci.yml")
    gate, record = ("\n".join(jobs[name]["script"]) for name in ("gate", "record"))
    return Recipe(gate, record, {"GATE": jobs[".mt-gate"]["variables"]["GATE"]})


def jenkins(_: Path) -> Recipe:
    [script] = re.findall(r"^ *sh '(.+)'$", (FOLDER / "Jenkinsfile").read_text(), re.MULTILINE)
    return Recipe(script)


def azure(place: Path) -> Recipe:
    pipeline = load("azure-pipelines.yml")
    [script] = [step["script"] for step in pipeline["jobs"][0]["steps"] if "script" in step]
    values = {name: str(value) for name, value in pipeline["variables"].items()}
    values["CACHE"] = values["CACHE"].replace("$(Pipeline.Workspace)", str(place / "pipeline"))
    assert not re.search(r"\$\((?!id -)", script), "a macro, which Azure would replace"
    return Recipe(script, environment=values)


def docker(place: Path) -> Recipe:
    program = f"sh {FOLDER / 'docker.sh'}"
    environment = {"CACHE": str(place / "cache")}
    return Recipe(program, f'{program} record "${{REASON-}}"', environment)


RECIPES = {
    "gitlab-ci.yml": gitlab,
    "Jenkinsfile": jenkins,
    "azure-pipelines.yml": azure,
    "docker.sh": docker,
}


def test_every_recipe_is_run_and_described() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*RECIPES}
    text = (documents.ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    assert {*re.findall(r"\]\(ci/([\w.-]+)\)", text)} == {*RECIPES}


@pytest.mark.parametrize("name", ["gitlab-ci", "azure-pipelines"])
def test_schemas_of_the_servers(name: str, tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema", reason="needs mt-gate[dev]")
    bad = tmp_path / "bad.yml"
    bad.write_text("gate: {script: [x], artefacts: {}}\n")
    for path, code in ((FOLDER / f"{name}.yml", 0), (bad, 1)):
        command = [sys.executable, "-m", "check_jsonschema", "--regex-variant", "nonunicode"]
        command += ["--builtin-schema", f"vendor.{name}", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout


@pytest.mark.parametrize("name", RECIPES)
def test_images_are_pinned_and_commands_exist(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert {*re.findall(rf"{IMAGE}:([\w.-]+)", text)} == {f"{__version__}-full"}
    assert text.count(IMAGE) == 1
    assert name == "docker.sh" or (JUNIT in text and text.count("mt-gate-out") > 1)
    assert "docs/recipes.md" in text.splitlines()[1 if name == "docker.sh" else 0]
    lines = re.sub(r"(?:mt-gate|mt_gate|\"\$IMAGE\") (run|baseline)", r"mt-gate \1", text)
    commands = re.findall(r"mt-gate ((?:run|baseline) [^'\n]*)", lines)
    assert commands
    for line in commands:
        command, words = command_of(re.sub(r"[$#].*", "", line).split())
        assert {*re.findall(r"--[a-z-]+", " ".join(words))} <= option_names(command)


Bash = Callable[..., int]


@pytest.fixture
def repository(tmp_path: Path, suite: Path, small: Path) -> Path:
    folder = tmp_path / "repository"
    shutil.copytree(small, folder / "models" / "ner")
    (folder / "mt-gate.toml").write_text(f'suite = "{suite}"\nstrict = true\n')
    return folder


@pytest.fixture
def bash(tmp_path: Path, repository: Path) -> Bash:
    """Run a script with ``mt-gate`` and ``docker`` on the path; return its exit code."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "docker.py").write_text(DOCKER)
    for name, arguments in (("mt-gate", "-m mt_gate"), ("docker", str(programs / "docker.py"))):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n')
        (programs / name).chmod(0o755)

    def run(text: str, **more: str) -> int:
        environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(documents.ROOT / "runner"),
            **more,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
        return subprocess.run(command, cwd=repository, env=environment, check=False).returncode

    return run


@pytest.mark.parametrize("name", RECIPES)
def test_gate_and_record(
    name: str, bash: Bash, repository: Path, worse: Path, tmp_path: Path
) -> None:
    """Without a baseline, a recipe cannot judge; with one, it passes and then fails."""
    recipe = RECIPES[name](tmp_path)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), **recipe.environment}
    assert bash(recipe.gate, **environment) == CANNOT_JUDGE
    record = recipe.record or gitlab(tmp_path).record
    own = environment | gitlab(tmp_path).environment
    assert bash(record, **own) == PASS
    assert bash(record, **own, REASON="two words; $(touch run)") == PASS
    recorded = (repository / "baselines" / "ner.json").read_text()
    assert "two words; $(touch run)" in recorded
    assert not (repository / "run").exists()
    assert bash(recipe.gate, **environment) == PASS
    passing = cases_of(repository / JUNIT)
    shutil.rmtree(repository / "models" / "ner")
    shutil.copytree(worse, repository / "models" / "ner")
    assert bash(recipe.gate, **environment) == REGRESSION
    assert cases_of(repository / JUNIT) == passing


def test_the_table_of_several_gates(bash: Bash, repository: Path, tmp_path: Path) -> None:
    """A step of GitHub's recipe: a gate's artifact, and one of a gate without a result."""
    workflow = yaml.safe_load((documents.ROOT / "docs/workflows/matrix.yml").read_text())
    _, step = workflow["jobs"]["table"]["steps"]
    recipe = docker(tmp_path)
    assert bash(recipe.record, **recipe.environment) == PASS
    (repository / "gates" / "mt-gate-two").mkdir(parents=True)
    (repository / "mt-gate-out").rename(repository / "gates" / "mt-gate-one")
    summary = tmp_path / "summary.md"
    assert bash(step["run"], **step["env"], GITHUB_STEP_SUMMARY=str(summary)) == PASS
    assert [row.split("|")[2].strip() for row in summary.read_text().splitlines()[2:]] == [
        "ner", "mt-gate-two"
    ]  # fmt: skip


def cases_of(path: Path) -> list[tuple[str, str]]:
    cases = ET.parse(path).getroot().iter("testcase")
    return [(case.attrib["classname"], case.attrib["name"]) for case in cases]
