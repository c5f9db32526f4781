"""The command line: parse arguments, call a command, return its exit code.

A command is imported when it is called, and imports its dependencies when it runs. So ``mt-gate
--help`` is fast, and a run never loads the dependencies of an export or a suite build.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from importlib import import_module
from typing import Any

import click

from mt_gate import __version__
from mt_gate.base import console, errors, escaping
from mt_gate.base.console import Failure, fail, guarded
from mt_gate.base.errors import HOME

NAME = "mt-gate"
COMPLETE = "_MT_GATE_COMPLETE"
"""Environment variable that a shell sets to request completions."""
GROUPS = {
    "Gate a checkpoint": {
        "run": "Run a suite on a checkpoint, and compare it with a baseline.",
        "qualify": "Compare two checkpoints directly, without a stored baseline.",
        "export": "Export a Hugging Face checkpoint to ONNX, checked against PyTorch.",
        "demo": "Show a real regression in about two minutes, without network access.",
        "doctor": "Check the installation and the available devices.",
    },
    "Baselines": {
        "baseline": "Record, show and compare baselines.",
        "compare": "Compare stored results with a baseline, or with each other.",
        "policy": "Check which regressions a policy can detect.",
    },
    "Suites": {"suite": "List, show, build and audit suites."},
    "Reports": {
        "report": "Write a report of a stored result, or a table of several gates.",
        "comment": "Comment on a pull request with a stored result.",
        "history": "Show stored results over time, as a page or a table.",
    },
    "Tools": {
        "merge": "Combine the shards of a run and judge the result.",
        "evaluate": "Measure accuracy on labelled inputs.",
        "repair": "Find wrong entity predictions in violated cases (experimental).",
        "mutate": "Write a copy of a Hugging Face checkpoint with a few damaged neurons.",
        "action": "Run as a GitHub Action.",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
"""Commands, and how their help begins. All but ``BY_ENTRY_POINT`` are in ``commands/``."""
ENTRY_POINTS = "mt_gate.commands"
BY_ENTRY_POINT = {"suite"}
"""Commands of another package, which this one must not import."""


class _Commands(click.Group):
    """The commands, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names of the commands, the most used first."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        cmd_name: str,
    ) -> click.Command | None:
        """Return a command; None if its name is unknown."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in BY_ENTRY_POINT:
            return load_by_entry_point(cmd_name)
        module = import_module(f"mt_gate.commands.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        formatter: click.HelpFormatter,
    ) -> None:
        """Write what each command does, without importing it."""
        widest = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), text) for name, text in commands.items()])


class _Formatter(click.HelpFormatter):
    """Formats help, and keeps addresses whole, which click breaks after a hyphen."""

    def getvalue(self) -> str:
        """Return the text, with its addresses whole."""
        return re.sub(r"(https://\S*-)\n +", r"\1", super().getvalue())


click.Context.formatter_class = _Formatter
_NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())  # from click 8.2 on


def load_by_entry_point(name: str) -> click.Command:
    """Return a command of another package. Raises CannotJudge."""
    from importlib.metadata import entry_points

    for entry_point in entry_points(group=ENTRY_POINTS, name=name):
        command: click.Command = entry_point.load()
        return command
    raise errors.CannotJudge(f"No package provides the command {name}. Install mt-gate again.")


@click.group(
    cls=_Commands,
    epilog=f"Documentation: {HOME}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name=NAME)
def cli() -> None:
    """Fail the build when a new NLP checkpoint handles language worse than the last one."""


def exit_code(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; every failure becomes one line."""
    with console.installed(os.environ), warnings.catch_warnings():
        if not sys.warnoptions:  # numpy warns of figures that mt-gate checks itself
            warnings.simplefilter("ignore", RuntimeWarning)
        done = guarded(lambda: _run(arguments))
        return fail(*done) if isinstance(done, Failure) else done


def _run(arguments: list[str] | None) -> int:
    """Run the command line without click's error handling, which may exit with 1."""
    escaping.watch(os.environ)
    if shell := os.environ.get(COMPLETE):
        return _complete(shell)
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    try:
        with cli.make_context(NAME, words) as context:
            code = cli.invoke(context)
    except _NO_ARGUMENTS as error:
        click.echo(error.ctx.get_help(), err=True)
        code = errors.USAGE
    console.finish()
    return code if isinstance(code, int) else errors.PASS


def _complete(wanted_shell: str) -> int:
    """Print a shell's completions like click, which would write bytes that bypass the outlet."""
    from click.shell_completion import get_completion_class

    shell, _, wanted = wanted_shell.partition("_")
    kind = get_completion_class(shell)
    if kind is None or wanted not in ("source", "complete"):
        raise errors.UsageError(f"{COMPLETE} is {errors.quoted(wanted_shell)}, not bash_source.")
    completion = kind(cli, {}, NAME, COMPLETE)
    try:
        text = completion.source() if wanted == "source" else completion.complete()
    except (KeyError, ValueError):  # click reads the shell's line from the environment, too
        raise errors.UsageError(f"{COMPLETE} is reserved for shell completion. Unset it.") from None
    click.echo(text)
    return errors.PASS
