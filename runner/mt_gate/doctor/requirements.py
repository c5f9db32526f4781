"""What the package says that it needs, read from its own metadata: no second list to keep."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import metadata
from typing import NamedTuple

PACKAGE = "mt-gate"

_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^]]*\])?\s*([^;]*?)\s*(?:;(.*))?$"
)
_EXTRA = re.compile(r"extra\s*==\s*['\"]([A-Za-z0-9._-]+)['\"]")
_CLAUSE = re.compile(r"\s*(>=|<)\s*(\d+(?:\.\d+)*)\s*$")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")


class Requirement(NamedTuple):
    """A package, the versions asked for (as ``>=1.2,<2``), and the extra that asks; "" for all."""

    package: str
    versions: str
    extra: str


def requirements() -> list[Requirement] | None:
    """Return what the installed package asks for; None where it is not installed as a package."""
    try:
        return parsed(metadata.requires(PACKAGE) or ())
    except metadata.PackageNotFoundError:
        return None


def parsed(lines: Iterable[str]) -> list[Requirement]:
    """Return the requirements that lines of package metadata hold; others are left out."""
    found = []
    for line in lines:
        match = _REQUIREMENT.match(line)
        if match:
            extra = _EXTRA.search(match[3] or "")
            found.append(Requirement(match[1], match[2], extra[1] if extra else ""))
    return found


def installed_version(package: str) -> str | None:
    """Return a package's version without importing it; None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def fits(version: str, versions: str) -> bool:
    """Say whether a version is among those asked for.

    Releases are compared (``2.13.0`` of ``2.13.0+cpu``); a clause other than ``>=`` and ``<``
    is taken to hold.
    """
    release = _RELEASE.match(version)
    if release is None:
        return True
    for clause in versions.split(","):
        match = _CLAUSE.match(clause)
        if match:
            at_least = _numbers(release[0]) >= _numbers(match[2])
            if at_least != (match[1] == ">="):
                return False
    return True


def _numbers(release: str) -> tuple[int, ...]:
    numbers = [int(part) for part in release.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
