"""Recipes: what is none is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import UsageError

recipe = pytest.importorskip("mt_gate.building.recipe", reason="needs mt-gate[suite]")


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff", b"name = ", b"seed = 0x" + b"f" * 9000, b"seed = " + b"9" * 9000,
        b"name = " + b"[" * 90_000, b"name = 7\n", b"x" * (2 << 20),
    ],
    ids=["empty", "not UTF-8", "cut", "huge hex", "huge", "deep", "no text", "large"],
)  # fmt: skip
def test_files_that_are_none(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_bytes(text)
    with pytest.raises(UsageError) as caught:
        recipe.read_recipe(str(tmp_path / "recipe.toml"))
    assert str(caught.value).startswith(str(tmp_path / "recipe.toml"))


def test_a_link_to_another_folder(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").symlink_to("/proc/self/environ")
    with pytest.raises(UsageError, match="a link out of"):
        recipe.read_recipe(str(tmp_path / "recipe.toml"))
