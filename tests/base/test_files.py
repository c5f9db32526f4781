"""Files are read only where they belong, and written whole, without secrets."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base import escaping, files
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import (
    FREE,
    hidden_and_read,
    read_gzip_lines,
    readable,
    replacing,
    write_gzip_lines,
    write_whole,
)


def read(path: Path, inside: Path | None = None) -> bytes:
    return files.read_whole(path, limit=100, cause="Fix it.", inside=inside)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside.txt").write_text("another's")
    made = tmp_path / "folder"
    (made / "below").mkdir(parents=True)
    (made / "below" / "file.txt").write_text("own")
    return made


def test_own_files_and_links_that_stay_are_read(folder: Path, tmp_path: Path) -> None:
    (folder / "link.txt").symlink_to("below/file.txt")
    (tmp_path / "folder-link").symlink_to(folder)
    assert read(folder / "below" / "file.txt", folder) == b"own"
    assert read(folder / "link.txt") == b"own"
    assert read(tmp_path / "folder-link" / "link.txt") == b"own"  # the user names the folder


@pytest.mark.parametrize("target", ["../outside.txt", "/proc/self/environ", "/etc/hostname"])
def test_a_link_out_of_the_folder_is_refused(folder: Path, target: str) -> None:
    (folder / "link.txt").symlink_to(target)
    with pytest.raises(CannotJudge, match=r"a link out of .*\. Fix it"):
        read(folder / "link.txt")


def test_a_folder_on_the_way_may_not_lead_out(folder: Path, tmp_path: Path) -> None:
    (folder / "aside").symlink_to(tmp_path)
    with pytest.raises(CannotJudge, match="a link out of"):
        read(folder / "aside" / "outside.txt", folder)


def test_links_of_a_hub_snapshot_lead_to_its_blobs_alone(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--a--b" / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    (tmp_path / "models--a--b" / "blobs").mkdir()
    (tmp_path / "models--a--b" / "blobs" / "cafe").write_text("{}")
    (tmp_path / "models--a--b" / "other").write_text("{}")
    (snapshot / "config.json").symlink_to("../../blobs/cafe")
    (snapshot / "vocab.txt").symlink_to("../../other")
    assert read(snapshot / "config.json") == b"{}"
    with pytest.raises(CannotJudge, match="a link out of"):
        read(snapshot / "vocab.txt")


def test_other_than_regular_files_are_refused_unread(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(folder / "fifo")
    monkeypatch.chdir(folder)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, kind in (("fifo", "a FIFO"), ("below", "a folder"), ("socket", "a socket")):
            with pytest.raises(CannotJudge, match=f"{kind}. Expected a regular file. Fix it"):
                read(folder / name)
    with pytest.raises(CannotJudge, match="is under /dev"):
        read(Path("/dev/zero"))
    with pytest.raises(CannotJudge, match="is under /proc"):
        read(Path("/proc/self/environ"))


@pytest.mark.parametrize("name", ["none.txt", "dangling", "below/file.txt/x", "a\0b"])
def test_what_is_not_there(folder: Path, name: str) -> None:
    (folder / "dangling").symlink_to("none.txt")
    with pytest.raises(CannotJudge, match=r"does not exist\. Fix it"):
        read(folder / name)


def test_a_larger_file_is_refused(folder: Path) -> None:
    (folder / "large").write_bytes(b"x" * 101)
    (folder / "fits").write_bytes(b"x" * 100)
    assert len(read(folder / "fits")) == 100
    with pytest.raises(CannotJudge, match="101 bytes, at most 100 are allowed"):
        read(folder / "large")


def test_a_link_swapped_after_it_was_resolved_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "below" / "file.txt"
    resolve = os.path.realpath

    def swapped(path: str | Path, *, strict: bool = False) -> str:
        place = resolve(path, strict=strict)
        if Path(path) == file and not file.is_symlink():
            file.unlink()
            file.symlink_to("/etc/hostname")
        return place

    monkeypatch.setattr(os.path, "realpath", swapped)
    with pytest.raises(CannotJudge, match="a link that changed while it was followed"):
        read(file)


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d" * 32 + b"\nsize 9\n"
CONFLICT = b'{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> main\n}\n'


@pytest.mark.parametrize("name", ["a.json", "model.onnx", "a.answers.gz", "weights"])
def test_a_git_lfs_pointer_is_named_with_the_command(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(POINTER)
    for use in (lambda: files.digest(path, cause="Fix it."), lambda: read_long(path)):
        with pytest.raises(CannotJudge, match=r"a Git LFS pointer.*git lfs pull.*lfs: true"):
            use()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("before", [b"", b"x\n" * 700_000])
def test_a_merge_conflict_is_named_with_its_line(tmp_path: Path, before: bytes, end: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(before + CONFLICT.replace(b"\n", end))
    line = before.count(b"\n") + 2
    with pytest.raises(CannotJudge, match=rf"merge conflict markers in line {line}\. .*git"):
        read_long(path)


@pytest.mark.parametrize(
    "data",
    [
        b"<<<<<<< HEAD\nno end",
        b"a <<<<<<< b\n=======\n>>>>>>> c\n",
        b"heading\n=======\n",
        b"\0\n" + CONFLICT,
        b"\xef\xbb\xbftext",
    ],
)
def test_other_content_is_read(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    assert read_long(tmp_path / "a.txt") == data


@pytest.mark.parametrize("name", ["a.json", "mt-gate.toml"])
def test_a_byte_order_mark_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf{}")
    with pytest.raises(CannotJudge, match=r"byte order mark \(BOM\)\. Save it as UTF-8 without"):
        read_long(tmp_path / name)


def read_long(path: Path) -> bytes:
    return files.read_whole(path, limit=1 << 24, cause="Fix it.")


SECRET = "ghs_CanaryCanary0123456789"


@pytest.fixture(autouse=True)
def _watched() -> Iterator[None]:
    escaping.watch({"GITHUB_TOKEN": SECRET})
    yield
    escaping.watch({})


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_texts_without_secrets(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "text", f"a {SECRET} \ud800\n")
    write_whole(tmp_path / "a" / "bytes", f"a {SECRET}\n".encode())
    write_gzip_lines(tmp_path / "a" / "packed.gz", [f"a {SECRET}".encode()])
    assert (tmp_path / "a" / "text").read_bytes() == b"a *** \\ud800\n"
    assert (tmp_path / "a" / "bytes").read_bytes() == b"a ***\n"
    assert gzip.decompress((tmp_path / "a" / "packed.gz").read_bytes()) == b"a ***\n"


def test_lines_are_packed_without_secrets(tmp_path: Path) -> None:
    lines = [f"{number} {SECRET} {number * 7919 % 1000}".encode() for number in range(5000)]
    digest = write_gzip_lines(tmp_path / "packed.gz", lines)
    text = gzip.decompress((tmp_path / "packed.gz").read_bytes())
    assert text == b"".join(line.replace(SECRET.encode(), b"***") + b"\n" for line in lines)
    assert digest == hashlib.sha256(text).hexdigest()


def test_a_path_that_is_no_text() -> None:
    assert readable({"path": "a\udcff.json"}) == b'{\n  "path": "a?.json"\n}\n'


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(OSError, match="not a regular file"):
            write_whole(tmp_path / name, "")
    assert names(tmp_path) == ["folder", "pipe"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_bytes(b"new" * (1 // 0))
    assert path.read_text() == "old"
    assert names(tmp_path) == ["report.html"]


def test_an_error_names_the_file_that_the_user_knows(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught, replacing(tmp_path / "a") as temporary:  # noqa: PT011
        temporary.unlink()
    assert caught.value.filename == str(tmp_path / "a")
    (tmp_path / "file").touch()
    with pytest.raises(OSError) as caught:  # noqa: PT011
        write_whole(tmp_path / "file" / "a", "")
    assert str(tmp_path / "file") in caught.value.filename


_KILLED = """
import os, sys
from pathlib import Path
from mt_gate.base.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    print("there", flush=True)
    sys.stdin.read()
"""


def writing(path: Path) -> subprocess.Popen[bytes]:
    """Start a process that is writing a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.readline() == b"there\n"
    return process


def test_the_files_of_killed_writers_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    with writing(path) as killed:
        killed.send_signal(signal.SIGKILL)
    assert len(names(tmp_path)) == 1
    others = [".result.json.notmine", ".other.json.abcdefgh", "result.json.abcdefgh"]
    for name in others:
        (tmp_path / name).touch()
    os.mkfifo(tmp_path / ".result.json.fifofifo")
    (tmp_path / ".result.json.linklink").symlink_to("result.json")
    write_whole(path, "new")
    remaining = [".result.json.fifofifo", ".result.json.linklink", "result.json", *others]
    assert names(tmp_path) == sorted(remaining)


def test_the_file_of_a_running_writer_stays(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    with writing(path) as process:
        write_whole(path, "mine")
        assert len(names(tmp_path)) == 2
        process.communicate()
    assert process.returncode == 0
    assert path.read_text() == "half"
    assert names(tmp_path) == ["result.json"]


class Record(msgspec.Struct):
    text: str
    kind: Literal["satisfied", "violated"] = "satisfied"


def test_records_lose_secrets_before_anything_is_made_of_them() -> None:
    """Of a text that was cut, or with its blanks taken together, no filter finds it."""
    escaping.watch({"MY_TOKEN": 'Canary  "Canary\t<Canary>', "MY_KEY": "ä" * 9})
    texts = ["nothing", 'a Canary  "Canary\t<Canary>', "ä" * 10]
    actual = [hidden_and_read(readable(Record(text)), Record).text for text in texts]
    assert actual == ["nothing", "a ***", "***ä"]


def test_a_secret_that_results_are_made_of_is_refused() -> None:
    for word in ("satisfied", '"satisfied"'):
        escaping.watch({"MY_TOKEN": word})
        with pytest.raises(CannotJudge, match="is also a word in the results"):
            hidden_and_read(readable(Record("a")), Record)


def test_the_way_to_a_stream_is_not_replaced(tmp_path: Path) -> None:
    """/dev/stdout leads to a file where output does, and that is no place for a new one."""
    with (tmp_path / "file").open("w") as file:
        place = Path(f"/proc/self/fd/{file.fileno()}")
        with pytest.raises(OSError, match="not a regular file"):
            write_whole(place, "text")
    assert names(tmp_path) == ["file"]


LINE = st.binary(max_size=9).map(lambda some: some.replace(b"\n", b""))


@given(st.lists(LINE, max_size=9), st.booleans())
def test_lines_that_are_packed_are_read(lines: list[bytes], ended: bool) -> None:
    text = b"\n".join(lines) + b"\n" * (ended and bool(lines))
    digest = hashlib.sha256(text).hexdigest()
    expected = [line.rstrip(b"\n") for line in io.BytesIO(text)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "packed.gz")
        path.write_bytes(gzip.compress(text))
        for exact in (None, len(expected)):
            bounds = {"most_bytes": len(text), "exact": exact}
            actual = read_gzip_lines(path, digest=digest, cause="Run it again", **bounds)
            assert [*actual] == expected


@pytest.mark.parametrize(
    ("lines", "bounds", "words"),
    [
        (["one", "two", "x" * 30, "y" * 40], {}, "line 3 has 20 bytes or more"),
        (["one", "two", "three"], {"exact": 2}, "more than 2 lines, the number in its"),
        (["one", "two", "three"], {"exact": 4}, "3 lines, but its metadata states 4"),
        (["one"] * 6, {}, "more than 5 lines, the limit"),
        # The end of gzip of two parts has the size of the last alone.
        (["one"] * 5, {"most_bytes": 19}, "unpacks to [0-9]+ bytes or more, limit 19"),
    ],
)
def test_what_is_out_of_bounds_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str],
    bounds: dict[str, int],
    words: str,
) -> None:
    for name, value in {"MAX_LINE": 20, "MAX_LINES": 5}.items():
        monkeypatch.setattr(files, name, value)
    path = tmp_path / "packed.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    with path.open("ab") as file:
        file.write(gzip.compress(b""))
    with pytest.raises(CannotJudge, match=rf"packed\.gz: {words}.*\. Run it again"):
        list(read_gzip_lines(path, cause="Run it again", **bounds))


def test_a_packed_file_that_was_cut_off_is_called_so_wherever(tmp_path: Path) -> None:
    """Its last bytes are then no size; read as one they may come to gigabytes."""
    write_gzip_lines(tmp_path / "whole.gz", [os.urandom(16).hex().encode() for _ in range(100)])
    data = (tmp_path / "whole.gz").read_bytes()
    ends = range(20, len(data))
    result = [int.from_bytes(data[end - 4 : end], "little") for end in ends]
    assert any(size > FREE for size in result)
    cut = tmp_path / "cut.gz"
    for end in ends[::7]:
        cut.write_bytes(data[:end])
        with pytest.raises(CannotJudge, match=r"cut\.gz.* truncated.*\. Run it again"):
            list(read_gzip_lines(cut, cause="Run it again"))
