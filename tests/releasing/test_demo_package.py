"""The version of ``mt-gate-demo`` says which checkpoints it has.

``runner/demo/versions.json`` has the digest of each version's checkpoints. ``MT_GATE_GOLDEN=write``
adds that of a new version, and changes none: one that no release had yet is removed by hand first.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

import documents
from mt_gate.demo import CHECKPOINTS

DEMO = documents.ROOT / "runner" / "demo"
VERSIONS = DEMO / "versions.json"


def digest(folder: Path) -> str:
    """Return a digest of a folder's files and their names, whatever the order they are found in."""
    lines = (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in folder.rglob("*")
        if path.is_file()
    )
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def project(folder: Path) -> dict:
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


def add(path: Path, version: str, sha256: str) -> None:
    versions = json.loads(path.read_text())
    versions.setdefault(version, sha256)
    path.write_text(json.dumps(versions, indent=1) + "\n")


def test_a_version_has_its_checkpoints() -> None:
    version, today = project(DEMO)["version"], digest(CHECKPOINTS)
    if os.environ.get("MT_GATE_GOLDEN") == "write":
        add(VERSIONS, version, today)
    versions = json.loads(VERSIONS.read_text())
    assert version in versions, f"{version} is new: MT_GATE_GOLDEN=write adds its digest"
    assert versions[version] == today, f"not the checkpoints of {version}: raise the version"
    assert len({*versions.values()}) == len(versions), "a version without another checkpoint"


def test_mt_gate_asks_for_it() -> None:
    required = map(Requirement, project(documents.ROOT)["optional-dependencies"]["demo"])
    [demo] = [item for item in required if item.name == project(DEMO)["name"]]
    assert project(DEMO)["version"] in demo.specifier
