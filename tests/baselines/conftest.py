from __future__ import annotations

from pathlib import Path

import pytest

from baselines.made import built
from mt_gate.baselines.writing import write_baseline


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ner.json"
    write_baseline(path, built())
    return path
