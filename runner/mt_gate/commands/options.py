"""Options that commands share: those of settings, and groups of others that belong together."""

from __future__ import annotations

import functools
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mt_gate.base.console import Style
from mt_gate.base.errors import CannotJudge, UsageError, check_path
from mt_gate.settings.record import CONFIG, DECIDING, SETTINGS, dashed
from mt_gate.settings.values import checked, default_text

if TYPE_CHECKING:
    from mt_gate.language.kinds import ToolNames
    from mt_gate.sut.processes import Allowed

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Path(click.Path):
    """A path that the system can look up; it need not exist."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Reject paths that no file system accepts."""
        where = param.opts[0] if param else "the path"
        if value == "":  # an empty path would be the working folder
            raise UsageError(f"{where} is empty. Give a path.")
        check_path(where, value)
        return super().convert(value, param, ctx)


PATH = _Path(path_type=Path)
PLACE = _Path(path_type=str)
"""A folder, or a name that can be used instead."""


class Value(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """Values that a setting may have."""

    def __init__(self, name: str) -> None:
        """Make the type of the setting ``name``."""
        self.name = name

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG002 - click's
        """Return the checked value."""
        return checked(f"--{dashed(self.name)}", self.name, value)


def setting(name: str, otherwise: str | None = None, **more: Any) -> Decorator:
    """Return the option of a setting; its value is None if the option is not passed.

    ``otherwise`` is the default that the help shows; None shows the setting's. ``more``: for click.
    """
    about = SETTINGS[name]
    flag = f"--{dashed(name)}"
    ending = f" Deprecated {about.deprecated}." if about.deprecated else ""
    ending += about.link and f" See {about.link}"
    if about.kind is bool:
        words = f"{about.help}.{ending}"
        return click.option(f"{flag}/--no-{dashed(name)}", default=None, help=words)
    default = "" if more else default_text(name) if otherwise is None else otherwise
    words = with_default(about.help, default) + ending
    if about.metavar.endswith(",...") and not more:
        more = {"multiple": True, "callback": join_lists}
    return click.option(flag, type=Value(name), metavar=about.metavar, help=words, **more)


def join_lists(_context: object, _option: object, values: Sequence[Any]) -> Any:
    """Return the values of an option that may be repeated as one; None if it is not passed."""
    if not values or isinstance(values[0], Mapping):
        return dict(ChainMap(*reversed(values))) if values else None
    return tuple(chain.from_iterable(values))


def settings(*names: str) -> Decorator:
    """Return the options of settings, in this order."""
    return together(*map(setting, names))


def together(*options: Decorator) -> Decorator:
    """Return several options as one."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def with_default(words: str, default: str) -> str:
    """Return an option's help, with its default if there is one."""
    return f"{words} [default: {default}]." if default else f"{words}."


def out(otherwise: str = "", **more: Any) -> Decorator:
    """Return ``--out`` for a command without that setting; ``more`` is for click."""
    words = with_default(SETTINGS["out"].help, otherwise)
    return click.option("--out", type=PATH, metavar="DIR", help=words, **more)


def shown_as(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for how much of a run is printed; the command gets a ``style``."""

    @functools.wraps(command)
    def run(*args: Any, verbose: bool, quiet: bool, form: str, **values: Any) -> Any:
        styles = {Style.VERBOSE: verbose, Style.QUIET: quiet, Style.JSON: form == "json"}
        chosen = [style for style, wanted in styles.items() if wanted]
        if len(chosen) > 1:
            raise UsageError("--verbose, --quiet and --format json exclude each other. Choose one.")
        try:
            return command(*args, style=chosen[0] if chosen else Style.BRIEF, **values)
        except CannotJudge as error:  # the verdict first
            raise CannotJudge(f"CANNOT JUDGE (exit {error.exit_code}): {error}") from None

    return together(
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help="Show every relation, with reasons.",
        ),
        click.option("-q", "--quiet", is_flag=True, help="Show the verdict in one line."),
        click.option(
            "--format",
            "form",
            type=click.Choice(["text", "json"]),
            default="text",
            help="json prints result.json [default: text].",
        ),
    )(run)


SYSTEM = settings("checkpoint", "system")
"""Options of the tested system."""
ENDPOINT = settings(*(n for n in SETTINGS if SETTINGS[n].of_endpoints and n != "base_prompt"))
"""Options of a language model behind an endpoint."""
LIMITS = settings("timeout", "max_memory")
"""Options of a system's limits."""
READING = settings("answers", "max_length")
"""How a checkpoint is read."""
DECIDING_AGAIN = together(*(setting(name, "the run's") for name in DECIDING))
"""Options that decide a verdict, for judging a stored run again."""
CONFIG_FILE = click.option(
    "--config", type=PATH, metavar="FILE", help=f"Settings file [default: {CONFIG} if it exists]."
)
CORPUS = together(
    click.option(
        "--format",
        "form",
        type=click.Choice(["jsonl", "tacred", "retacred", "kbp37", "semeval", "fewrel", "opennre"]),
        help="Format of a relation corpus (task re) [default: mt-gate's jsonl].",
    ),
    click.option("--patch", type=PATH, metavar="FILE", help="Patch file of --format retacred."),
)
"""How a corpus of relations is read (task re)."""
SEED = click.option(
    "--seed", type=int, default=0, show_default=True, metavar="S", help="Random seed."
)
MUTATION = together(
    click.option(
        "--ratio", type=float, metavar="R", help="Share of neurons [default: the paper's]."
    ),
    click.option(
        "--sd",
        type=float,
        metavar="S",
        help="Standard deviation of gaussian-fuzz's noise [default: 0.01].",
    ),
    SEED,
)
TOOLS = together(
    click.option("--masked-lm", default="", metavar="NAME", help="Masked language model."),
    click.option(
        "--causal-lm",
        default="",
        metavar="NAME",
        help="Causal language model, or GGUF file, instead of --masked-lm.",
    ),
    click.option("--encoder", default="", metavar="NAME", help="Encoder that measures similarity."),
    click.option("--wordnet", default="", metavar="DIR", help="WordNet folder [default: NLTK's]."),
    click.option("--vectors", type=PATH, metavar="FILE", help="Word vectors in GloVe's format."),
    click.option("--sense2vec", type=PATH, metavar="DIR", help="Folder of sense2vec vectors."),
    setting("cache"),
)
"""Language tools."""


def tool_names(values: Mapping[str, Any]) -> ToolNames | None:
    """Return the language tools that options name; None if they name none."""
    from mt_gate.language.kinds import ToolNames
    from mt_gate.running.predicting import default_folder

    tools = [field.name for field in fields(ToolNames) if field.name != "cache"]
    named = {name: values[name] for name in tools if values[name]}
    return ToolNames(**named, cache=values["cache"] or default_folder()) if named else None


def allowed(timeout: float | None, max_memory: float | None) -> Allowed:
    """Return the limits of a checkpoint; None keeps a default."""
    from mt_gate.sut.processes import Allowed

    limits = {"timeout": timeout, "max_memory": max_memory}
    return Allowed(**{name: value for name, value in limits.items() if value is not None})
