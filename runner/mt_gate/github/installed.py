"""Python packages that a step has installed from the checkout: a pull request's own code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

_WHERE = ("lib/python*/site-packages", "lib/python*/dist-packages")
_SAY = ("*.dist-info/direct_url.json", "*.egg-link", "*.pth", "__editable__*.py")
"""Files that say where a package was installed from, or leads to (PEP 610, setuptools)."""
_LONGEST = 1 << 20
"""Bytes of such a file that are looked through."""


class Installed(NamedTuple):
    """A package's file that names the checkout, and the place in the checkout that it names."""

    file: Path
    source: Path


def installed_from(checkout: Path, environment: Mapping[str, str]) -> Iterator[Installed]:
    """Yield the packages that the Pythons on ``PATH`` may import from a checkout.

    Args:
        checkout: its top folder, links resolved.
        environment: of the programs: ``PATH``, ``PYTHONPATH``, ``HOME``.
    """
    named = re.compile(rf"{re.escape(str(checkout))}(?=[/\s\"']|$)[^\s\"']*")
    for folder in dict.fromkeys(_folders(environment)):
        for pattern in _SAY:
            for file in sorted(folder.glob(pattern)):
                for found in named.finditer(_text(file)):
                    yield Installed(file, Path(found[0]))


def _folders(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the folders of packages of each Python on ``PATH``, and of the user."""
    programs = environment.get("PATH", "").split(os.pathsep)
    prefixes = [Path(name).parent for name in programs if name]
    prefixes.append(Path(environment.get("HOME", "/"), ".local"))
    for prefix in (*prefixes, *map(Path, map(os.path.realpath, prefixes))):
        for pattern in _WHERE:
            yield from sorted(prefix.glob(pattern))
    yield from (Path(name) for name in environment.get("PYTHONPATH", "").split(os.pathsep) if name)


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return unquote(opened.read(_LONGEST).decode("utf-8", "replace"))
    except OSError:
        return ""
