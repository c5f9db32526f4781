"""What is installed: Python, mt-gate, its extras, spaCy's pipelines. Nothing is imported for it."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from mt_gate import __version__
from mt_gate.doctor.findings import DoctorFinding, FindingSection, State
from mt_gate.doctor.requirements import Requirement, fits, installed_version, requirements

RUNTIMES = ("onnxruntime", "onnxruntime-gpu")
"""The two builds of ONNX Runtime; they put their files in one place."""

_NOT_FOR_USERS = "dev"


def installed() -> FindingSection:
    """Return what is installed, with versions, and how to get what is not."""
    return FindingSection("installed", (*_tool(), *_needs(requirements()), *_pipelines()))


def _tool() -> Iterable[DoctorFinding]:
    place = Path(__file__).parents[1]
    machine = f"{platform.system()} {platform.machine()}"
    yield DoctorFinding("mt-gate", State.OK, f"{__version__}, in {place}")
    yield DoctorFinding("Python", State.OK, f"{platform.python_version()}, {machine}")


def _needs(asked: Sequence[Requirement] | None) -> Iterable[DoctorFinding]:
    if asked is None:
        text = (
            "mt-gate is not installed as a package here, so its extras are unknown; pip install it"
        )
        yield DoctorFinding("extras", State.NOTE, text)
        return
    for extra in dict.fromkeys(item.extra for item in asked):
        if extra != _NOT_FOR_USERS:
            yield extra_found(extra, [item for item in asked if item.extra == extra])
    both = [name for name in RUNTIMES if installed_version(name)]
    if len(both) == len(RUNTIMES):
        text = (
            f"{' and '.join(both)} are both installed and overwrite each other; pip uninstall "
            "both, then pip install 'mt-gate[gpu]' or 'mt-gate[cpu]'"
        )
        yield DoctorFinding("runtimes", State.NOTE, text)


def extra_found(extra: str, asked: Sequence[Requirement]) -> DoctorFinding:
    """Return what is there of an extra ("" for what every run needs)."""
    versions = {item.package: installed_version(item.package) for item in asked}
    there = [f"{name} {version}" for name, version in versions.items() if version]
    unfit = [
        f"{item.package}{item.versions}"
        for item in asked
        if not fits(versions[item.package] or "0", item.versions) or not versions[item.package]
    ]
    name = f"[{extra}]" if extra else "needed"
    if not unfit:
        return DoctorFinding(name, State.OK, ", ".join(there))
    other = [package for package in RUNTIMES if package not in versions]
    if len(other) < len(RUNTIMES) and (version := installed_version(other[0])):
        text = f"{other[0]} {version} is installed instead; only one build can be installed"
        return DoctorFinding(name, State.ABSENT, text)
    install = f"pip install 'mt-gate[{extra}]'" if extra else "pip install --upgrade mt-gate"
    has = f"has {', '.join(there)}; " if there else ""
    state = State.ABSENT if extra else State.PROBLEM
    return DoctorFinding(name, state, f"{has}wants {', '.join(unfit)}: {install}")


def _pipelines() -> Iterable[DoctorFinding]:
    """Yield the spaCy pipelines that are packages, as their entry points name them."""
    found = sorted(
        f"{entry.name} {entry.dist.version}" if entry.dist else entry.name
        for entry in metadata.entry_points(group="spacy_models")
    )
    if found:
        yield DoctorFinding("pipelines", State.OK, ", ".join(found))
    elif installed_version("spacy"):
        text = "no spaCy pipeline: python -m spacy download en_core_web_sm"
        yield DoctorFinding("pipelines", State.ABSENT, text)
