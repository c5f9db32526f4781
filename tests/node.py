"""Programs of the node packages that tests use, where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MODULES = Path(os.environ.get("MT_GATE_NODE_MODULES", Path(__file__).parents[1] / "node_modules"))


def node(
    package: str, *arguments: object, text_in: str = "", cwd: Path = MODULES.parent
) -> subprocess.CompletedProcess[str]:
    """Run node where ``package`` can be imported, or skip the test where it is not installed."""
    program = shutil.which("node")
    if program is None or not (MODULES / package).is_dir():
        pytest.skip(f"no node, or no {package} in {MODULES}; npm install --no-save {package}")
    return subprocess.run(
        [program, *map(str, arguments)],
        input=text_in, capture_output=True, text=True, check=False, timeout=300, cwd=cwd,
    )  # fmt: skip


def script(package: str, text: str, text_in: str) -> str:
    """Run a module's text with ``text_in`` on standard input; return what it writes."""
    done = node(package, "--input-type=module", "--eval", text, text_in=text_in)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
