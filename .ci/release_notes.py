"""Prints what the changelog says of a release: ``release_notes.py VERSION``.

``release_notes.py --version`` prints the version that this checkout is.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version() -> str:
    """Return the version of this checkout, without importing it."""
    text = (ROOT / "runner" / "mt_gate" / "__init__.py").read_text(encoding="utf-8")
    [found] = re.findall(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    return str(found)


def notes(changelog: str, wanted: str) -> str:
    """Return the section of a version.

    Raises:
        ValueError: there is no such section with a date, or it is empty.
    """
    for section in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        if (
            re.fullmatch(rf"{re.escape(wanted)} - \d{{4}}-\d\d-\d\d", title.strip())
            and text.strip()
        ):
            return text.strip() + "\n"
    raise ValueError(f"CHANGELOG.md: no section '## {wanted} - YYYY-MM-DD' that says something")


def main(arguments: list[str]) -> int:
    """Print; return the exit code."""
    match arguments:
        case ["--version"]:
            print(version())
        case [wanted]:
            try:
                print(notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), wanted), end="")
            except ValueError as error:
                print(f"release_notes.py: {error}", file=sys.stderr)
                return 2
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
