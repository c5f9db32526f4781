from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.doctor.places import in_bytes, measured, writable


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


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (5 * 10**12, "5000.0 GB")]
)
def test_sizes(size: int, words: str) -> None:
    assert in_bytes(size) == words
