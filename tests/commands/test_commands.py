"""Each command has a module of its own, one help text, and options read as settings."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import click
import pytest

from cases import table
from command_line import command_of, every_command
from mt_gate import cli, commands
from mt_gate.base.errors import CANNOT_JUDGE, UsageError
from mt_gate.commands import options
from mt_gate.mutating.operators import Operator
from mt_gate.relation_corpora.reading import FORMATS

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


OWN = dict(table(__file__, "own"))
"""Options that may differ from command to command, and in what."""


def test_an_option_says_the_same_in_each_command() -> None:
    actual = defaultdict(set)
    for _, command in every_command():
        for item in (item for item in command.params if isinstance(item, click.Option)):
            again = re.split(r" \[default| See https:", str(item.help))[0].rstrip(".")
            actual[item.opts[0]].add((again, item.metavar, item.type.name))
    differing = {name for name, seen in actual.items() if len(seen) > 1}
    assert differing <= {*OWN}


@pytest.mark.parametrize("names", [["evaluate"], ["suite", "build"]])
def test_formats_of_corpora(names: list[str]) -> None:
    [item] = [item for item in command_of(names)[0].params if item.name == "form"]
    assert isinstance(item.type, click.Choice)
    assert tuple(item.type.choices) == FORMATS


def test_mutation_operators() -> None:
    [item] = [item for item in command_of(["mutate"])[0].params if item.name == "operators"]
    assert isinstance(item.type, click.Choice)
    assert {*item.type.choices} == {*Operator}


def run(*arguments: str, **named: str) -> dict[str, object]:
    """Return what a command gets that has three settings as options."""

    @click.command()
    @options.settings("margin", "strict", "out")
    def command(**values: object) -> None:
        raise AssertionError(values)

    return command.make_context("it", [*arguments], **named).params


def test_values_are_read_as_settings() -> None:
    values = run("--margin", "0.2", "--no-strict", "--out", "a")
    assert values == {"margin": 0.2, "strict": False, "out": Path("a")}


def test_a_bad_value_names_the_option() -> None:
    with pytest.raises(UsageError, match="--margin must be a number from 0 to below 1"):
        run("--margin", "2")


def test_a_path_that_no_file_system_can_have() -> None:
    with pytest.raises(UsageError, match=r"--output is .*: File name too long"):
        command_of(["report"])[0].make_context("report", ["r", "--output", "x" * 5000])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], None),
        (["--exclude", "a,b"], ("a", "b")),
        (["--exclude", "a", "--exclude", "b,c"], ("a", "b", "c")),
    ],
)
def test_a_list_may_be_repeated(arguments: list[str], expected: tuple[str, ...] | None) -> None:
    values: list[object] = []
    command = click.command()(options.setting("exclude")(lambda exclude: values.append(exclude)))
    command.main(arguments, standalone_mode=False)
    assert values == [expected]


def test_a_map_may_be_repeated() -> None:
    values: list[object] = []
    command = click.command()(
        options.setting("label_map")(lambda label_map: values.append(label_map))
    )
    arguments = ["--label-map", "a=A|B,b=C", "--label-map", "b=D"]
    command.main(arguments, standalone_mode=False)
    assert values == [{"a": ("A", "B"), "b": ("D",)}]
