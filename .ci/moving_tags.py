"""Prints what a release moves: ``major=vX``, empty for none, and ``latest=true`` or ``false``.

    git ls-remote --tags origin | python .ci/moving_tags.py X.Y.Z

A major tag moves to the newest release of its major version only, and there is none for version 0,
which promises nothing between its minor versions. The latest release is the newest of all.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

Version = tuple[int, ...]
_VERSION = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"


def version(text: str) -> Version:
    """Return a version.

    Raises:
        ValueError: it is not one of a release.
    """
    found = re.fullmatch(_VERSION, text)
    if found is None:
        raise ValueError(f"version {text!r}: expected X.Y.Z, three numbers")
    return tuple(map(int, found.groups()))


def released(lines: Iterable[str]) -> set[Version]:
    """Return the versions that have a tag ``vX.Y.Z``; lines end in tags, as git prints them."""
    found = (re.search(rf"(?:^|refs/tags/)v({_VERSION})$", line.strip()) for line in lines)
    return {version(match[1]) for match in found if match}


def moving(new: Version, others: set[Version]) -> tuple[str, bool]:
    """Return the major tag that moves, if any, and whether the release is the latest."""
    of_major = {other for other in others if other[0] == new[0]}
    moves = new[0] > 0 and new >= max(of_major, default=new)
    return f"v{new[0]}" if moves else "", new >= max(others, default=new)


def main(arguments: list[str]) -> int:
    """Print; return the exit code."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        new = version(arguments[0])
    except ValueError as error:
        print(f"moving_tags.py: {error}", file=sys.stderr)
        return 2
    major, latest = moving(new, released(sys.stdin))
    print(f"major={major}\nlatest={str(latest).lower()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
