"""The command ``mt-gate mutate`` where it writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Answer


def test_a_taken_folder_is_left_alone(
    command: Callable[..., Answer], exported: Path, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine").write_text("mine")
    done = command("mutate", exported, "--operator", "neuron-block", "--out", taken)
    assert done.code == 2
    assert "already exists" in done.err
    assert [path.name for path in taken.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_what_is_no_checkpoint_is_refused(
    command: Callable[..., Answer], tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    done = command("mutate", tmp_path / name, "--operator", "neuron-block", "--out", "out")
    assert done.code == (2 if name == "nowhere" else 3)
    assert "Expected a checkpoint made by mt-gate export" in done.err
