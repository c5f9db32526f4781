"""What the package says that it needs, read from its own metadata: no second list to keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import metadata
from typing import NamedTuple

from packaging import requirements as packages
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

PACKAGE = "mt-gate"


class Requirement(NamedTuple):
    """A package, the versions asked for, and the extra that asks; "" for all."""

    package: str
    versions: SpecifierSet
    extra: str


def requirements() -> list[Requirement] | None:
    """Return what the installed package asks for; None where it is not installed as a package."""
    try:
        found = metadata.metadata(PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    extras = found.get_all("Provides-Extra") or ()
    return parsed(found.get_all("Requires-Dist") or (), extras)


def parsed(lines: Iterable[str], extras: Sequence[str]) -> list[Requirement]:
    """Return the requirements that lines of package metadata hold, those of this machine.

    Args:
        lines: of ``Requires-Dist``; what is no requirement is left out.
        extras: those that the package offers.
    """
    found = []
    for line in lines:
        try:
            item = packages.Requirement(line)
        except packages.InvalidRequirement:
            continue
        asking = [extra for extra in ("", *extras) if _applies(item, extra)]
        found += [Requirement(item.name, item.specifier, extra) for extra in asking[:1]]
    return found


def _applies(item: packages.Requirement, extra: str) -> bool:
    return item.marker is None or item.marker.evaluate({"extra": extra})


def installed_version(package: str) -> str | None:
    """Return a package's version without importing it; None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def fits(version: str, versions: SpecifierSet) -> bool:
    """Say whether a version is among those asked for; one that pip cannot read is taken to be."""
    try:
        return versions.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return True
