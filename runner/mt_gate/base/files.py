"""Opening files that strangers may have put there, and temporary folders.

A checkpoint, suite, baseline or result may come with a pull request, and what is under a
file's name may be a link to any file of the machine, a FIFO that never ends, or a device. Every
such file is opened here: its name is resolved once, the place must lie in its folder, and the way
there is then walked without following anything.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mt_gate.base.errors import CannotJudge

if TYPE_CHECKING:
    from io import BufferedReader

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a link that changed while it was followed",
}
_NOT_DATA = ("/proc", "/sys", "/dev")
"""Looks like files, but describes the machine and its processes."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_BEGINNING = 1 << 20
"""Bytes of a file that are checked when it is opened; ``read_whole`` checks the rest."""
_POINTER = b"version https://git-lfs.github.com/spec/"
_MARKS = tuple(re.compile(rb"^%c{7}(?: .*)?\r?$" % mark, re.MULTILINE) for mark in b"<=>")
"""Lines that git puts around the two sides of a conflict, in this order."""
_BINARY = 8_000
"""Bytes at a file's beginning where git looks for a null, to distinguish binary files from text."""
_BOM = b"\xef\xbb\xbf"
_WITHOUT_BOM = (".json", ".toml")
"""Endings of formats that allow no byte order mark."""


@contextmanager
def opened(path: Path, *, cause: str, inside: Path | None = None) -> Iterator[BufferedReader]:
    """Open a regular file to read, unbuffered ways around its folder closed.

    A link is followed where it stays in ``inside``, the file's own folder by default; of a snapshot
    in the hub's cache, the files that it links to lie in ``blobs`` next to. ``cause`` says what to
    do. Raises CannotJudge: missing, a link out of the folder, no regular file, or unreadable.
    """
    try:
        handle = _handle(path, path.parent if inside is None else inside, cause)
    except ValueError:  # a null character
        raise CannotJudge(f"{path} does not exist. {cause}") from None
    except OSError as error:
        if error.errno in _GONE:
            raise CannotJudge(f"{path} does not exist. {cause}") from None
        raise CannotJudge(f"{path} cannot be read ({error.strerror}). {cause}") from None
    with os.fdopen(handle, "rb") as file:
        with suppress(OSError):  # the code that reads the file reports it
            check_content(path, os.pread(handle, _BEGINNING, 0))
        yield file


def read_whole(path: Path, *, limit: int, cause: str, inside: Path | None = None) -> bytes:
    """Return the bytes of a regular file, see ``opened``; of one over ``limit`` none are read.

    Raises CannotJudge: as ``opened``, larger than ``limit``, or changed meanwhile.
    """
    with opened(path, cause=cause, inside=inside) as file:
        try:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise CannotJudge(f"{path} has {size} bytes, at most {limit} are allowed. {cause}")
            data = file.read(size + 1)
        except OSError as error:
            raise CannotJudge(f"{path} cannot be read ({error.strerror}). {cause}") from None
    if len(data) != size:
        raise CannotJudge(f"{path} changed while it was read. {cause}")
    check_content(path, data)
    return data


def check_content(path: Path | str, data: bytes) -> None:
    """Reject what version control or an editor left in place of a file's content.

    The ending of ``path`` says whether it may have a byte order mark. Raises CannotJudge: a Git LFS
    pointer, the marks of a merge conflict, or a byte order mark.
    """
    if is_pointer(data):
        raise CannotJudge(
            f"{path} is a Git LFS pointer: the file itself was not downloaded. Run git lfs pull, "
            "or set lfs: true in the actions/checkout step."
        )
    if line := _conflict_line(data):
        raise CannotJudge(
            f"{path} has merge conflict markers in line {line}. Resolve the conflict with git "
            "checkout --ours or --theirs and the file's name, or write the file again."
        )
    if data.startswith(_BOM) and str(path).endswith(_WITHOUT_BOM):
        raise CannotJudge(
            f"{path} begins with a UTF-8 byte order mark (BOM). Save it as UTF-8 without BOM, for "
            "example with sed -i '1s/^\\xEF\\xBB\\xBF//' and the file's name."
        )


def is_pointer(data: bytes) -> bool:
    """Return whether the bytes of a file, or its first ones, are a Git LFS pointer."""
    return data.startswith(_POINTER)


def _conflict_line(data: bytes) -> int:
    """Return the line, from 1 on, in which a merge conflict begins; 0 if there is none."""
    if b"\0" in data[:_BINARY] or b"<<<<<<<" not in data:  # git merges no binary files
        return 0
    begin, at = -1, 0
    for mark in _MARKS:
        mark_match = mark.search(data, at)
        if mark_match is None:
            return 0
        begin, at = (mark_match.start() if begin < 0 else begin), mark_match.end()
    return data.count(b"\n", 0, begin) + 1


def digest(path: Path, *, cause: str, inside: Path | None = None) -> str:
    """Return the sha256 of a regular file, hex, read in pieces.

    Raises CannotJudge: as ``opened``.
    """
    with opened(path, cause=cause, inside=inside) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise CannotJudge(f"{path} cannot be read ({error.strerror}). {cause}") from None


def is_within(path: Path, folder: Path) -> bool:
    """Return whether a file, links resolved, is in a folder, as ``opened`` requires."""
    return _root(Path(os.path.realpath(path)), Path(os.path.realpath(folder))) is not None


def has_no_data(place: Path) -> bool:
    """Return whether a place, links resolved, is one of the machine's, where no data lie."""
    return any(place.is_relative_to(name) for name in _NOT_DATA)


def _handle(path: Path, folder: Path, cause: str) -> int:
    """Walk from the folder to the file, a name at a time, and open it."""
    place = Path(os.path.realpath(path, strict=True))
    root = _root(place, Path(os.path.realpath(folder)))
    if root is None:
        raise CannotJudge(
            f"{path} is a link out of {folder}, and mt-gate does not follow such links. Expected "
            f"a regular file in that folder. {cause}"
        )
    if has_no_data(place):
        raise CannotJudge(f"{path} is under /{place.parts[1]}, which holds no data. {cause}")
    *folders, name = place.relative_to(root).parts or (".",)
    at = os.open(root, _FOLDER)
    try:
        for step in folders:
            inner = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        # Looked at before it is opened: to open some devices is to use them.
        _check_kind(path, os.stat(name, dir_fd=at, follow_symlinks=False), cause)
        handle = os.open(name, _FILE, dir_fd=at)
    finally:
        os.close(at)
    try:
        _check_kind(path, os.fstat(handle), cause)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _root(place: Path, folder: Path) -> Path | None:
    """Return the folder of a path: the passed one, or the blobs of its hub snapshot."""
    if place.is_relative_to(folder):
        return folder
    with suppress(IndexError):
        repository = folder.parents[1]
        blobs = repository / "blobs"
        if folder.parent.name == "snapshots" and place.parent == blobs:
            return blobs
    return None


def _check_kind(path: Path, status: os.stat_result, cause: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "not a regular file")
        raise CannotJudge(f"{path} is {kind}. Expected a regular file. {cause}")


IN_TEMPORARY = "mt-gate-scratch-"
"""Prefix of folders in the system's temporary folder; no user names a folder like this."""
_CHANCE = "?" * 8
"""What ``tempfile`` adds."""


@contextmanager
def scratch(parent: Path | None = None, prefix: str = IN_TEMPORARY) -> Iterator[Path]:
    """Give an empty folder, locked while it is used, and remove it after.

    Those of killed processes, by ``prefix``, go first: their locks ended with them. Raises OSError:
    it cannot be made.
    """
    parent = parent or Path(tempfile.gettempdir())
    remove_abandoned(parent, prefix)
    with ExitStack() as stack:
        while True:
            made = tempfile.TemporaryDirectory(prefix=prefix, dir=parent)
            folder = Path(stack.enter_context(made))
            try:
                stack.enter_context(_locked(folder))
            except (BlockingIOError, FileNotFoundError):
                continue  # who looks for abandoned ones was between the two lines
            except OSError:
                break  # a file system without locks: nor does who looks get one
            if folder.exists():
                break
        yield folder


def remove_abandoned(parent: Path, prefix: str = IN_TEMPORARY) -> None:
    """Remove this user's folders of a kind that no running process has locked."""
    for folder in parent.glob(f"{prefix}{_CHANCE}"):
        with suppress(OSError), _locked(folder) as owner:
            if owner == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Hold a folder's lock, and give its owner; OSError where another has it, or it is none."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(handle).st_uid
    finally:
        os.close(handle)
