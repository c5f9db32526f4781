"""Where an export is written before it takes its name, and what killed ones left there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = ".mt-gate-export-"


@contextlib.contextmanager
def draft_in(parent: Path) -> Iterator[Path]:
    """Give an empty folder in ``parent``, locked while it is used, and remove it after.

    Those of exports that were killed go first: their locks ended with them.
    """
    remove_abandoned(parent)
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as temporary,
        contextlib.ExitStack() as stack,
    ):
        # Where a file system has no locks, none is had either by who looks for abandoned drafts.
        with contextlib.suppress(OSError):
            stack.enter_context(_locked(Path(temporary)))
        yield Path(temporary)


def remove_abandoned(parent: Path) -> None:
    """Remove the drafts in ``parent`` that no process writes any more."""
    for draft in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError), _locked(draft):
            shutil.rmtree(draft, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock; OSError where another process does, or where it is no folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
