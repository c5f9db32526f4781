"""Files that strangers put there: what is opened, and what never is."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge


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
