from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mt_gate

PACKAGE = Path(mt_gate.__file__).parents[1]


def test_the_runtime_leaves_no_telemetry_behind(tmp_path: Path) -> None:
    """Left to itself it keeps what it would send, and an id of the machine, in the user's cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    subprocess.run(
        [sys.executable, "-c", "from mt_gate.sut.session import trial; trial('cpu')"],
        env={**kept, "PYTHONPATH": str(PACKAGE), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )
    assert [*tmp_path.iterdir()] == []
