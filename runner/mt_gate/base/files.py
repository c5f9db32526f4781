"""Read files that an attacker may have placed, and write files completely or not at all.

A checkpoint, suite, baseline or result may come with a pull request. A file in it may be a link to
any file of the machine, a FIFO that never ends, or a device. ``opened`` resolves a file's name once
and checks that the result is in the expected folder. It then opens each folder on the way, and the
file, without following links.
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
"""Folders whose entries look like files, but describe the machine and its processes."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_BEGINNING = 1 << 20
"""Bytes of a file that are checked when it is opened; ``read_whole`` checks the rest."""
POINTER = b"version https://git-lfs.github.com/spec/"
"""Beginning of a Git LFS pointer."""
_MARKS = tuple(re.compile(rb"^%c{7}(?: .*)?\r?$" % mark, re.MULTILINE) for mark in b"<=>")
"""Marker lines of a merge conflict, in git's order."""
_BINARY = 8_000
"""Bytes at a file's beginning where git looks for a null, to distinguish binary files from text."""
_BOM = b"\xef\xbb\xbf"
_WITHOUT_BOM = (".json", ".toml")
"""Endings of formats that allow no byte order mark."""


@contextmanager
def opened(path: Path, *, cause: str, inside: Path | None = None) -> Iterator[BufferedReader]:
    """Open a regular file for reading; reject links that leave its folder.

    A link is followed if it stays in ``inside``, by default the file's own folder. For a snapshot
    in the hub's cache, a link to the ``blobs`` next to the snapshots is followed, too. ``cause`` is
    the end of messages. Raises CannotJudge: missing, such a link, no regular file, or unreadable.
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
    """Read a regular file as ``opened`` does; a file of more than ``limit`` bytes is not read.

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

    The ending of ``path`` decides whether a byte order mark is allowed. Raises CannotJudge: a Git
    LFS pointer, merge conflict markers, or a byte order mark.
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
    """Return the sha256 of a regular file in hex, without reading the file whole into memory.

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
    """Open each folder from ``folder`` to the file, then the file, and return its handle."""
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
        # Check the type before opening, because opening some devices has effects, and again after.
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
    """Return the folder that a path is in: ``folder``, or its hub blobs; None if in neither."""
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
    """Yield an empty, locked folder, and remove it after the block.

    First remove folders with this ``prefix`` that killed processes left: their locks have ended.
    Raises OSError: the folder cannot be made.
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
                break  # a file system without locks: no other process can lock and remove it
            if folder.exists():
                break
        yield folder


def remove_abandoned(parent: Path, prefix: str = IN_TEMPORARY) -> None:
    """Remove this user's folders with this prefix that no running process has locked."""
    for folder in parent.glob(f"{prefix}{_CHANCE}"):
        with suppress(OSError), _locked(folder) as owner:
            if owner == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Lock a folder and yield its owner's user id; OSError if another process has the lock."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(handle).st_uid
    finally:
        os.close(handle)


canonical = msgspec.json.Encoder(order="deterministic").encode
"""Encodes a value as canonical JSON: keys sorted, no spaces, UTF-8."""

T = TypeVar("T")

MAX_LINE = 4 << 20
MAX_LINES = 1_000_000
MAX_UNPACKED = 1 << 30
"""Maximum bytes of a packed file's text."""
MAX_RATIO = 100
"""Maximum ratio of unpacked to packed size for texts over ``FREE`` bytes; JSON lines reach 10."""
FREE = 64 << 20
HIDDEN_WORD = (
    "The value of a secret in the environment is also a word in the results, and mt-gate would "
    "mask that word. Rename the variable so that it does not look like a secret, or unset it: "
    f"{page('action', 'secrets')}"
)
SMALL, QUICK = 6, 3
"""Levels of zlib: for files in a repository, and for files that each run writes. The quick level
takes a third to half of the time, and its files are 10% to 25% larger."""
_TRAILER = 4
"""Bytes at the end of gzip that say how many bytes it unpacks to."""


def readable(value: object) -> bytes:
    """Return JSON for people to read: indented, with a line break at its end.

    A path's undecodable byte becomes a question mark.
    """
    try:
        text = msgspec.json.encode(value)
    except UnicodeEncodeError:
        plain = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        text = plain.encode("utf-8", "replace")
    return msgspec.json.format(text, indent=2) + b"\n"


def hidden_and_read(text: bytes, kind: type[T]) -> T:
    """Decode the JSON text of a record, with secrets hidden, to make reports of it.

    Reports shorten texts and collapse spaces, and then a secret is not recognised any more. Raises
    CannotJudge: a secret's value is also a word or a number of the JSON, see ``HIDDEN_WORD``.
    """
    try:
        return msgspec.json.decode(escaping.hide_bytes(text), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CannotJudge(HIDDEN_WORD) from None


def sha256_file(path: Path) -> str:
    """Return the sha256 in hex of a trusted file (ours, or the user's choice); follow links."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a text completely or not at all, without secrets; make its folder.

    Characters that UTF-8 cannot encode become visible escapes. Raises OSError: nothing changed.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with replacing(path) as temporary:
        temporary.write_bytes(escaping.hide_bytes(data))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to ``path``, which replaces ``path`` if the block succeeds.

    The data are on the disk before the name changes. So a killed process leaves the old file or the
    new one, and perhaps the temporary one, which the next writer removes.

    Raises OSError: ``path`` cannot be written.
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
    """Remove temporary files that killed runs left next to ``path``; active writers lock theirs."""
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
    """Write lines as gzip, the same bytes for the same lines; return the sha256 of their text.

    The digest is of the unpacked text, because gzip libraries differ between machines. Secrets are
    hidden. ``level`` is ``SMALL`` or ``QUICK``.
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
    """Yield the lines of a gzip file; at its end, compare its text with ``digest`` unless None.

    ``exact`` is the number of lines that its metadata states. A file whose trailer states too many
    bytes is not unpacked. Raises CannotJudge: missing, truncated, not gzip, out of bounds, or a
    text with another digest.
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
                    wanted = "the limit" if exact is None else "the number in its metadata"
                    raise refusal(f"more than {most_lines} lines, {wanted}")
                yield text
            if exact not in (None, number):
                raise refusal(f"{number} lines, but its metadata states {exact}")
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
    """Decode a JSON file that states its format; this release reads only format ``latest``.

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
