"""The artifact of a stranger's run: what is unpacked, and all that is not."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.github.pull_requests import artifact
from mt_gate.results.store import GROUPS, RESULT
from pull_requests.zipping import packed

FILES = {RESULT: b"{}", GROUPS: gzip.compress(b"{}\n")}


def unpack(data: bytes, folder: Path) -> dict[str, bytes]:
    found = artifact.unpack(data, folder)
    return {path.name: path.read_bytes() for path in found.iterdir()}


@pytest.mark.parametrize("place", ["", "mt-gate-out/"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_two_files_of_a_run(tmp_path: Path, place: str, method: int) -> None:
    members = {f"{place}{name}": data for name, data in FILES.items()}
    assert unpack(packed(members, method), tmp_path) == FILES


def test_a_folder_may_have_an_entry_of_its_own(tmp_path: Path) -> None:
    members = {"out/": b"", **{f"out/{name}": data for name, data in FILES.items()}}
    assert unpack(packed(members), tmp_path) == FILES


@pytest.mark.parametrize(
    "name",
    [
        f"../{RESULT}",
        f"/{RESULT}",
        f"a/../{RESULT}",
        f"a/b/{RESULT}",
        f"./{RESULT}",
        f"..\\{RESULT}",
        f"C:\\{RESULT}",
        f"{RESULT}\0.sh",
        f"{RESULT} ",
        RESULT.upper(),
        "report.html",
        ".bashrc",
        "x" * 60_000,
        "::error::x\n",
        "evil/",
        "",
    ],
)
def test_another_name_is_refused_and_not_repeated(tmp_path: Path, name: str) -> None:
    for members in ({name: b"{}", **FILES}, {**FILES, name: b"{}"}):
        with pytest.raises(CannotJudge) as raised:
            unpack(packed(members), tmp_path)
        assert len(str(raised.value)) < 200
        assert "::" not in str(raised.value)
        assert not list(tmp_path.iterdir())


def link(_: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        member = zipfile.ZipInfo(RESULT)
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(member, "/etc/passwd")
        archive.writestr(GROUPS, FILES[GROUPS])
    return data.getvalue()


def twice(data: bytes) -> bytes:
    more = io.BytesIO(data)
    with warnings.catch_warnings(), zipfile.ZipFile(more, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(RESULT, b'{"verdict": "pass"}')
    return more.getvalue()


def encrypted(data: bytes) -> bytes:
    """Set the flag in the local head and in the directory."""
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.index(mark) + at
        data = data[:place] + struct.pack("<H", 1) + data[place + 2 :]
    return data


def many(_: bytes) -> bytes:
    return packed({**FILES, **{f"f{number}/": b"" for number in range(2_000)}})


def crossed(data: bytes) -> bytes:
    """Say of the member that it is shorter than what it unpacks to."""
    place = data.index(b"PK\x01\x02") + 24
    return data[:place] + struct.pack("<I", 1) + data[place + 4 :]


def bomb(_: bytes) -> bytes:
    return packed({**FILES, RESULT: b" " * (artifact.MOST_UNPACKED[RESULT] - 1)})


def bomb_that_lies(_: bytes) -> bytes:
    """The directory says ten bytes; the data unpack to four million."""
    data = bomb(b"")
    place = data.index(b"PK\x01\x02") + 24
    return data[:place] + struct.pack("<I", 10) + data[place + 4 :]


def bomb_in_the_rows(_: bytes) -> bytes:
    return packed({**FILES, GROUPS: gzip.compress(b"\n" * (8 << 20))})


def too_much_text(_: bytes) -> bytes:
    """Rows that pack badly enough to pass for some, and are more than a run has."""
    line = gzip.compress(b"\0" * (artifact._FREE), 1)
    members = gzip.compress(bytes(range(256)) * 2_000, 0) + line * 300
    return packed({**FILES, GROUPS: members}, zipfile.ZIP_STORED)


def large(_: bytes) -> bytes:
    return packed({**FILES, RESULT: b" " * (artifact.MOST_UNPACKED[RESULT] + 1)})


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a symbolic link": (link, "result.json is not a plain file"),
    "a member twice": (twice, "result.json is in it twice"),
    "encrypted": (encrypted, "result.json is encrypted"),
    "many members": (many, "more than 64 members"),
    "a size that is too small": (crossed, "broken"),
    "a bomb": (bomb, "result.json unpacks to more"),
    "a bomb that lies": (bomb_that_lies, "broken"),
    "a bomb in the rows": (bomb_in_the_rows, "groups.jsonl.gz unpacks to more"),
    "too much text": (too_much_text, "groups.jsonl.gz unpacks to more"),
    "a large file": (large, "result.json unpacks to more"),
    "nothing": (lambda _: b"", "not a zip archive"),
    "two letters": (lambda _: b"PK", "not a zip archive"),
    "the end cut off": (lambda data: data[:-30], "not a zip archive"),
    "the beginning cut off": (lambda data: data[40:], "broken"),
    "no rows": (lambda _: packed({RESULT: b"{}"}), "groups.jsonl.gz is not in it"),
    "no result": (lambda _: packed({GROUPS: FILES[GROUPS]}), "result.json is not in it"),
    "two folders": (
        lambda _: packed({f"a/{RESULT}": b"{}", f"b/{GROUPS}": FILES[GROUPS]}),
        "more than one folder",
    ),
    "rows not packed": (lambda _: packed({**FILES, GROUPS: b"{}"}), "not gzip"),
    "rows of no bytes": (lambda _: packed({**FILES, GROUPS: b""}), "not gzip"),
    "rows cut off": (lambda _: packed({**FILES, GROUPS: FILES[GROUPS][:-6]}), "truncated"),
    "another packer": (lambda _: packed(FILES, zipfile.ZIP_BZIP2), "unusual way"),
    "one more": (lambda _: packed(FILES, zipfile.ZIP_LZMA), "unusual way"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_no_run_writes_is_refused(tmp_path: Path, name: str) -> None:
    damage, words = DAMAGES[name]
    with pytest.raises(CannotJudge, match=words):
        unpack(damage(packed(FILES)), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_broken_checksum_is_refused(tmp_path: Path) -> None:
    data = packed(FILES, zipfile.ZIP_STORED)
    with pytest.raises(CannotJudge, match="broken"):
        unpack(data.replace(b"{}", b"[]", 1), tmp_path)


def test_too_large_an_archive_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifact, "MOST_PACKED", 100)
    with pytest.raises(CannotJudge, match="at most 100 expected"):
        unpack(packed(FILES), tmp_path)


@given(st.binary(max_size=400), st.integers(0, 400))
def test_any_bytes_are_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    """Noise, and archives with noise in them: unpacked as they were, or told."""
    folder = tmp_path_factory.mktemp("any")
    whole = packed(FILES)
    for data in (noise, whole[:at] + noise + whole[at + len(noise) :]):
        try:
            found = unpack(data, folder)
        except CannotJudge:
            continue
        assert set(found) == set(FILES)
