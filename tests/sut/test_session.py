"""What ONNX Runtime does beside computing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mt_gate

PACKAGE = Path(mt_gate.__file__).parents[1]
OPEN = "import sys; from pathlib import Path; from mt_gate.sut.onnx import OnnxSystem; "
OPEN += "OnnxSystem(Path(sys.argv[1]), 'ner', 'cpu').noise([{'text': 'Anna was here.'}])"


def test_the_runtime_leaves_no_telemetry_behind(exported: Path, tmp_path: Path) -> None:
    """Left to itself it keeps what it would send, and an id of the machine, in the user's cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    subprocess.run(
        [sys.executable, "-c", OPEN, str(exported)],
        env={**kept, "PYTHONPATH": str(PACKAGE), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )
    assert [*tmp_path.iterdir()] == []
