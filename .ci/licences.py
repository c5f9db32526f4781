"""Lists the licence of everything installed, and fails where one is not among ``licences.toml``.

    python .ci/licences.py [NAME ...]      all distributions of this Python, or those named

In an image, with the packages of Debian, whose main archive holds free software only:

    docker run --rm --entrypoint python --volume "$PWD/.ci:/ci:ro" IMAGE /ci/licences.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from importlib.metadata import PackageMetadata, distributions
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("licences.toml")
COPYRIGHTS = Path("/usr/share/doc")


class Policy(NamedTuple):
    """What is allowed: identifiers, other names of them, and vendors' by pattern of package."""

    allowed: frozenset[str]
    names: dict[str, str]
    vendors: dict[str, str]


class Licensed(NamedTuple):
    """A package; ``licence`` is empty where none is known."""

    name: str
    version: str
    licence: str
    allowed: bool


def policy(path: Path = TABLE) -> Policy:
    """Read the table."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Policy(frozenset(table["allowed"]), table["names"], table["vendors"])


def licence_of(metadata: PackageMetadata, names: dict[str, str]) -> str:
    """Return a package's licence as an SPDX expression, or in its own words; empty without any."""
    fields = metadata.json
    expression = str(fields.get("license_expression") or "")
    if expression:
        return expression
    classifiers = fields.get("classifier") or []
    told = [text.rpartition(" :: ")[2] for text in classifiers if text.startswith("License :: ")]
    told.append(str(fields.get("license") or "").strip().partition("\n")[0])
    return next((names[word] for word in told if word in names), told[-1])


def is_allowed(expression: str, allowed: Iterable[str]) -> bool:
    """Return whether each licence of an expression is allowed, alternatives included."""
    parts = [part.strip() for part in re.split(r"\(|\)|\bAND\b|\bOR\b", expression)]
    return any(parts) and all(part in allowed for part in parts if part)


def python_packages(rules: Policy, only: Iterable[str] = ()) -> Iterator[Licensed]:
    """Yield the distributions of this Python, and of the one its environment was made with."""
    base = sysconfig.get_path("purelib", vars={"base": sys.base_prefix})
    wanted = {_plain(name) for name in only}
    found = {
        (_plain(item.metadata["Name"]), item.version): item.metadata
        for item in distributions(path=list(dict.fromkeys([*sys.path, base])))
    }
    for (name, version), metadata in sorted(found.items()):
        if wanted and name not in wanted:
            continue
        vendor = next((v for pattern, v in rules.vendors.items() if fnmatch(name, pattern)), None)
        licence = vendor or licence_of(metadata, rules.names)
        fine = vendor is not None or is_allowed(licence, rules.allowed)
        yield Licensed(name, version, licence, fine)


def debian_packages() -> Iterator[Licensed]:
    """Yield what Debian's package manager installed; without a copyright file nothing is known."""
    try:
        form = "${Package}\t${Version}\n"
        done = subprocess.run(
            ["dpkg-query", "--show", "--showformat", form],
            capture_output=True,
            text=True,
            check=True,
        )
    except (FileNotFoundError, subprocess.CalledProcessError):
        return
    for line in sorted(done.stdout.splitlines()):
        name, version = line.split("\t")
        text = COPYRIGHTS / name / "copyright"
        if not text.is_file():
            yield Licensed(name, version, "", False)
            continue
        found = re.findall(r"^License: *(\S.*)$", text.read_text(errors="replace"), re.MULTILINE)
        told = sorted({re.sub(r"\s+", " ", licence) for licence in found})
        yield Licensed(name, version, ", ".join(told) or f"see {text}", True)


def _plain(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(names: list[str]) -> int:
    """Print the list; return 1 where a licence is not allowed."""
    found = [*python_packages(policy(), names), *([] if names else debian_packages())]
    for item in found:
        print(f"{item.name} {item.version}: {item.licence or 'unknown'}")
    wrong = [item for item in found if not item.allowed]
    for item in wrong:
        told = item.licence or "unknown"
        print(f"licences.py: {item.name}: {told}: not in {TABLE.name}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
