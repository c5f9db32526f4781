"""The workflows of docs/recipes.md: what they ask for exists, and their scripts do their work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

import documents
from cases import table
from command_line import command_of, option_names
from conftest import Answer
from making_pull_requests import WHO, git

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "docs" / "workflows").glob("*.yml"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
INPUTS, OUTPUTS = ACTION["inputs"], ACTION["outputs"]
OURS = ("org/mt-gate@v1", "org/mt-gate/full@v1")
each = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


class Step(NamedTuple):
    job: str
    step: dict[str, Any]


def steps(file: Path) -> Iterator[Step]:
    for name, job in yaml.safe_load(file.read_text())["jobs"].items():
        yield from (Step(name, step) for step in job["steps"])


def script(name: str, step: str) -> str:
    (result,) = (
        item.step["run"]
        for item in steps(ROOT / "docs" / "workflows" / f"{name}.yml")
        if item.step.get("name") == step
    )
    return str(result)


def test_every_recipe_is_described_and_no_other() -> None:
    text = (ROOT / "docs" / "recipes.md").read_text()
    linked = re.findall(r"\]\(workflows/([a-z-]+\.yml)\)", text)
    assert sorted(set(linked)) == [file.name for file in FILES]


@each
def test_permissions_are_set_job_by_job(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text())
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert isinstance(job["permissions"], dict)
        assert job["timeout-minutes"] <= 120


@each
def test_only_actions_that_our_own_workflows_pin(file: Path) -> None:
    own = "".join(path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    ours = re.findall(r"uses: (actions/\S+ # v\S+)", own)
    for used in re.findall(r"uses: (.+)", file.read_text()):
        assert used in ours or used.startswith(OURS)
    for _, step in steps(file):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@each
def test_inputs_and_outputs_exist(file: Path) -> None:
    names_passed = set()
    for _, step in steps(file):
        if step.get("uses") in OURS:
            names_passed |= set(step["with"])
        names = [name for name in step.get("env", {}) if name.startswith("INPUT_")]
        names_passed |= {name.removeprefix("INPUT_").lower() for name in names}
    assert names_passed <= set(INPUTS)
    text = file.read_text()
    ours = {step["id"] for _, step in steps(file) if step.get("uses") in OURS and "id" in step}
    for step_id, name in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", text):
        made = OUTPUTS if step_id in ours else written(file, step_id)
        assert name in made, (step_id, name)
    jobs = yaml.safe_load(text)["jobs"]
    for job, name in re.findall(r"needs\.([\w-]+)\.outputs\.([\w-]+)", text):
        assert name in jobs[job].get("outputs", {}), (job, name)


def written(file: Path, step_id: str) -> set[str]:
    (text,) = (step["run"] for _, step in steps(file) if step.get("id") == step_id)
    assert "GITHUB_OUTPUT" in text
    return set(re.findall(r'echo "([\w-]+)=', text))


def test_outputs_are_looked_at() -> None:
    texts = [file.read_text() for file in FILES]
    assert sum(bool(re.search(r"steps\.[\w-]+\.outputs\.", text)) for text in texts) >= 2


@each
def test_no_expression_reaches_a_shell(file: Path) -> None:
    for _, step in steps(file):
        assert "${{" not in step.get("run", "")


@each
def test_commands_and_extras_exist(file: Path) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for _, step in steps(file):
        for line in re.sub(r"\\\n", " ", step.get("run", "")).splitlines():
            if actual := re.search(r"(?:^|\s)mt-gate ([a-z]+\b.*)", line):
                command, words = command_of(actual[1].split())
                flags = set(re.findall(r"(?<!\w)--[a-z][a-z-]+", " ".join(words)))
                assert flags <= option_names(command)
            for extra in re.findall(r"mt-gate\[([a-z,]+)\]", line):
                assert set(extra.split(",")) <= set(extras["optional-dependencies"])


Bash = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bash(tmp_path: Path) -> Bash:
    """Run a step as GitHub's runner does; keyword arguments are environment."""
    programs = tmp_path / "programs"
    programs.mkdir()
    python = Path(sys.executable)
    (programs / "mt-gate").write_text(f'#!/bin/sh\nexec {python} -m mt_gate "$@"\n')
    (programs / "gh").write_text(
        # In the place of GitHub: requests are written down, artifacts are copied.
        '#!/bin/sh\nprintf "%s\\n" "$*" >> "$RUNNER_TEMP/asked"\n'
        'if [ "$1 $2" = "run download" ]; then cp -r "$KEPT" "$7"; fi\n'
        'if [ "$1 $2" = "release list" ]; then printf "%s" "$RELEASED"; fi\n'
    )
    for program in programs.iterdir():
        program.chmod(0o755)
    (tmp_path / "temp").mkdir()

    def run(text: str, where: Path, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            **WHO,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "runner"),
            "RUNNER_TEMP": str(tmp_path / "temp"),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            **more,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
        return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


def commit(folder: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "change")
    return git(folder, "rev-parse", "HEAD")


NASTY = "the \"new\" labels; $(touch run) `touch run`\n--force 'x' ${IFS}"


@pytest.mark.parametrize("first", [True, False])
def test_a_baseline_is_recorded_and_proposed(
    bash: Bash,
    repository: Path,
    tmp_path: Path,
    run_gate: Callable[..., Answer],
    command: Callable[..., Answer],
    first: bool,
) -> None:
    run_gate()
    out = tmp_path / "out"
    command("baseline", "record", out / "result.json", "--name", "ner", "--dir", tmp_path / "b")
    before = (tmp_path / "b" / "ner.json").read_text()
    commit(repository, {"README": "x"} if first else {"baselines/ner.json": before})
    git(tmp_path, "init", "-q", "--bare", "remote")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote"))
    environment = {
        "KEPT": str(out), "NAME": "ner", "REASON": NASTY, "GITHUB_RUN_ID": "4711",
        "GITHUB_RUN_ATTEMPT": "1", "INTO": "main", "GITHUB_SERVER_URL": "https://gh",
        "GITHUB_REPOSITORY": "octo/models",
    }  # fmt: skip
    done = bash(script("record-baseline", "Record the baseline"), repository, **environment)
    assert done.returncode == 0, done.stderr
    git(repository, "stash", "--include-untracked")  # another job, with a checkout of its own
    environment["KEPT"] = str(tmp_path / "temp" / "recorded")
    done = bash(script("record-baseline", "Open a pull request"), repository, **environment)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("run"))
    branch = "baseline/ner-4711-1"
    assert git(tmp_path / "remote", "for-each-ref", "--format=%(refname)") == f"refs/heads/{branch}"
    proposed = git(repository, "show", "--name-only", "--format=").split()
    assert sorted(proposed) == ["baselines/ner.answers.gz", "baselines/ner.json"]
    recorded = json.loads(git(repository, "show", f"{branch}:baselines/ner.json"))
    assert recorded["accept"] == NASTY
    body = (tmp_path / "temp" / "body.md").read_text()
    assert body.startswith(f"{NASTY}\n\n````\n")
    assert ("newly violated" in body) != first
    assert body.endswith("https://gh/octo/models/actions/runs/4711\n")
    requests = (tmp_path / "temp" / "asked").read_text().splitlines()
    expected = f"pr create --base main --head {branch} --title Record baseline ner"
    assert requests[-1].startswith(expected)


def test_results_are_stored_on_a_branch_of_their_own(
    bash: Bash,
    repository: Path,
    tmp_path: Path,
    run_gate: Callable[..., Answer],
    command: Callable[..., Answer],
) -> None:
    """The first result makes the branch, the second finds the first one there."""
    run_gate()
    command("baseline", "record", tmp_path / "out", "--name", "ner", "--dir", "b")
    baseline = (tmp_path / "b" / "ner.json").read_text()
    git(tmp_path, "init", "-q", "--bare", "remote")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote"))
    branch = "mt-gate-history"
    commits = []
    for number in range(2):
        out = tmp_path / f"out-{number}"
        run_gate(out=out, baseline=tmp_path / "b" / "ner.json")
        commits.append(commit(repository, {"baselines/ner.json": baseline, "x": str(number)}))
        shutil.rmtree(tmp_path / "temp")
        (tmp_path / "temp").mkdir()
        git(repository, "worktree", "prune")
        environment = {"KEPT": str(out), "NAME": "ner", "BRANCH": branch,
                       "GITHUB_RUN_ID": "1", "GITHUB_SHA": commits[-1]}  # fmt: skip
        done = bash(script("history", "Store the result"), repository, **environment)
        assert done.returncode == 0, done.stderr
        stored = git(tmp_path / "remote", "ls-tree", "-r", "--name-only", branch)
        assert commits[-1] in stored, "whether or not it can be drawn"
        drawing = tmp_path / f"drawing-{number}"
        for _ in range(2):  # again, as a job that is run again does
            shutil.rmtree(drawing, ignore_errors=True)
            remote = str(tmp_path / "remote")
            git(tmp_path, "clone", "-q", "--branch", branch, remote, str(drawing))
            drawn = bash(script("history", "Write the page and the table"), drawing)
            assert drawn.returncode == 0, drawn.stderr
            shutil.copytree(drawing / "docs", tmp_path / "drawn", dirs_exist_ok=True)
            git(drawing, "clean", "-qfd")
            git(drawing, "checkout", "-q", ".")
            shutil.rmtree(tmp_path / "temp" / "docs", ignore_errors=True)
            environment["KEPT"] = str(tmp_path / "drawn")
            done = bash(script("history", "Publish the page and the table"), drawing, **environment)
            assert done.returncode == 0, done.stderr
        assert f"{number + 1} run" in drawn.stdout
    names = git(tmp_path / "remote", "ls-tree", "-r", "--name-only", branch).split()
    for name in ("result.json", "groups.jsonl.gz"):
        actual = [path for path in names if path.startswith("runs/") and path.endswith(name)]
        assert len(actual) == 2
        assert {path.split("/")[1][len("2026-01-31-") :] for path in actual} == {*commits}
    assert {"docs/index.html", "docs/history.csv"} < {*names}
    assert sum(path.startswith("baselines/") for path in names) == 1
    assert git(repository, "status", "--porcelain") == ""
    assert len(git(tmp_path / "remote", "rev-list", branch).split()) == 4
    page = git(tmp_path / "remote", "show", f"{branch}:docs/index.html")
    assert all(sha in page for sha in commits)


@pytest.mark.parametrize(("files", "gates"), table(__file__, "the_gates_that_a_change_concerns"))
def test_the_gates_that_a_change_concerns(
    bash: Bash, repository: Path, tmp_path: Path, files: dict[str, str], gates: list[str]
) -> None:
    base = commit(repository, {"README": "1", "search/models/ner/model.onnx": "1"})
    git(repository, "checkout", "-q", "-b", "proposal")
    commit(repository, files)
    git(repository, "checkout", "-q", "main")
    commit(repository, {"help/models/moved-on": "1"})  # by others: no concern of the pull request
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "proposal")
    assert changed_gates(bash, repository, tmp_path) == gates
    assert git(repository, "rev-parse", "HEAD^1") != base


def changed_gates(bash: Bash, repository: Path, tmp_path: Path) -> list[str]:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed; GitHub's runners have it")
    (variables,) = (
        item.step["env"]["GATES"]
        for item in steps(ROOT / "docs" / "workflows" / "monorepo.yml")
        if item.step.get("id") == "changed"
    )
    step = script("monorepo", "List the gates to run")
    done = bash(step, repository, GATES=variables)
    assert done.returncode == 0, done.stderr
    (line,) = (tmp_path / "output").read_text().splitlines()
    return [gate["name"] for gate in json.loads(line.removeprefix("gates="))]


@pytest.mark.parametrize(("changed", "gates", "gate", "green"), table(__file__, "one_check"))
def test_the_one_check_to_require(
    bash: Bash, repository: Path, changed: str, gates: str, gate: str, green: bool
) -> None:
    step = script("monorepo", "Check that all gates passed")
    done = bash(step, repository, CHANGED=changed, GATES=gates, GATE=gate)
    assert (done.returncode == 0) is green


@pytest.mark.parametrize("answers", [True, False])
@pytest.mark.parametrize("tags", [[], ["v1.0"], ["v1.0", "v1.1"]])
def test_a_release_is_judged_by_the_one_before(
    bash: Bash, repository: Path, tags: list[str], answers: bool
) -> None:
    for tag in tags:
        answer_files = {"baselines/ner.answers.gz": f"answers of {tag}"} if answers else {}
        commit(repository, {"baselines/ner.json": tag, **answer_files})
        git(repository, "tag", tag)
    own = {"baselines/ner.answers.gz": "answers of the new one"} if answers or tags else {}
    commit(repository, {"baselines/ner.json": "of the new one", **own})
    here = commit(repository, {"model": "new"})
    git(repository, "tag", "v2.0")
    git(repository, "tag", "nightly", "HEAD^")
    if tags:
        git(repository, "tag", "v1.9", "HEAD^")  # its gate failed, so that it is no release
    step = script("release", "Fetch the baseline of the previous release")
    released = "".join(f"--match={tag}\n" for tag in tags)
    variables = {"BASELINE": "baselines/ner.json", "GITHUB_SHA": here, "GITHUB_REPOSITORY": "o/n"}
    done = bash(step, repository, RELEASED=released, **variables)
    assert done.returncode == 0, done.stderr
    actual = (repository / "baselines" / "released.json").read_text()
    assert actual == (tags[-1] if tags else "of the new one")
    brought = repository / "baselines" / "released.answers.gz"
    assert brought.exists() == answers
    if answers:
        assert brought.read_text() == f"answers of {actual.removeprefix('of ')}"
    assert not tags or not done.stderr
    assert ("::notice::There is no earlier release" in done.stdout) == (not tags)


_INSTALLS = re.compile(
    r"\b(?:pip3?|pipx|uv|npm|yarn|conda|apt|apt-get|brew|gem|cargo|go)\b[^|;&]*?\b(?:install|add)\b"
    r"|\b(?:npx|uvx|pipx run)\b"
)
_PINNED = re.compile(r"[^@\s]+@[0-9a-f]{40}|org/mt-gate(?:/full)?@v\d+")
_IMAGE = re.compile(r"[^\s:@]+:\d+\.\d+\.\d+[\w.-]*")
shown = pytest.mark.parametrize(
    "workflow", documents.shown_workflows(), ids=lambda workflow: workflow.place
)


def faults_of(text: str) -> list[str]:
    """Return which jobs install with a token that may write, and what is not pinned."""
    workflow, result = yaml.safe_load(text), []
    for name, job in workflow["jobs"].items():
        permissions = job.get("permissions", workflow.get("permissions", "write-all"))
        writes = permissions == "write-all" or (
            isinstance(permissions, dict) and "write" in permissions.values()
        )
        for step in job.get("steps", []):
            if "uses" in step and not _PINNED.fullmatch(step["uses"]):
                result.append(f"{name}: {step['uses']}")
            image = (step.get("env") or {}).get("IMAGE")
            if "docker run" in step.get("run", "") and not _IMAGE.fullmatch(str(image)):
                result.append(f"{name}: image {image}")
            for line in step.get("run", "").splitlines():
                if _INSTALLS.search(line):
                    result += [f"{name}: installs and may write"] if writes else []
                    result += [] if "==" in line else [f"{name}: {line.strip()}"]
    return result


@shown
def test_no_job_that_installs_may_write_and_all_is_pinned(workflow: documents.Workflow) -> None:
    assert faults_of(workflow.text) == []


@pytest.mark.parametrize(("job", "expected"), table(__file__, "it_finds_what_is_not_so"))
def test_it_finds_what_is_not_so(job: str, expected: int) -> None:
    assert len(faults_of(f"jobs: {{one: {job}}}")) == expected
