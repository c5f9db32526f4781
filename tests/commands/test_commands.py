"""Each command has a module of its own, and one help text in the list and on its page."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from command_line import command_of
from mt_gate import cli, commands
from mt_gate.base.errors import CANNOT_JUDGE

SHARED = {"judged", "options"}


def test_every_module_is_a_command() -> None:
    files = {path.stem for path in Path(commands.__path__[0]).glob("[a-z]*.py")}
    assert files - SHARED == cli.COMMANDS.keys() - cli.BY_ENTRY_POINT


def test_a_command_of_a_package_that_is_missing_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "ENTRY_POINTS", "mt_gate.no-such-group")
    assert cli.exit_code(["suite", "list"]) == CANNOT_JUDGE
    assert capsys.readouterr().err == (
        "mt-gate: No package provides the command suite. Install mt-gate again.\n"
    )


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    command, rest = command_of([name])
    assert command.name == name
    assert not rest
    first = (command.help or "").split("\n\n")[0]
    assert " ".join(first.split()) == cli.COMMANDS[name]


def test_there_is_no_other_command() -> None:
    assert cli.cli.get_command(click.Context(cli.cli), "options") is None
