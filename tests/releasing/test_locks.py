"""The locks of the images hold what ``pyproject.toml`` asks for, each by hash, and no address."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import documents
from releasing import scripts

LOCKS = sorted(scripts.CI.glob("lock-*.txt"))
EXTRAS = {"run": ("cpu", "github"), "full": ("cpu", "export", "github"), "gpu": ("gpu", "github")}
"""The extras that each image installs."""
PROJECT = tomllib.loads((documents.ROOT / "pyproject.toml").read_text())["project"]


def locked(path: Path) -> Mapping[str, Version]:
    """Return the packages of a lock; fail where one has no hash, or a line is something else."""
    result: dict[str, Version] = {}
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.MULTILINE)
    for entry in text.replace("\\\n", " ").splitlines():
        name, *hashes = entry.split()
        assert hashes, entry
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", item) for item in hashes), entry
        package, version = re.fullmatch(r"([a-z0-9-]+)==(\S+)", name).groups()  # type: ignore[union-attr]
        assert package not in result
        result[package] = Version(version)
    return result


def of(name: str) -> Mapping[str, Version]:
    return locked(scripts.CI / f"lock-{name}.txt")


def requirements(target: str) -> Iterator[Requirement]:
    yield from map(Requirement, PROJECT["dependencies"])
    for extra in EXTRAS[target]:
        yield from map(Requirement, PROJECT["optional-dependencies"][extra])


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_each_package_has_a_version_and_hashes(path: Path) -> None:
    assert locked(path)
    assert not re.search(r"://|--(?:index|extra-index|find)", path.read_text())


@pytest.mark.parametrize("target", EXTRAS)
def test_an_image_has_what_it_requires(target: str) -> None:
    actual = {**of(target), **(of("torch") if target == "full" else {})}
    for requirement in requirements(target):
        version = actual[canonicalize_name(requirement.name)]
        assert version in requirement.specifier, requirement


def test_only_the_image_that_exports_has_torch() -> None:
    assert {"torch", "transformers"}.isdisjoint({*of("run"), *of("gpu")})
    assert "transformers" in of("full")
    assert {*of("torch")} == {"torch"}


def test_images_run_the_versions_that_tests_run() -> None:
    tested = {
        canonicalize_name(requirement.name): requirement.specifier
        for line in (scripts.CI / "constraints.txt").read_text().splitlines()
        if not line.startswith("#")
        for requirement in [Requirement(line)]
    }
    for path in LOCKS:
        for name, version in locked(path).items():
            assert name not in tested or version in tested[name], (path.name, name)
