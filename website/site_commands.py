"""The pages of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from mt_gate.cli import COMMANDS, NAME, cli

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$])")
_PAGE = re.compile(r"docs/([\w-]+)\.md")
_AS_IT_STANDS = "\b"
"""What click's help begins a paragraph with whose lines are to stay."""


def write(into: Path) -> None:
    """Write ``cli.md`` and a page for each command."""
    (into / "cli").mkdir()
    for name in COMMANDS:
        (into / "cli" / f"{name}.md").write_text(page(name), encoding="utf-8")
    (into / "cli.md").write_text(overview(), encoding="utf-8")


def overview() -> str:
    """Return the page that lists all commands."""
    rows = [
        f"| [`{NAME} {name}`](cli/{name}.md) | {plain(what)} |" for name, what in COMMANDS.items()
    ]
    entries = [f"{NAME} {name} <cli/{name}>" for name in COMMANDS]
    return "\n".join(
        [
            "# Command line",
            "",
            plain(cli.help or ""),
            f"`{NAME} COMMAND --help` prints what stands here.",
            "",
            "| command | what it does |",
            "| --- | --- |",
            *rows,
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *entries,
            "```",
            "",
        ]
    )


def page(name: str) -> str:
    """Return the page of a command, with those below it."""
    context = click.Context(cli, info_name=NAME)
    command = cli.get_command(context, name)
    assert command is not None
    return "\n".join(_part(click.Context(command, parent=context, info_name=name), 1)) + "\n"


def _part(context: click.Context, level: int) -> Iterator[str]:
    command = context.command
    yield from [f"{'#' * level} {context.command_path}", ""]
    yield from ["```text", " ".join([context.command_path, *command.collect_usage_pieces(context)])]
    yield from ["```", ""]
    yield from _help(inspect.cleandoc(command.help or ""))
    shown = [param.get_help_record(context) for param in command.get_params(context)]
    rows = [record for record in shown if record]
    if rows:
        yield from ["| option | effect |", "| --- | --- |"]
        yield from (f"| {_code(words)} | {plain(what)} |" for words, what in rows)
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _part(click.Context(below, parent=context, info_name=name), level + 1)


def _help(text: str) -> Iterator[str]:
    """Yield the paragraphs of a command's help."""
    for paragraph in text.split("\f")[0].split("\n\n"):
        if paragraph.startswith(_AS_IT_STANDS):
            yield from ["```text", paragraph.removeprefix(_AS_IT_STANDS).strip("\n"), "```", ""]
        elif paragraph.strip():
            yield from [plain(" ".join(paragraph.split())), ""]


def plain(text: str) -> str:
    """Return a text as Markdown that shows it as it is, with links to the pages that it names."""
    return _PAGE.sub(r"[\g<0>](/\1.md)", _SPECIAL.sub(r"\\\1", " ".join(text.split())))


def _code(words: str) -> str:
    """Return an option's words as code in a table's cell."""
    return "`" + words.replace("|", r"\|") + "`"
