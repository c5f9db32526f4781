"""What ``.ci/actions.py`` writes: the second action, and on a release the images' digests."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest
import yaml

from cases import table
from releasing import scripts

RUN = "ghcr.io/org/mt-gate@sha256:" + "a" * 64
FULL = "ghcr.io/org/mt-gate@sha256:" + "b" * 64
SCRIPT, ACTION, SECOND = ".ci/actions.py", "action.yml", "full/action.yml"
actions = scripts.load("actions")


def on_branch(text: str) -> str:
    return re.sub(r"(?m)^  image: docker://\S+$", "  image: Dockerfile", text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The sources of a branch."""
    copy = scripts.copied(tmp_path, SCRIPT, ACTION, "Dockerfile")
    (copy / ACTION).write_text(on_branch((copy / ACTION).read_text()))
    return copy


@pytest.fixture(params=["as it is", "released"])
def checkout(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """This checkout, whether of a branch or of a release, and what a release makes of it."""
    copy = scripts.copied(tmp_path, SCRIPT, ACTION, SECOND, "Dockerfile", "Dockerfile.full")
    if request.param == "released":
        (copy / ACTION).write_text(on_branch((copy / ACTION).read_text()))
        assert scripts.run(copy / SCRIPT, "--run", RUN, "--full", FULL).returncode == 0
    return copy


def image(root: Path, name: str) -> str:
    return str(yaml.safe_load((root / name).read_text())["runs"]["image"])


def changed(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def test_what_is_committed_is_what_it_writes(checkout: Path) -> None:
    """Of a release: what it wrote with the images that both actions name."""
    images = [image(checkout, name).removeprefix("docker://") for name in (ACTION, SECOND)]
    committed = {path: path.read_text() for path in map(checkout.joinpath, (ACTION, SECOND))}
    dockerfile = checkout / "Dockerfile.full"
    committed[dockerfile] = dockerfile.read_text()
    released = images[0] != "Dockerfile"
    if released:
        (checkout / ACTION).write_text(on_branch(committed[checkout / ACTION]))
    written = actions.written(checkout, *images) if released else actions.written(checkout)
    for path, text in written.items():
        assert committed[path] == text, f"run python {SCRIPT}"


def test_both_actions_have_the_same_border(checkout: Path) -> None:
    first, second = (yaml.safe_load((checkout / p).read_text()) for p in (ACTION, SECOND))
    assert {key for key in first if first[key] != second[key]} == {"name", "description", "runs"}
    assert {**first["runs"], "image": ""} == {**second["runs"], "image": ""}


def test_on_a_branch_each_builds_its_own_target(root: Path) -> None:
    """A docker action names a file and no target: the last stage is what is built."""
    assert scripts.run(root / SCRIPT).returncode == 0
    for name in (ACTION, SECOND):
        dockerfile = (root / name).parent / image(root, name)
        stages = [
            line.split() for line in dockerfile.read_text().splitlines() if line.startswith("FROM ")
        ]
        built = stages[-1][3] if name == ACTION else stages[-1][1]
        assert built == {ACTION: "run", SECOND: "full"}[name]


def test_a_release_names_each_image_and_changes_nothing_else(root: Path) -> None:
    assert scripts.run(root / SCRIPT).returncode == 0
    before = {name: (root / name).read_text() for name in (ACTION, SECOND)}
    done = scripts.run(root / SCRIPT, "--run", RUN, "--full", FULL)
    assert done.returncode == 0, done.stderr
    for name, named in ((ACTION, RUN), (SECOND, FULL)):
        assert image(root, name) == f"docker://{named}"
        text = (root / name).read_text()
        assert [line[0] for line in changed(before[name], text)] == ["-", "+"]


@pytest.mark.parametrize(
    "wrong",
    table(__file__, "an_image_without_a_digest_is_refused"),
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
