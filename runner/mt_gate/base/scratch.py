"""Folders for the time of a block, which a later process removes where theirs was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

IN_TEMPORARY = "mt-gate-scratch-"
"""How those in the system's temporary folder begin; nobody names a folder of their own so."""
_CHANCE = "?" * 8
"""What ``tempfile`` adds."""


@contextlib.contextmanager
def scratch(parent: Path | None = None, prefix: str = IN_TEMPORARY) -> Iterator[Path]:
    """Give an empty folder, locked while it is used, and remove it after.

    Those of killed processes go first: their locks ended with them.

    Args:
        parent: the folder to make it in; the system's temporary one without.
        prefix: how its name begins, and those of the same kind.

    Raises:
        OSError: it cannot be made.
    """
    parent = parent or Path(tempfile.gettempdir())
    remove_abandoned(parent, prefix)
    with contextlib.ExitStack() as stack:
        yield _made(stack, parent, prefix)


def remove_abandoned(parent: Path, prefix: str = IN_TEMPORARY) -> None:
    """Remove this user's folders of a kind that no process holds any more."""
    for folder in parent.glob(f"{prefix}{_CHANCE}"):
        with contextlib.suppress(OSError), _locked(folder) as owner:
            if owner == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)


def _made(stack: contextlib.ExitStack, parent: Path, prefix: str) -> Path:
    """Return a new folder, locked and removed at the stack's end."""
    while True:
        made = tempfile.TemporaryDirectory(prefix=prefix, dir=parent)
        folder = Path(stack.enter_context(made))
        try:
            stack.enter_context(_locked(folder))
        except (BlockingIOError, FileNotFoundError):
            continue  # who looks for abandoned ones was between the two lines
        except OSError:
            return folder  # a file system without locks: nor does who looks get one
        if folder.exists():
            return folder


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Hold a folder's lock, and give its owner; OSError where another has it, or it is none."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(handle).st_uid
    finally:
        os.close(handle)
