"""Several built versions in one folder, a folder each: what its own files say of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from packaging.version import Version

NAME = re.compile(r"v\d+\.\d+\.\d+|[a-z][a-z0-9-]*")
"""A release's tag, or a branch."""
_FRONT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={version}/index.html">
<title>mt-gate</title>
<p><a href="{version}/index.html">Documentation of mt-gate, {version}</a></p>
</html>
"""


def built(folder: Path) -> list[str]:
    """Return the versions in a folder: releases, the newest first, then branches."""
    names = [path.parent.name for path in folder.glob("*/index.html")]
    releases = [name for name in names if re.fullmatch(r"v\d+\.\d+\.\d+", name)]
    branches = sorted(name for name in names if name not in releases)
    return [*sorted(releases, key=Version, reverse=True), *branches]


def list_them(folder: Path) -> None:
    """Write ``versions.json``, and the page that leads to the newest release, or else a branch."""
    found = built(folder)
    text = json.dumps({"versions": found}, indent=1) + "\n"
    (folder / "versions.json").write_text(text, encoding="utf-8")
    (folder / "index.html").write_text(_FRONT.format(version=found[0]), encoding="utf-8")
