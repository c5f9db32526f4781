"""What is read of a checkpoint is what is counted."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.folder import CheckpointFolder


def test_what_is_read_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(b"b")
    (tmp_path / "a.bin").write_bytes(b"a")
    folder = CheckpointFolder(tmp_path)
    assert folder.digests == {}
    assert folder.read("b.bin", limit=1) == b"b"
    folder.count("a.bin")
    folder.count("a.bin")
    assert list(folder.digests) == ["a.bin", "b.bin"]
    assert folder.digests["b.bin"] == hashlib.sha256(b"b").hexdigest()


def test_a_file_that_changes_between_two_reads_ends_the_run(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(b"a")
    folder = CheckpointFolder(tmp_path)
    folder.count("a.bin")
    file.write_bytes(b"b")
    with pytest.raises(CannotJudge, match="changed while the checkpoint was read"):
        folder.read("a.bin", limit=1)


def test_a_file_that_is_not_the_one_stated_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"a")
    stated = {"a.bin": hashlib.sha256(b"b").hexdigest()}
    with pytest.raises(CannotJudge, match=r"not the file that checkpoint\.json describes"):
        CheckpointFolder(tmp_path, stated).read("a.bin", limit=1)


def test_links_stay_in_the_folder(tmp_path: Path) -> None:
    made = tmp_path / "checkpoint"
    made.mkdir()
    (tmp_path / "secret").write_text("outside")
    (made / "a.bin").symlink_to("../secret")
    with pytest.raises(CannotJudge, match="a link out of"):
        CheckpointFolder(made).read("a.bin", limit=10)
