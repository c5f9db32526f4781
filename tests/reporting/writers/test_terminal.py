from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mt_gate.reporting.words.first_screen import examples, gather
from mt_gate.reporting.writers.terminal import show
from mt_gate.results.result import GateVerdict, Result
from reporting import hostile_pages, made_up


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(result: Result, stream: io.StringIO | None = None) -> str:
    stream = stream or io.StringIO()
    show(result, made_up.CATALOGUE, stream, verbose=True)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize("verdict", GateVerdict)
def test_the_verdict_is_first_and_tables_fit_eighty_columns(verdict: GateVerdict) -> None:
    first, *lines = shown(made_up.result(verdict)).splitlines()
    assert first.startswith(f"{str(verdict).replace('-', ' ').upper()}: ")
    assert first.endswith(f" (exit {made_up.result(verdict).exit_code})")
    tables = [line for line in lines if re.search(r" {2,}|─", line) and not line.startswith("  ")]
    assert max(map(len, tables), default=0) <= 80


@pytest.mark.parametrize(("columns", "most"), [(100, 16), (80, 20)])
@pytest.mark.parametrize("verdict", GateVerdict)
def test_a_verdict_takes_few_lines(
    verdict: GateVerdict, columns: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = made_up.result(verdict)
    example = examples(result, gather(result, made_up.again(made_up.rows())), 1)
    stream = Terminal()
    show(result, made_up.CATALOGUE, stream, out=Path("mt-gate-out"), example=example)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in stream.getvalue().splitlines()]
    assert sum(max(1, -(-len(line) // columns)) for line in lines) <= most


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in shown(made_up.result())
    assert "\x1b[" in shown(made_up.result(), Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown(made_up.result(), Terminal())


def test_hostile_texts_are_neither_commands_nor_colours() -> None:
    stream = io.StringIO()
    made = hostile_pages.run()
    show(made.result, made.catalogue, stream, verbose=True)
    text = stream.getvalue()
    assert not set("\x1b\x00\u202e\u2028\r") & set(text)
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_markup_of_the_library_is_text() -> None:
    result = made_up.result(notes=("[red]not red[/red] :warning:",))
    assert "[red]not red[/red] :warning:" in shown(result)


def test_importing_it_is_cheap() -> None:
    code = "import sys, mt_gate.reporting.writers.terminal; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    path = {"PYTHONPATH": ":".join(p for p in sys.path if p)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=path)
    assert not {"jinja2", "rich", "junit_xml", "numpy", "markupsafe"} & set(done.stdout.split())
