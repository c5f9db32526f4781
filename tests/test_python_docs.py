"""The examples of docs/python.md run, and a type checker accepts them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mt_gate
from making_text import CLASSIFIER
from test_training import RATE, trainer_of

ROOT = Path(__file__).parents[1]
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```$",
    (ROOT / "docs" / "python.md").read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)
NOTEBOOK, CALLABLE, PYTEST, TRAINER = EXAMPLES


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))


@pytest.fixture
def _checkpoints(small: Path, tmp_path: Path) -> None:
    for name in ("ner", "ner-new"):
        shutil.copytree(small, tmp_path / "models" / name)


def run_example(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(code, "python.md", "exec"), names)
    return names


@pytest.mark.slow
@pytest.mark.usefixtures("_checkpoints")
def test_in_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_example(NOTEBOOK)["result"]
    assert result.passed
    assert "PASS" in result._repr_html_()
    assert capsys.readouterr().out == ""  # the same checkpoint has no new violations
    worse = mt_gate.compare(result, "baselines/ner.json")
    assert worse.relations == result.relations


@pytest.mark.slow
def test_any_callable() -> None:
    result = run_example(CALLABLE)["result"]
    assert [record.rate for record in result.relations]
    assert result.verdict == "pass"


@pytest.mark.slow
@pytest.mark.usefixtures("_checkpoints")
def test_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    Path("test_gate.py").write_text(PYTEST)
    command = [sys.executable, "-m", "pytest", "-p", "mt_gate.pytest_plugin", "test_gate.py"]
    for flags, words in (["--mt-gate-update-baseline"], "5 passed"), ([], "5 passed"):
        done = subprocess.run([*command, *flags], capture_output=True, text=True, check=False)
        assert words in done.stdout, done.stdout


@pytest.mark.export
def test_during_training(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, CLASSIFIER, ("fair", "hateful"))
    run_example(TRAINER)["add_gate"](trainer)
    metrics = trainer.evaluate()
    assert 0 <= metrics[f"eval_{RATE}"] <= 1
    assert RATE in Path("rates.jsonl").read_text()


@pytest.mark.slow
def test_a_type_checker_accepts_the_examples(tmp_path: Path) -> None:
    checker = pytest.importorskip("mypy.api")
    for number, example in enumerate(EXAMPLES):
        (tmp_path / f"example_{number}.py").write_text(example)
    (tmp_path / "wrong.py").write_text(
        "import mt_gate\n"
        'mt_gate.run(checkpoint="m", marjin=0.1)\n'
        'mt_gate.run(checkpoint="m", margin="0.1").verdict.value\n'
    )
    os.chdir(ROOT)
    flags = ["--config-file", "pyproject.toml", "--cache-dir", str(tmp_path / "mypy")]
    out, err, code = checker.run([*flags, *map(str, sorted(tmp_path.glob("*.py")))])
    lines = [line for line in out.splitlines() if ": error: " in line]
    assert (code, err, len(lines)) == (1, "", 3), out
    assert all("wrong.py" in line for line in lines), out
