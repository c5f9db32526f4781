"""A run that hears none of Python's variables, as in the images, has a child that hears none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_checkout_s_modules_are_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("click", "json", "msgspec"):
        (tmp_path / "src" / f"{name}.py").write_text("import os; os._exit(0)\n")
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'runner')!r})\n"
        "from mt_gate.sut.process import _environment\n"
        "import subprocess\n"
        "code = 'import json, msgspec; print(json.__file__)'\n"
        "subprocess.run([sys.executable, '-P', '-c', code], env=_environment(), check=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": "src",
            "PYTHONHOME": "src",
            "PYTHONPYCACHEPREFIX": "src",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip().endswith("__init__.py")


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.full"])
def test_images_start_so(name: str) -> None:
    file = (ROOT / name).read_text()
    assert re.findall("^ENTRYPOINT .*", file, re.M) == [
        'ENTRYPOINT ["python", "-I", "-u", "-m", "mt_gate"]'
    ]
