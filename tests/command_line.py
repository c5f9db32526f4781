"""The commands of the command line, as click has them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from mt_gate.cli import COMMANDS, cli


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that words name, or its group, and the words after its name."""
    found: click.Command = cli
    while isinstance(found, click.Group) and words:
        inner = found.get_command(click.Context(found), words[0])
        if inner is None:
            break
        found, words = inner, words[1:]
    return found, words


def option_names(command: click.Command) -> set[str]:
    return {name for item in command.params for name in (*item.opts, *item.secondary_opts)}


def every_command() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield all commands that do something, with the words that call them."""
    for name in COMMANDS:
        found, _ = command_of([name])
        if isinstance(found, click.Group):
            yield from (((name, inner), item) for inner, item in found.commands.items())
        else:
            yield (name,), found
