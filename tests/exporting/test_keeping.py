"""Exports in the cache: whole ones serve, and nothing else is in the way."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.exporting.keeping import clear, is_kept


@pytest.fixture
def kept(tmp_path: Path, small: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "kept"))


def without(*names: str) -> Callable[[Path], None]:
    """Return a change that takes files away, and out of the card."""

    def change(folder: Path) -> None:
        card = json.loads((folder / "checkpoint.json").read_text())
        for name in names:
            (folder / name).unlink()
            card["files"].pop(name, None)
        if "checkpoint.json" not in names:
            (folder / "checkpoint.json").write_text(json.dumps(card))

    return change


def test_a_whole_export_is_kept(kept: Path) -> None:
    assert is_kept(kept)


@pytest.mark.parametrize(
    "change",
    [
        without("model.onnx"),
        without("tokenizer.json"),
        without("checkpoint.json"),
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
