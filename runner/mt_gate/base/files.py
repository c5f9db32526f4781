"""Read files that an attacker may have placed, and write files completely or not at all.

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
import gzip
import json
import zlib
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from mt_gate.base import escaping
from mt_gate.base.errors import page, quoted, reported

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
POINTER = b"version https://git-lfs.github.com/spec/"
"""Beginning of a Git LFS pointer."""
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
    if data.startswith(POINTER):
        raise CannotJudge(
            f"{path} is a Git LFS pointer: the file itself was not downloaded. Run git lfs pull, "
            "or set lfs: true in the actions/checkout step."
        )
    if b"\0" not in data[:_BINARY] and b"<<<<<<<" in data:  # git merges no binary files
        matches: list[re.Match[bytes]] = []
        for mark in _MARKS:
            if match := mark.search(data, matches[-1].end() if matches else 0):
                matches.append(match)
        if len(matches) == len(_MARKS):
            line = data.count(b"\n", 0, matches[0].start()) + 1
            raise CannotJudge(
                f"{path} has merge conflict markers in line {line}. Resolve the conflict with git "
                "checkout --ours or --theirs and the file's name, or write the file again."
            )
    if data.startswith(_BOM) and str(path).endswith(_WITHOUT_BOM):
        raise CannotJudge(
            f"{path} begins with a UTF-8 byte order mark (BOM). Save it as UTF-8 without BOM, for "
            "example with sed -i '1s/^\\xEF\\xBB\\xBF//' and the file's name."
        )


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


def _handle(path: Path, folder: Path, cause: str) -> int:
    """Walk from the folder to the file, a name at a time, and open it."""
    place = Path(os.path.realpath(path, strict=True))
    root = _root(place, Path(os.path.realpath(folder)))
    if root is None:
        raise CannotJudge(
            f"{path} is a link out of {folder}, and mt-gate does not follow such links. Expected "
            f"a regular file in that folder. {cause}"
        )
    if any(map(place.is_relative_to, _NOT_DATA)):
        raise CannotJudge(f"{path} is under /{place.parts[1]}, which holds no data. {cause}")
    *folders, name = place.relative_to(root).parts or (".",)
    at = os.open(root, _FOLDER)
    try:
        for step in folders:
            inner = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        # Looked at before it is opened, since to open some devices is to use them, and then again.
        mode, handle = os.stat(name, dir_fd=at, follow_symlinks=False).st_mode, -1
        if stat.S_ISREG(mode):
            handle = os.open(name, _FILE, dir_fd=at)
            mode = os.fstat(handle).st_mode
    finally:
        os.close(at)
    if not stat.S_ISREG(mode):
        if handle >= 0:
            os.close(handle)
        kind = _KINDS.get(stat.S_IFMT(mode), "not a regular file")
        raise CannotJudge(f"{path} is {kind}. Expected a regular file. {cause}")
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


IN_TEMPORARY = "mt-gate-scratch-"
"""Prefix of folders in the system's temporary folder; no user names a folder like this."""
_CHANCE = "?" * 8
"""Pattern of the characters that ``tempfile`` adds."""


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
                continue  # another process removed it as abandoned between the two lines
            except OSError:
                break  # a file system without locks: a process that cleans up gets none either
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
    """Hold a folder's lock, and yield its owner; OSError if another process has it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(handle).st_uid
    finally:
        os.close(handle)


canonical = msgspec.json.Encoder(order="deterministic").encode
"""Returns the one JSON text of a value: keys sorted, no spaces, UTF-8."""

T = TypeVar("T")

MAX_LINE = 4 << 20
MAX_LINES = 1_000_000
MAX_UNPACKED = 1 << 30
"""Bytes of a packed file's text."""
MAX_RATIO = 100
"""Unpacked size divided by packed size, if the text exceeds ``FREE`` bytes; JSON lines reach 10."""
FREE = 64 << 20
HIDDEN_WORD = (
    "A secret in the environment has a value that is also a word of the results, so that "
    "hiding it would hide that word. Rename the variable so that it does not look like a "
    f"secret, or unset it: {page('action', 'secrets')}"
)
SMALL, QUICK = 6, 3
"""Levels of zlib: for what a repository keeps, and for what each run writes again, which takes a
third to a half of the time and comes out a tenth to a quarter larger."""
_TRAILER = 4
"""Bytes at the end of gzip that say how many bytes it unpacks to."""


def readable(value: object) -> bytes:
    """Return JSON for people to read: indented, a line break at its end.

    A path's undecodable byte becomes a question mark.
    """
    try:
        text = msgspec.json.encode(value)
    except UnicodeEncodeError:
        plain = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        text = plain.encode("utf-8", "replace")
    return msgspec.json.format(text, indent=2) + b"\n"


def hidden_and_read(text: bytes, kind: type[T]) -> T:
    """Return the record of a JSON text without secrets, to make reports of.

    A secret that was cut, or whose blanks were taken together, is not found any more when a report
    is written. Raises CannotJudge: its value is a word, or a figure, that results are made of.
    """
    try:
        return msgspec.json.decode(escaping.hide_bytes(text), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CannotJudge(HIDDEN_WORD) from None


def sha256_file(path: Path) -> str:
    """Return the hex digest of a file that is ours, or the user's word; links are followed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a text, whole or not at all, without the values of secrets; its folder is made.

    What UTF-8 has no bytes for becomes a visible escape. Raises OSError: the old file is as it was.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with replacing(path) as temporary:
        temporary.write_bytes(escaping.hide_bytes(data))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path next to ``path`` that takes its place if the block succeeds.

    The data are on the disk before the name changes, so that a killed process leaves the old file
    or the new one, and a temporary one next to it: who writes there next takes that away.

    Raises OSError: of ``path``: it cannot be written.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(os.path.realpath(path.parent))
        gone = path.is_symlink() and any(map(folder.is_relative_to, _NOT_DATA))
        if gone or (path.exists() and not path.is_file()):  # a device would be replaced, too
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        remove_stale(path)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "rb") as mine:
            with suppress(OSError):  # not every network folder has locks
                fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield temporary
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)
            temporary.replace(path)
    except OSError as error:
        # The name that the user knows, not the temporary one.
        if temporary is None or error.filename in (str(temporary), None):
            error.filename = str(path)
        raise
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def remove_stale(path: Path) -> None:
    """Take away what killed runs left; who still writes holds a lock."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}")
    for entry in os.scandir(path.parent):
        if not name.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
            continue
        with suppress(OSError):
            handle = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(entry.path)
            finally:
                os.close(handle)


def write_gzip_lines(path: Path, lines: Iterable[bytes], level: int = SMALL) -> str:
    """Write lines packed, the same bytes for the same lines; return their sha256.

    The digest is of the unpacked text: packers differ from machine to machine. Values of secrets
    are left out. ``level`` is ``SMALL`` or ``QUICK``.
    """
    digest = hashlib.sha256()
    with path.open("wb") as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as packed:
        for line in escaping.hide_lines(lines):
            text = line + b"\n"
            digest.update(text)
            packed.write(text)
    return digest.hexdigest()


def read_gzip_lines(
    path: Path,
    *,
    digest: str | None = None,
    cause: str,
    most_bytes: int = MAX_UNPACKED,
    exact: int | None = None,
) -> Iterator[bytes]:
    """Yield the lines of a packed file; check it against ``digest``, if one is given, at its end.

    ``exact`` is the number of lines that its metadata states. Nothing is unpacked of a file that
    says itself that it unpacks to more than it may. Raises CannotJudge: missing, truncated, not
    gzip, out of bounds, or other text than ``digest``.
    """
    hasher, size, number = hashlib.sha256(), 0, 0
    most_lines = MAX_LINES if exact is None else exact

    def refusal(fault: str) -> CannotJudge:
        return CannotJudge(f"{path}: {fault}. {cause}")

    try:
        with opened(path, cause=cause) as raw, gzip.GzipFile(fileobj=raw) as file:
            packed = os.fstat(raw.fileno()).st_size
            most = min(most_bytes, max(FREE, MAX_RATIO * packed))
            if packed >= _TRAILER:
                raw.seek(-_TRAILER, os.SEEK_END)
                stated = int.from_bytes(raw.read(_TRAILER), "little")
                raw.seek(0)
                if stated > most:
                    raise refusal(f"truncated, or unpacks to {stated} bytes, limit {most}")
            while line := file.readline(MAX_LINE):
                size, number = size + len(line), number + 1
                hasher.update(line)
                text = line.removesuffix(b"\n")
                if size > most:
                    raise refusal(f"unpacks to {size} bytes or more, limit {most}")
                if len(text) >= MAX_LINE:
                    raise refusal(f"line {number} has {MAX_LINE} bytes or more")
                if number > most_lines:
                    wanted = "no more" if exact is None else "as many as its metadata states"
                    raise refusal(f"more than {most_lines} lines, expected {wanted}")
                yield text
            if exact not in (None, number):
                raise refusal(f"{number} lines, its metadata states {exact}")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise CannotJudge(f"{path} is truncated or not gzip. {cause}") from None
    except OSError as error:
        raise CannotJudge(f"{path} cannot be read ({error.strerror}). {cause}") from None
    if digest is not None and hasher.hexdigest() != digest:
        raise CannotJudge(
            f"{path}: the sha256 of its text is {hasher.hexdigest()[:12]}..., expected "
            f"{digest[:12]}... {cause}"
        )


def decode_json(data: bytes, kind: type[T], *, path: Path, cause: str) -> T:
    """Decode JSON into a record. Raises CannotJudge: not JSON, or not of that form."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fault = "empty" if not data.strip() else f"not as expected ({reported(error)})"
        raise CannotJudge(f"{path} is {fault}. {cause}") from None


def decode_format(
    data: bytes, kind: type[T], *, path: Path, what: str, latest: int, cause: str
) -> T:
    """Decode a JSON file that states its format, of which this release reads the latest.

    Raises CannotJudge: another format, not JSON, or not of that form.
    """
    stated = decode_json(data, dict[str, Any], path=path, cause=cause).get("format")
    if stated == latest and not isinstance(stated, bool):
        return decode_json(data, kind, path=path, cause=cause)
    is_newer = isinstance(stated, int) and stated > latest
    raise CannotJudge(
        f"{path} has {what} format {quoted(stated, 20)}, but this release reads {latest}. "
        f"{'Use a newer mt-gate, or an older file.' if is_newer else cause}"
    )
