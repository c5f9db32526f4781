"""The recipes of ``docs/workflows``, run as they stand there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from end_to_end.containers import ROOT
from end_to_end.repository import FEW, Change, Files, checkpoint, propose, record, settings
from end_to_end.workflows import Run
from mt_gate.github.comment import marker
from pull_requests.fake_github import BOT, FakeGitHub

RECIPES = ROOT / "docs/workflows"
RUN = {"forks-gate.yml", "gate.yml", "matrix.yml", "merge-queue.yml", "monorepo.yml"}
NOT_RUN = {
    "endpoint.yml": "needs an endpoint of a language model",
    "forks-comment.yml": "reads the artifact of another workflow's run",
    "gpu.yml": "needs a GPU",
    "history.yml": "installs mt-gate from an index, and pushes to a branch",
    "nightly.yml": "checks another ref out, which act's own actions/checkout does not",
    "qualify.yml": "exports a checkpoint, for which the image of these tests has no torch",
    "record-baseline.yml": "installs mt-gate from an index, and opens a pull request with gh",
    "release.yml": "is about tags, and releases with gh",
    "shards.yml": "hands artifacts from job to job, which the runner of these tests does not",
}
SAME: Files = {"README.md": b"nothing that a gate reads"}
BOUND = '[max-violation-rate]\n"ner/token-replacement" = 0.01'
"""A bound that no checkpoint of the demo keeps."""
pytestmark = pytest.mark.skipif(not RECIPES.is_dir(), reason=f"no {RECIPES}")


@pytest.fixture(scope="module")
def baselines(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """What the demo's baseline checkpoints come to."""
    folder = tmp_path_factory.mktemp("baselines")
    return {task: record(task, FEW, (), folder / task) for task in ("ner", "boolq")}


def with_recipe(name: str, *more: str) -> Files:
    workflow = (RECIPES / name).read_bytes()
    return {f".github/workflows/{name}": workflow, **settings(FEW, *more)}


@pytest.fixture
def ner(baselines: Mapping[str, bytes]) -> Files:
    return {"baselines/ner.json": baselines["ner"], **checkpoint("ner-baseline", "models/ner")}


def test_every_recipe_is_run_or_says_why_not() -> None:
    assert {path.name for path in RECIPES.glob("*.yml")} == RUN | set(NOT_RUN)


def results(run: Run) -> dict[str, str]:
    return {name.partition("/")[2].strip(): result for name, result in run.jobs.items()}


def artifact(run: Run, name: str) -> list[str]:
    start = f"artifact {name}: "
    lines = run.printed().splitlines()
    return sorted(line.removeprefix(start) for line in lines if line.startswith(start))


ALL = [
    "mt-gate-out/groups.jsonl.gz",
    "mt-gate-out/junit.xml",
    "mt-gate-out/report.html",
    "mt-gate-out/result.json",
    "mt-gate-out/summary.md",
]


def test_gate(ner: Files, run: Callable[[Change], Run], github: FakeGitHub, tmp_path: Path) -> None:
    actual = run(propose(tmp_path, {**ner, **with_recipe("gate.yml", BOUND)}, SAME))
    assert results(actual) == {"understanding": "failure"}
    assert artifact(actual, "mt-gate") == ALL
    assert len(github.bodies(BOT)) == 1


def test_forks_gate(
    ner: Files, run: Callable[[Change], Run], github: FakeGitHub, tmp_path: Path
) -> None:
    base = {**ner, **with_recipe("forks-gate.yml")}
    actual = run(propose(tmp_path, base, SAME, fork=True))
    assert results(actual) == {"understanding": "success"}
    assert artifact(actual, "mt-gate") == [
        "mt-gate-out/groups.jsonl.gz", "mt-gate-out/result.json"
    ]  # fmt: skip
    assert artifact(actual, "mt-gate-report") == ALL
    assert not github.requests


def test_matrix(
    baselines: Mapping[str, bytes],
    run: Callable[[Change], Run],
    github: FakeGitHub,
    tmp_path: Path,
) -> None:
    base: Files = {
        "baselines/ner-small.json": baselines["ner"],
        "baselines/ner-large.json": baselines["ner"],
        "baselines/answers.json": baselines["boolq"],
        **checkpoint("ner-baseline", "models/ner-small"),
        **checkpoint("ner-baseline", "models/ner-large"),
        **checkpoint("boolq-baseline", "models/answers"),
        **with_recipe("matrix.yml"),
    }
    actual = run(propose(tmp_path, base, checkpoint("boolq-candidate", "models/ner-large")))
    assert actual.gates == {
        "gate ner-small-1": "success", "gate ner-large-2": "failure", "gate answers-3": "success"
    }  # fmt: skip
    assert results(actual)["gates"] == "failure"
    (said,) = github.bodies(BOT)
    assert said.startswith(marker("ner-large"))
    assert "a checkpoint for task boolq" in said


def test_monorepo(
    baselines: Mapping[str, bytes],
    run: Callable[[Change], Run],
    github: FakeGitHub,
    tmp_path: Path,
) -> None:
    base: Files = {
        "search/baselines/ner.json": baselines["ner"],
        "help/baselines/boolq.json": baselines["boolq"],
        **checkpoint("ner-baseline", "search/models/ner"),
        **checkpoint("boolq-baseline", "help/models/boolq"),
        **with_recipe("monorepo.yml"),
        **settings(FEW, BOUND),  # a change of settings would concern both gates
    }
    change = {"search/models/ner/README.md": b"retrained"}
    actual = run(propose(tmp_path, base, change))
    assert actual.gates == {"gate search/ner": "failure"}
    assert results(actual)["changed"] == "success"
    assert results(actual)["gates"] == "failure"
    (said,) = github.bodies(BOT)
    assert said.startswith(marker("search/ner"))


@pytest.mark.parametrize("on", ["merge_group", "push"])
def test_merge_queue(
    on: str, ner: Files, run: Callable[[Change], Run], github: FakeGitHub, tmp_path: Path
) -> None:
    """What is in the queue is judged by what it is put on top of; no event but one comments."""
    base = {**ner, **with_recipe("merge-queue.yml")}
    change = propose(tmp_path, base, {"baselines/ner.json": b"edited"})
    actual = run(change.queued() if on == "merge_group" else change.pushed())
    verdict = {"merge_group": "pass", "push": "cannot-judge"}[on]
    assert results(actual) == {"understanding": "success" if verdict == "pass" else "failure"}
    assert actual.outputs()["verdict"] == verdict
    assert not github.requests
