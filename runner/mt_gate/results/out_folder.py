"""The folder of a run's reports, which one run at a time may write.

Two runs into one folder would mix their files. New reports are written to a hidden folder, so that
a run that fails leaves the old ones untouched, and take their place together.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import decode_json, read_bytes, remove_stale
from mt_gate.results.store import GROUPS, MAX_RESULT, RESULT

NAMES = (RESULT, GROUPS, "junit.xml", "report.html", "summary.md")
"""The files that a run writes."""
SHARD, ANSWERS = "shard.json", "answers.jsonl.gz"
"""The files that a shard of one writes in their place."""
_OLD = (*NAMES, SHARD, ANSWERS)
BASE = "base"
"""The folder in it that has the reports of what was run in the same job to compare with."""
_NEW = ".mt-gate-new"
"""The folder in it that holds new reports until the last of them is written."""
OF_BASE = "run in one job with a candidate, to compare that with it"
"""The note that its result has, and that of a run of its own has not."""


class _Notes(msgspec.Struct):
    notes: tuple[str, ...] = ()


def replaceable(out: Path) -> list[Path]:
    """Return the reports of an earlier run in a folder, which others may take the place of.

    Raises UsageError: as ``remove_reports``.
    """
    old = [out / name for name in _OLD if os.path.lexists(out / name)]
    if old and out.is_symlink():
        raise UsageError(
            f"--out {out} is a link to a folder with reports of an earlier run. mt-gate does not "
            "remove reports through a link. Name the folder itself."
        )
    for path in old:
        if not stat.S_ISREG(mode := path.lstat().st_mode) and not stat.S_ISLNK(mode):
            raise UsageError(f"--out {out}: {path.name} is no file there. Choose another folder.")
    return old


def remove_reports(out: Path) -> None:
    """Remove the reports of an earlier run from a folder, half-written ones too, and nothing else.

    Raises UsageError: a folder is in the place of a report, the folder is a link to one that holds
    reports, or they cannot be removed.
    """
    if not os.path.isdir(out):
        return
    try:
        for path in replaceable(out):
            path.unlink()  # of a link the link itself, as a run would replace it
        for name in _OLD:
            remove_stale(out / name)
    except OSError as error:
        raise UsageError(
            f"--out {out}: reports of an earlier run cannot be removed ({error.strerror}). "
            "Choose another folder."
        ) from None


def _remove_all(out: Path, keep: Path | None = None) -> None:
    """Remove the reports of an earlier run, and of what ran next to it as its base.

    What is a run of its own in that folder stays.
    """
    remove_reports(out)
    base = out / BASE
    if keep is not None and same_folder(base, keep):
        return
    try:
        data = read_bytes(base / RESULT, limit=MAX_RESULT, cause="run again")
        notes = decode_json(data, _Notes, path=base / RESULT, cause="run again").notes
    except CannotJudge:  # none of ours
        return
    if OF_BASE in notes:
        remove_reports(base)
        with suppress(OSError):  # it holds something else
            base.rmdir()


def check_writable(out: Path, named: str = "") -> None:
    """Raise UsageError where a folder could not be written to, before anything is computed.

    Messages call it ``named``; empty for the folder of reports.
    """
    folder = out
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    try:
        if not folder.is_dir():
            there = os.path.exists(folder)
            why = "not a folder" if there else "a link to what does not exist"
            raise NotADirectoryError(20, why, str(folder))
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"{named or f'--out {out}'} cannot be written ({error.strerror}: {folder}). "
            "Choose another folder."
        ) from None


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Lock the folder for this process; it is made, and goes again if nothing was put into it.

    The lock is on the folder itself: it ends with the process, and leaves no file.

    Raises UsageError: another run has it, or it cannot be made.
    """
    made = [folder for folder in (out, *out.parents) if not os.path.exists(folder)]
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"--out {out} cannot be written ({error.strerror}). Choose another folder."
        ) from None
    try:
        # A file system may have no locks: what is mixed there is refused when it is read.
        with suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                made.clear()
                raise UsageError(
                    f"--out {out} is in use by another mt-gate. Wait, or choose another folder."
                ) from None
        yield
    finally:
        for folder in made:
            with suppress(OSError):  # it holds something, or never came to be
                folder.rmdir()
        os.close(handle)


@contextmanager
def reserved(out: Path) -> Iterator[None]:
    """Lock the folder for new reports; those of an earlier run stay until ``renewed`` is left.

    Raises UsageError: as ``locked`` and ``replaceable``.
    """
    with locked(out):
        _remove_ours(out / _NEW)
        replaceable(out)
        yield


@contextmanager
def emptied(out: Path) -> Iterator[None]:
    """Lock the folder, with the reports of an earlier run gone first.

    Raises UsageError: as ``locked`` and ``remove_reports``.
    """
    with reserved(out):
        _remove_all(out)
        yield


@contextmanager
def renewed(out: Path, keep: Path | None = None) -> Iterator[Path]:
    """Give a folder for new reports that take the place of those in ``out`` once all are written.

    If the block fails, or the process is killed, the old reports stay whole. The new ones are made
    of the reports in ``keep``. Where that is ``out``, its result stays until the new one replaces
    it. Raises UsageError: as ``remove_reports``.
    """
    replaceable(out)
    new = out / _NEW
    _remove_ours(new)
    new.mkdir()
    try:
        yield new
        if keep is None or not same_folder(out, keep):
            # First: a folder without a result is never read as a run.
            _remove_all(out, keep)
        if (new / BASE / RESULT).exists():
            (out / BASE).mkdir(exist_ok=True)
            _move(new / BASE, out / BASE)
        _move(new, out)
    finally:
        _remove_ours(new)


def _move(new: Path, out: Path) -> None:
    last = (GROUPS, RESULT, ANSWERS, SHARD)
    for name in (*(name for name in NAMES if name not in last), *last):
        if (new / name).exists():
            (new / name).replace(out / name)


def _remove_ours(folder: Path) -> None:
    with suppress(OSError):
        if folder.is_symlink():
            folder.unlink()
        elif folder.is_dir():
            shutil.rmtree(folder)


def check_unlinked(place: Path) -> None:
    """Reject a place in the working folder that a link there leads elsewhere.

    A pull request's checkout may hold the link: what is written would leave the checkout.

    Raises CannotJudge: there is such a link.
    """
    here = os.getcwd()
    named = os.path.normpath(os.path.join(here, place))
    if Path(named).is_relative_to(here) and os.path.realpath(named) != named:
        raise CannotJudge(
            f"{place}: the path goes through a link, which may have come with the pull request. "
            "Choose a folder whose path has no links."
        )


def same_folder(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one folder."""
    with suppress(OSError):
        return one.samefile(other)
    return False
