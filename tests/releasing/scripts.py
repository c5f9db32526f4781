"""Scripts of ``.ci`` for tests: as modules, and run on a copy of what they read."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import documents

CI = documents.ROOT / ".ci"


def load(name: str) -> ModuleType:
    """Import a script of ``.ci``."""
    spec = importlib.util.spec_from_file_location(f"ci_{name}", CI / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def copied(folder: Path, *names: str) -> Path:
    """Copy files of the checkout into a folder that takes its place; return it."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(documents.ROOT / name, folder / name)
    return folder


def run(script: Path, *arguments: object, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a Python script with a text on standard input."""
    command = [sys.executable, str(script), *map(str, arguments)]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=False, timeout=60
    )
