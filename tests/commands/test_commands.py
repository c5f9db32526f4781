"""Each command stands in a module of its own, and says in the list what it says itself."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from command_line import command_of
from mt_gate import cli, commands

SHARED = {"judged", "options"}


def test_every_module_is_a_command() -> None:
    files = {path.stem for path in Path(commands.__path__[0]).glob("[a-z]*.py")}
    assert files - SHARED == {*cli.COMMANDS}


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    command, rest = command_of([name])
    assert command.name == name
    assert not rest
    first = (command.help or "").split("\n\n")[0]
    assert " ".join(first.split()) == cli.COMMANDS[name]


def test_there_is_no_other_command() -> None:
    assert cli.cli.get_command(click.Context(cli.cli), "options") is None
