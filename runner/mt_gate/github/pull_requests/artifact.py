"""The artifact of a run that nobody vouches for: checked before a byte of it is believed.

A fork's workflow packs whatever its author likes. Names, kinds and sizes are held against what a
run writes, and the two files are unpacked under names of our own.
"""

from __future__ import annotations

import gzip
import re
import stat
import zlib
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from mt_gate.base.errors import CannotJudge
from mt_gate.results.store import GROUPS, RESULT

MOST_PACKED = 64 << 20
"""Bytes of a whole artifact, packed."""

MOST_UNPACKED = {RESULT: 4 << 20, GROUPS: 64 << 20}
MOST_TEXT = 256 << 20
"""Bytes of all rows, unpacked."""

MOST_RATIO = 200
"""Unpacked over packed bytes, where more than ``_FREE`` bytes come out."""

_FREE = 1 << 20
_CHUNK = 1 << 20
_MOST_ENTRIES = 64
_ENTRY = b"PK\x01\x02"
_FOLDER = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}/")
_ENCRYPTED = 0x41
"""The two bits of a member's flags that say so: of the classic kind, and of the strong one."""

_EXPECTED = f"expected {RESULT} and {GROUPS}, as a run writes them, and nothing else"


def unpack(data: bytes, folder: Path) -> Path:
    """Write the two files of a run into a folder, and return that folder.

    They may lie in one folder of the archive; what unpacks to more than a run writes, and all
    other members, are refused before anything is written.

    Raises:
        CannotJudge: it is no such archive; the words hold nothing of the archive's own.
    """
    if len(data) > MOST_PACKED:
        raise CannotJudge(f"it has {len(data)} bytes, at most {MOST_PACKED} expected")
    # zipfile reads the whole directory when it opens an archive; each entry begins like this.
    if data.count(_ENTRY) > _MOST_ENTRIES:
        raise CannotJudge(f"it has more than {_MOST_ENTRIES} members; {_EXPECTED}")
    try:
        with ZipFile(BytesIO(data)) as archive:
            found = _members(archive)
            contents = {name: _content(archive, found[name], name) for name in (RESULT, GROUPS)}
    except (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OSError):
        raise CannotJudge(f"it is not a zip archive, or a broken one; {_EXPECTED}") from None
    _check_text(contents[GROUPS])
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def _members(archive: ZipFile) -> dict[str, ZipInfo]:
    """Return the two members by name, whatever folder they lie in."""
    found: dict[str, ZipInfo] = {}
    folders = set()
    for member in archive.infolist():
        folder, name = _place(member)
        folders.add(folder)
        if not name:
            continue
        if name in found:
            raise CannotJudge(f"{name} is in it twice; {_EXPECTED}")
        _check_kind(member, name)
        found[name] = member
    if len(folders) > 1:
        raise CannotJudge(f"it has more than one folder; {_EXPECTED}")
    if missing := [name for name in (RESULT, GROUPS) if name not in found]:
        raise CannotJudge(f"{missing[0]} is not in it; {_EXPECTED}")
    return found


def _place(member: ZipInfo) -> tuple[str, str]:
    """Return a member's folder and name; no name for the folder itself."""
    # The name as it stands there: zipfile cuts it at a null character.
    folder, slash, name = member.orig_filename.rpartition("/")
    if (
        not member.orig_filename
        or (folder and not _FOLDER.fullmatch(folder + slash))
        or name not in ("", RESULT, GROUPS)
    ):
        raise CannotJudge(f"it has a file with another name; {_EXPECTED}")
    return folder, name


def _check_kind(member: ZipInfo, name: str) -> None:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise CannotJudge(f"{name} is not a plain file in it; {_EXPECTED}")
    if member.flag_bits & _ENCRYPTED:
        raise CannotJudge(f"{name} is encrypted in it; {_EXPECTED}")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise CannotJudge(f"{name} is compressed in an unusual way in it; {_EXPECTED}")
    _check_size(name, member.file_size, member.compress_size, MOST_UNPACKED[name])


def _check_size(name: str, unpacked: int, packed: int, most: int) -> None:
    if unpacked > min(most, max(_FREE, MOST_RATIO * packed)):
        raise CannotJudge(f"{name} unpacks to more than a run writes; {_EXPECTED}")


def _content(archive: ZipFile, member: ZipInfo, name: str) -> bytes:
    """Return a member's bytes; no more are unpacked than its size, checked, says."""
    with archive.open(member) as file:
        content = file.read(MOST_UNPACKED[name] + 1)
    _check_size(name, len(content), member.compress_size, MOST_UNPACKED[name])
    return content


def _check_text(packed: bytes) -> None:
    """Unpack the rows once, keeping nothing, to know how much they are."""
    size = 0
    try:
        if not packed:  # what gzip takes for an empty text
            raise EOFError
        with gzip.open(BytesIO(packed)) as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                _check_size(GROUPS, size, len(packed), MOST_TEXT)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise CannotJudge(f"{GROUPS} is not gzip in it, or truncated; {_EXPECTED}") from None
