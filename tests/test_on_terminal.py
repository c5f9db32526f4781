"""What commands print on a terminal, and what into a pipe."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from making import make_suite
from making_onnx import network, save_as_exported
from pseudo_terminal import environment, on_terminal

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small: Path) -> Path:
    """A recorded baseline and a worse run."""
    from mt_gate.cli import exit_code

    folder = tmp_path_factory.mktemp("terminal")
    suite = make_suite(folder / "suite")
    other = save_as_exported(folder / "other", network(seed=11))
    for name, checkpoint in (("one", small), ("two", other)):
        out, cache = folder / name, folder / "cache"
        run = ["run", "--checkpoint", checkpoint, "--task", "ner", "--suite", suite]
        assert exit_code([str(item) for item in [*run, "--out", out, "--cache", cache]]) == 0
        record = ["baseline", "record", out / "result.json", "--name", name, "--dir", folder]
        assert exit_code([str(item) for item in record]) == 0
    return folder


def widest(text: str) -> int:
    return max(len(CONTROL.sub("", line)) for line in text.splitlines())


COMMANDS = {
    "compare": ("compare", "two", "--baseline", "one.json"),
    "side by side": ("compare", "one", "two"),
    "history": ("history", "one", "two", "--out", "h.csv"),
    "show": ("baseline", "show", "one.json"),
    "diff": ("baseline", "diff", "one.json", "two.json"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_fit_eighty_columns_of_a_terminal(name: str, folder: Path) -> None:
    code, shown, _ = on_terminal(*COMMANDS[name], cwd=folder)
    assert code in (0, 1), shown
    assert widest(shown) <= 80
    assert "%" in shown


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_declined(variable: dict[str, str], folder: Path) -> None:
    compare = COMMANDS["compare"]
    assert COLOUR.search(on_terminal(*compare, cwd=folder)[1])
    shown = on_terminal(*compare, cwd=folder, **variable)[1]
    assert "INCONCLUSIVE: " in shown
    assert not COLOUR.search(shown)


def test_a_pipe_gets_whole_lines_without_colours(folder: Path) -> None:
    command = [sys.executable, "-m", "mt_gate", *COMMANDS["compare"]]
    done = subprocess.run(
        command, cwd=folder, env=environment(COLUMNS="80", FORCE_COLOR="1"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "\x1b" not in done.stdout
    facts = [line for line in done.stdout.splitlines() if line.endswith(".")]
    assert any(len(line) > 80 for line in facts)


def test_no_figure_is_cut_on_a_narrow_terminal(folder: Path) -> None:
    wide = on_terminal(*COMMANDS["diff"], cwd=folder, NO_COLOR="1")[1]
    narrow = on_terminal(*COMMANDS["diff"], cwd=folder, columns=40, NO_COLOR="1")[1]
    assert "…" not in narrow
    assert re.findall(r"\d+\.\d%", narrow) == re.findall(r"\d+\.\d%", wide)


@pytest.fixture
def run(folder: Path, small: Path, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    arguments = ["run", "--checkpoint", small, "--task", "ner", "--suite", folder / "suite"]
    return lambda **more: on_terminal(
        *arguments, "--out", tmp_path / "out", "--cache", tmp_path / "cache", cwd=tmp_path, **more
    )


def test_progress_is_drawn_on_standard_error(run: Callable[..., tuple[int, str, str]]) -> None:
    code, shown, piped = run(stream="stderr")
    assert code == 0
    assert "predicting" in shown
    assert "predicting" not in piped
    assert "MEASURED: " in piped
    assert "\x1b" not in piped


@pytest.mark.parametrize("more", [{"stream": "stdout"}, {"stream": "stderr", "TERM": "dumb"}])
def test_progress_is_not_drawn_elsewhere(
    more: dict[str, str], run: Callable[..., tuple[int, str, str]]
) -> None:
    code, shown, piped = run(**more)
    assert code == 0
    assert "predicting" not in shown + piped
    assert "\x1b[?25l" not in shown + piped
