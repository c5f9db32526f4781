from __future__ import annotations

from pathlib import Path

from mt_gate.doctor.places import measured, writable


def test_nothing_stays_behind_where_a_folder_is_tried(tmp_path: Path) -> None:
    assert writable(tmp_path / "not" / "yet")
    assert [*tmp_path.iterdir()] == []


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not writable(tmp_path / "file" / "cache")


def test_files_below_are_measured(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_bytes(b"12345")
    (tmp_path / "two").write_bytes(b"123")
    assert measured(tmp_path) == (2, 8, True)
