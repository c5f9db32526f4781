"""Keeping one input of each kind of fault."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fuzz.target import Target, fault


class Finder:
    """Gives inputs to a target, and writes those that are read wrongly into a folder."""

    def __init__(self, target: Target, folder: Path) -> None:
        """Know of no fault yet."""
        self._target, self._folder = target, folder
        self._known: set[str] = set()

    def __call__(self, data: bytes) -> None:
        """Try an input."""
        found = fault(self._target, data)
        if found is None or found.kind in self._known:
            return
        self._known.add(found.kind)
        name = hashlib.sha256(data).hexdigest()[:16]
        (self._folder / name).write_bytes(data)
        (self._folder / f"{name}.txt").write_text(f"{found.kind}: {found.text}\n", errors="replace")
