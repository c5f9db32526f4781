"""Exports in the cache: whole ones serve, and nothing else is in the way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.exporting.keeping import clear, is_kept


@pytest.fixture
def kept(tmp_path: Path, small: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "kept"))


def test_a_whole_export_is_kept(kept: Path) -> None:
    assert is_kept(kept)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_card_without_a_file_that_it_needs(kept: Path, edit_json: Callable, name: str) -> None:
    (kept / name).unlink()
    edit_json(kept / "checkpoint.json", lambda card: card["files"].pop(name))
    assert not is_kept(kept)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "checkpoint.json").unlink(),
        lambda folder: (folder / "model.onnx").write_bytes(b"half"),
        lambda folder: (folder / "checkpoint.json").write_text("{"),
    ],
)
def test_what_is_half_there_is_not_kept_and_goes(
    kept: Path, change: Callable[[Path], object]
) -> None:
    change(kept)
    assert not is_kept(kept)
    clear(kept)
    assert not kept.exists()


def test_a_file_or_a_link_in_its_place_goes_alone(tmp_path: Path, kept: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("x")
    link.symlink_to(kept)
    for place in (file, link, tmp_path / "nothing"):
        clear(place)
    assert [*tmp_path.iterdir()] == [kept]
    assert is_kept(kept)
