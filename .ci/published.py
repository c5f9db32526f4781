"""Prints ``published=true`` or ``published=false``: whether an index has a wheel, with its bytes.

    python .ci/published.py dist/mt_gate-1.2.3-py3-none-any.whl

Fails where the index has a file of that name with other bytes: a version cannot be published again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

INDEX = "https://pypi.org/simple"
JSON = "application/vnd.pypi.simple.v1+json"
"""The form of an index's answer: https://packaging.python.org/specifications/simple-repository-api."""


def hashes(index: str, project: str) -> dict[str, str]:
    """Return the SHA-256 of each file of a project, by its name; none of one that is not there.

    Raises:
        OSError: the index does not answer.
        ValueError: it answers something else.
    """
    request = urllib.request.Request(f"{index}/{project}/", headers={"Accept": JSON})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            page = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return {}
        raise
    try:
        return {file["filename"]: file["hashes"]["sha256"] for file in page["files"]}
    except (KeyError, TypeError) as error:
        raise ValueError(f"{index}/{project}/: a file without a name or a SHA-256") from error


def is_published(wheel: Path, index: str = INDEX) -> bool:
    """Return whether an index has a wheel.

    Raises:
        OSError: the wheel cannot be read, or the index does not answer.
        ValueError: it has another of that name, or answers something else.
    """
    project = re.sub(r"[-_.]+", "-", wheel.name.partition("-")[0]).lower()
    there = hashes(index, project).get(wheel.name)
    here = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if there not in (None, here):
        raise ValueError(
            f"{wheel.name}: {index} has it with SHA-256 {there}, this one has {here}; "
            "a version stays what it is: raise it"
        )
    return there is not None


def main(arguments: list[str]) -> int:
    """Print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--index", default=INDEX)
    asked = parser.parse_args(arguments)
    try:
        found = is_published(asked.wheel, asked.index)
    except (OSError, ValueError) as error:
        print(f"published.py: {error}", file=sys.stderr)
        return 2
    print(f"published={str(found).lower()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
