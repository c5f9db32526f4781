"""Writes what follows from action.yml and Dockerfile: the second action, on a release the images.

Without options full/action.yml and Dockerfile.full are written again. With ``--run IMAGE --full
IMAGE`` both actions name their image as well: a published one with its digest,
``ghcr.io/org/mt-gate@sha256:...``. A docker action names one image and passes no build argument, so
that each action has a file of its own, and both one source.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIGEST = re.compile(r"[a-z0-9.:-]+(?:/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}")
"""An image by what it is, not by a tag that may move."""

_HEAD = "# Written by .ci/actions.py: do not edit.\n"
_ABOUT = "Fail the build when a new NLP checkpoint handles language worse than the last one."
_FULL = "../Dockerfile.full # zizmor: ignore[unpinned-images] it is a Dockerfile"
_ABOUT_FULL = "mt-gate with PyTorch, which also exports a Hugging Face checkpoint."


def full_action(action: str) -> str:
    """Return the second action: the same inputs, another image."""
    action = _replaced(action, "name: mt-gate\n", "name: mt-gate full\n")
    action = _replaced(action, f"description: {_ABOUT}\n", f"description: {_ABOUT_FULL}\n")
    return _HEAD + _replaced(action, "  image: Dockerfile\n", f"  image: {_FULL}\n")


def full_dockerfile(dockerfile: str) -> str:
    """Return the Dockerfile whose last stage is ``full``."""
    return f"{_HEAD}{dockerfile}\nFROM full AS action\n"


def pinned(action: str, image: str) -> str:
    """Return an action that names an image.

    Raises:
        ValueError: the image has no digest, or the action does not name a Dockerfile.
    """
    if not DIGEST.fullmatch(image):
        raise ValueError(f"image {image!r}: expected REGISTRY/NAME@sha256: and 64 digits")
    named, count = re.subn(
        rf"^  image: (?:Dockerfile|{re.escape(_FULL)})$",
        f"  image: docker://{image}",
        action,
        flags=re.MULTILINE,
    )
    if count != 1:
        raise ValueError(f"the action names {count} Dockerfiles, expected one")
    return named


def written(root: Path, run: str | None = None, full: str | None = None) -> dict[Path, str]:
    """Return each file to write, below a root with action.yml and Dockerfile."""
    action = (root / "action.yml").read_text(encoding="utf-8")
    second = full_action(action)
    files = {root / "Dockerfile.full": full_dockerfile((root / "Dockerfile").read_text())}
    if run is not None:
        files[root / "action.yml"] = pinned(action, run)
    files[root / "full" / "action.yml"] = second if full is None else pinned(second, full)
    return files


def _replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"action.yml has {old!r} {text.count(old)} times, expected once")
    return text.replace(old, new)


def main(arguments: list[str]) -> int:
    """Write the files; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--run", metavar="IMAGE")
    parser.add_argument("--full", metavar="IMAGE")
    asked = parser.parse_args(arguments)
    if (asked.run is None) != (asked.full is None):
        parser.error("--run and --full go together: a release has both images")
    try:
        files = written(ROOT, asked.run, asked.full)
    except ValueError as error:
        print(f"actions.py: {error}", file=sys.stderr)
        return 2
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
