"""Which checkpoint one is, and that all are opened alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from fault_bench.opening import digest, open_side
from mt_gate.base.errors import CannotJudge
from mt_gate.settings.record import Settings


def test_a_checkpoint_is_known_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = digest(tmp_path)
    (tmp_path / "folder").mkdir()
    assert digest(tmp_path) == first
    (tmp_path / "a").write_text("2")
    assert digest(tmp_path) != first
    with pytest.raises(CannotJudge, match="cannot be read"):
        digest(tmp_path / "none")


def test_each_side_is_read_as_the_settings_say(exported: Path, tmp_path: Path) -> None:
    settings = Settings(task="ner", suite="ner-default", max_length=20, threads=1, precision="fp16")
    system = open_side(settings, exported, tmp_path, [], lambda _: None)
    system.close()
    assert system.card.max_length == 20
    assert system.head.runtime.threads == 1
    assert system.card.precision == "fp32"  # as it was exported
