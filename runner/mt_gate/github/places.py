"""Every place that a path leads to: links on the way, what it names, and links below that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mt_gate.base.figures import count
from mt_gate.github.git_objects import GitFailed

_MOST_LINKS = 40
"""Links that one path may lead through, as in Linux."""
_MOST_ENTRIES = 1_000_000
"""Files and folders below a path that are looked at."""


def places(path: Path) -> Iterator[Path]:
    """Yield every place whose content decides what a path leads to, each from the root.

    These are the path as it is named, each link on the way to it, the place that it resolves to,
    and the same of each link below that place.

    Args:
        path: relative to the working folder, or absolute; nothing need be there.

    Raises:
        GitFailed: more links or files than are looked at.
    """
    seen: set[Path] = set()
    waiting = [Path(os.path.normpath(Path.cwd() / path)), Path.cwd() / path]
    while waiting:
        for place in way(waiting.pop()):
            if place in seen:
                continue
            seen.add(place)
            yield place
            if not place.is_symlink():
                waiting += _links_below(place)


def way(path: Path) -> Iterator[Path]:
    """Yield each link on the way to a path as the system walks it, and the place at its end.

    Raises:
        GitFailed: more links than the system follows.
    """
    here, names, links = Path("/"), [*reversed((Path.cwd() / path).parts)], 0
    while names:
        name = names.pop()
        if name == "..":
            here = here.parent
            continue
        here = here / name
        if not os.path.islink(here):
            continue
        yield here
        links += 1
        if links > _MOST_LINKS:
            raise GitFailed(f"more than {_MOST_LINKS} links on the way to it")
        names += reversed(Path(os.readlink(here)).parts)
        here = here.parent
    yield here


def _links_below(folder: Path) -> list[Path]:
    found, entries = [], 0
    for parent, folders, names in os.walk(folder):
        entries += len(folders) + len(names)
        if entries > _MOST_ENTRIES:
            raise GitFailed(f"more than {count(_MOST_ENTRIES)} files in {folder}")
        found += [
            path
            for name in (*folders, *names)
            if os.path.islink(path := os.path.join(parent, name))
        ]
    return [Path(path) for path in found]
