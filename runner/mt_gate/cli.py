"""Arguments in, exit code out; nothing else.

A command is imported when it is run for, and imports what it needs when it runs: ``mt-gate
--help`` answers at once, and a run never loads what only an export or a suite build needs.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from mt_gate import __version__
from mt_gate.base import errors, redaction, streams
from mt_gate.base.console import Failure, fail, guarded
from mt_gate.base.documentation import HOME

NAME = "mt-gate"
COMPLETE = "_MT_GATE_COMPLETE"
"""What a shell sets that asks for completions."""
COMMANDS = {
    "run": "Run a suite against a checkpoint, and judge it against a baseline.",
    "merge": "Judge the shards of a run, and write what one whole run would have written.",
    "qualify": "Judge CANDIDATE against BASE, both run in this job; no baseline is stored.",
    "compare": "Judge a stored result against a baseline, or show several side by side.",
    "history": "Show stored results over time or commits, as a page or a table.",
    "report": "Write one report of a stored result.",
    "comment": "Comment on a pull request with a stored result; the token is GITHUB_TOKEN.",
    "policy": "Explain what a policy asks of each relation.",
    "baseline": "Record, show and compare baselines.",
    "suite": "Build, verify, audit, show and list suites.",
    "export": "Export a Hugging Face checkpoint to ONNX, checked against PyTorch.",
    "evaluate": "Measure accuracy on labels, next to a run's violation rates.",
    "repair": "Relabel by vote the entities that a run's violated groups disagree on.",
    "mutate": "Write a copy of a checkpoint with a few neurons damaged (needs mt-gate[export]).",
    "demo": "Compare small checkpoints: a real regression in each task, no network needed.",
    "doctor": "Show what is installed, what a run would compute on, and why not on the GPU.",
    "action": "Run as a GitHub Action: inputs from INPUT_*, outputs to GITHUB_OUTPUT.",
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
"""Each begins its help with these words. Those without an entry point are in ``commands/``."""
ENTRY_POINTS = "mt_gate.commands"
BY_ENTRY_POINT = {"suite"}
"""Commands of another package, which this one must not import."""


OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Looking for cycles as often as Python does by itself takes a tenth of comparing 100,000 groups,
and finds none in their rows."""


class _Commands(click.Group):
    """The commands, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return their names, the most used first."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        cmd_name: str,
    ) -> click.Command | None:
        """Return one of them; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in BY_ENTRY_POINT:
            return _load_by_entry_point(cmd_name)
        module = import_module(f"mt_gate.commands.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        formatter: click.HelpFormatter,
    ) -> None:
        """Write what each does, without importing any."""
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


def _load_by_entry_point(name: str) -> click.Command:
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
    with streams.installed(os.environ), warnings.catch_warnings(), _few_collections():
        if not sys.warnoptions:  # numpy's, of figures that are looked at here anyway
            warnings.simplefilter("ignore", RuntimeWarning)
        done = guarded(lambda: _run(arguments))
        return fail(*done) if isinstance(done, Failure) else done


@contextmanager
def _few_collections() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _run(arguments: list[str] | None) -> int:
    """Run the command line without click's own last resorts: one of them ends with 1."""
    redaction.watch(os.environ)
    if shell := os.environ.get(COMPLETE):
        return _complete(shell)
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    try:
        with cli.make_context(NAME, words) as context:
            code = cli.invoke(context)
    except _NO_ARGUMENTS as error:
        click.echo(error.ctx.get_help(), err=True)
        code = errors.USAGE
    streams.finish()
    return code if isinstance(code, int) else errors.PASS


def _complete(wanted_shell: str) -> int:
    """Do what click does for a shell; it would write bytes, around standard output."""
    from click.shell_completion import get_completion_class

    shell, _, wanted = wanted_shell.partition("_")
    kind = get_completion_class(shell)
    if kind is None or wanted not in ("source", "complete"):
        raise errors.UsageError(f"{COMPLETE} is {errors.quoted(wanted_shell)}, not bash_source.")
    completion = kind(cli, {}, NAME, COMPLETE)
    try:
        text = completion.source() if wanted == "source" else completion.complete()
    except (KeyError, ValueError):  # what a shell says of the line is in its environment, too
        raise errors.UsageError(f"{COMPLETE} is reserved for shell completion. Unset it.") from None
    click.echo(text)
    return errors.PASS
