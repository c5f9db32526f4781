"""What ``.ci/actions.py`` writes: the second action, and on a release the images' digests."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
import yaml

import documents
from releasing import scripts

RUN = "ghcr.io/org/mt-gate@sha256:" + "a" * 64
FULL = "ghcr.io/org/mt-gate@sha256:" + "b" * 64
SCRIPT, ACTION, SECOND = ".ci/actions.py", "action.yml", "full/action.yml"

actions = scripts.load("actions")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return scripts.copied(tmp_path, SCRIPT, ACTION, "Dockerfile")


def changed(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def test_what_is_committed_is_what_it_writes() -> None:
    for path, text in actions.written(documents.ROOT).items():
        assert path.read_text(encoding="utf-8") == text, f"run python {SCRIPT}"


def test_both_actions_have_the_same_border() -> None:
    first, second = (yaml.safe_load((documents.ROOT / p).read_text()) for p in (ACTION, SECOND))
    assert {key for key in first if first[key] != second[key]} == {"name", "description", "runs"}
    assert {**first["runs"], "image": ""} == {**second["runs"], "image": ""}


def test_on_a_branch_each_builds_its_own_target() -> None:
    """A docker action names a file and no target: the last stage is what is built."""
    for name in (ACTION, SECOND):
        path = documents.ROOT / name
        image = yaml.safe_load(path.read_text())["runs"]["image"]
        stages = [
            line.split()
            for line in (path.parent / image).read_text().splitlines()
            if line.startswith("FROM ")
        ]
        built = stages[-1][3] if name == ACTION else stages[-1][1]
        assert built == {ACTION: "run", SECOND: "full"}[name]


def test_a_release_names_each_image_and_changes_nothing_else(root: Path) -> None:
    before = {name: (documents.ROOT / name).read_text() for name in (ACTION, SECOND)}
    done = scripts.run(root / SCRIPT, "--run", RUN, "--full", FULL)
    assert done.returncode == 0, done.stderr
    for name, image in ((ACTION, RUN), (SECOND, FULL)):
        text = (root / name).read_text()
        assert yaml.safe_load(text)["runs"]["image"] == f"docker://{image}"
        assert [line[0] for line in changed(before[name], text)] == ["-", "+"]


@pytest.mark.parametrize(
    "wrong",
    [
        "ghcr.io/org/mt-gate:v1",
        "ghcr.io/org/mt-gate",
        "ghcr.io/org/mt-gate@sha256:" + "a" * 63,
        f"{RUN}\n  args: [x]",
        f"docker://{RUN}",
        "mt-gate@sha256:" + "a" * 64,
        "",
    ],
)
def test_an_image_without_a_digest_is_refused(root: Path, wrong: str) -> None:
    before = (root / ACTION).read_text()
    for pair in (("--run", wrong, "--full", FULL), ("--run", RUN, "--full", wrong)):
        done = scripts.run(root / SCRIPT, *pair)
        assert done.returncode == 2
        assert "expected REGISTRY/NAME@sha256:" in done.stderr
        assert "Traceback" not in done.stderr
    assert (root / ACTION).read_text() == before
    assert not (root / SECOND).exists()


def test_one_image_alone_is_refused(root: Path) -> None:
    assert "go together" in scripts.run(root / SCRIPT, "--run", RUN).stderr


def test_what_is_released_is_not_released_again(root: Path) -> None:
    assert scripts.run(root / SCRIPT, "--run", RUN, "--full", FULL).returncode == 0
    again = scripts.run(root / SCRIPT, "--run", FULL, "--full", RUN)
    assert again.returncode == 2
    assert "image: Dockerfile" in again.stderr
    assert RUN in (root / ACTION).read_text()
