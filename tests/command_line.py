"""The commands of the command line, as click has them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from mt_gate.cli import COMMANDS, cli


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that words name, or its group, and the words after its name."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words:
        inner = command.get_command(click.Context(command), words[0])
        if inner is None:
            break
        command, words = inner, words[1:]
    return command, words


def option_names(command: click.Command) -> set[str]:
    return {name for item in command.params for name in (*item.opts, *item.secondary_opts)}


def every_command() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield all commands that do something, with the words that call them."""
    for name in COMMANDS:
        result, _ = command_of([name])
        if isinstance(result, click.Group):
            yield from (((name, inner), item) for inner, item in result.commands.items())
        else:
            yield (name,), result
