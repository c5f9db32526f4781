"""Write the pages and tables of the documentation that come from the code.

    python docs/reference.py

``cli.md`` and ``relations.md`` are written whole, the table of inputs and the Python API between
their marks in ``action.md`` and ``python.md``. A test fails if they are not up to date.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import yaml

import mt_gate
from mt_gate.base.errors import HOME
from mt_gate.cli import cli
from mt_gate.relations.catalogue import BY_ID
from mt_gate.settings.record import SETTINGS, Whose
from mt_gate.suites.format import SHIPPED, SuiteRelation, read_head, shipped_suites
from mt_gate.suites.quick import quick_suites

DOCS = Path(__file__).parent
NOTICE = "<!-- Written by docs/reference.py. -->\n"
PREDICTED = (
    " A run tests fewer cases than the table counts: the predicted label and your label scheme "
    "decide, for example, whether a relation is symmetric or has an inverse."
)
"""What the number of cases of task re does not show."""
SHORT = {
    "The prediction must not change": "Same prediction",
    "The predicted relation must not change": "Same relation",
    "The prediction must not be entailment": "Not entailment",
    "The text must still be flagged": "Still flagged",
    "The text must not be flagged": "Not flagged",
}
"""Expectations of many relations, in fewer words."""


def pages() -> dict[Path, str]:
    """Return the text of each page that has a generated part."""
    action, python = DOCS / "action.md", DOCS / "python.md"
    return {
        python: re.sub(
            r"(?<=<!-- api -->\n).*?(?=<!-- end -->)",
            lambda _: "\n".join(api_reference()),
            python.read_text(encoding="utf-8"),
            flags=re.DOTALL,
        ),
        DOCS / "cli.md": "\n".join(command_page()),
        DOCS / "relations.md": "\n".join(relations_page()),
        action: re.sub(
            r"(?<=<!-- inputs -->\n).*?(?=<!-- end -->)",
            lambda _: "".join(inputs_table()),
            action.read_text(encoding="utf-8"),
            flags=re.DOTALL,
        ),
    }


def api_reference() -> Iterator[str]:
    """Yield the names of the Python API, each with its docstring."""
    items = {name: getattr(mt_gate, name) for name in mt_gate.__all__}
    for name, item in sorted(items.items(), key=lambda one: isinstance(one[1], type)):
        if inspect.isfunction(item):
            signature = inspect.signature(item)
            some = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
            signature = signature.replace(parameters=some, return_annotation=signature.empty)
            yield f"### {name}\n\n`mt_gate.{name}{signature}`\n\n{prose(item)}\n"
            continue
        yield f"### {name}\n\n{prose(item)}\n"
        members = {key: value for key, value in vars(item).items() if key[0] != "_"}
        if documented := [
            f"| `{key}` | {prose(value)} |" for key, value in members.items() if prose(value)
        ]:
            yield "| member | |\n| --- | --- |\n" + "\n".join(documented) + "\n"
        if dataclasses.is_dataclass(item):
            names = [field.name for field in dataclasses.fields(item) if field.name[0] != "_"]
            yield f"Fields: {', '.join(f'`{one}`' for one in names)}.\n"


def prose(item: Any) -> str:
    """Return an own docstring in Markdown; empty for a value without one."""
    item = getattr(item, "__func__", item)
    described = isinstance(item, type | property) or inspect.isfunction(item)
    return " ".join((item.__doc__ or "").split()).replace("``", "`") if described else ""


def command_page() -> Iterator[str]:
    """Yield the lines of the command line's page."""
    yield f"{NOTICE}# Command line\n"
    yield (
        "`mt-gate COMMAND --help` has the same text. Options that are [settings](action.md#inputs) "
        "are not repeated here: `mt-gate run` and `mt-gate qualify` take all of them, the other "
        "commands those that concern them.\n"
    )
    for words, command in commands(cli, ("mt-gate",)):
        arguments = " ".join(
            item.make_metavar(click.Context(command))
            for item in command.params
            if isinstance(item, click.Argument)
        )
        yield f"## {' '.join(words)}\n"
        yield f"```\n{' '.join(words)} [OPTIONS] {arguments}".rstrip() + "\n```\n"
        yield f"{' '.join((command.help or '').split())}\n"
        own = [
            item
            for item in command.params
            if isinstance(item, click.Option) and not is_setting(item) and item.name != "help"
        ]
        if own:
            yield "| option | effect |\n| --- | --- |"
            for item in own:
                shown = " / ".join(f"`{name}`" for name in (*item.opts, *item.secondary_opts))
                yield f"| {shown} | {cell(described(item))} |"
            yield ""


def is_setting(option: click.Option) -> bool:
    """Whether an option is a setting, and not only named like one."""
    setting = SETTINGS.get(option.name or "")
    return setting is not None and (option.help or "").startswith(setting.help)


def described(option: click.Option) -> str:
    """Return an option's help, with the values that it takes and its default."""
    words, see, link = (option.help or "").partition(" See http")
    if isinstance(option.type, click.Choice):
        missing = [choice for choice in map(str, option.type.choices) if choice not in words]
        words += f" One of: {', '.join(option.type.choices)}." if missing else ""
    known = option.default not in (None, "", False, True) and not callable(option.default)
    known &= isinstance(option.default, str | int | float)
    words += f" Default {option.default}." if known and "default" not in words else ""
    return re.sub(rf"{HOME}([\w-]+)\.html(#[\w-]+)?", r"[\1.md\2](\1.md\2)", words + see + link)


def commands(
    group: click.Group, words: tuple[str, ...]
) -> Iterator[tuple[list[str], click.Command]]:
    """Yield words and command of each subcommand; commands that have subcommands are omitted."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        elif not command.hidden:
            yield [*words, name], command


def relations_page() -> Iterator[str]:
    """Yield the lines of the catalogue of suites and relations."""
    yield f"{NOTICE}# Suites and relations\n"
    yield (
        "The suites that come with mt-gate. `mt-gate suite show NAME --groups 5` prints examples. "
        "`/` stands between the two texts of a pair.\n"
    )
    seen: set[str] = set()
    quick = {whole: name for name, whole in quick_suites().items()}
    for name in shipped_suites():
        head = read_head(SHIPPED / name)
        yield f"## {name}\n"
        sources = sum(corpus.sentences for corpus in head.sources)
        sample = f" A smaller sample is `{quick[name]}`." if name in quick else ""
        note = PREDICTED if head.task == "re" else ""
        yield (
            f"Task `{head.task}`, version {head.version}, {sources:,} texts from "
            f"{'; '.join(corpus.name for corpus in head.sources)}.{sample}{note}\n"
        )
        also, rows = [], []
        for relation in head.relations:
            if relation.id in seen:
                also.append(f"`{relation.id}` ({relation.groups:,})")
                continue
            row = relation_row(relation)
            if row:
                seen.add(relation.id)
                rows.append(row)
        if rows:
            yield "| relation | cases | original | edited | expected |"
            yield "| --- | ---: | --- | --- | --- |"
            yield from [*rows, ""]
        if also:
            yield f"{'Also, as' if rows else 'As'} above: {', '.join(also)}.\n"


def relation_row(relation: SuiteRelation) -> str:
    """Return a relation's row of the table; empty for known answers, which edit nothing."""
    about = BY_ID.get(relation.id)
    title, before, after, text = (
        getattr(relation, field) or getattr(about, field, "")
        for field in ("title", "before", "after", "description")
    )
    if not before:
        return ""
    cases = "at run time" if relation.bound else f"{relation.groups:,}"
    expected = text.rstrip(".").rpartition(". ")[2] if ". " in text else text.rstrip(".")
    expected = SHORT.get(expected, expected)
    cells = (f"{cell(title)}<br>`{relation.id}`", cases, *map(cell, (before, after, expected)))
    return f"| {' | '.join(cells)} |"


def inputs_table() -> Iterator[str]:
    """Yield the lines of the table of inputs."""
    file = yaml.safe_load((DOCS.parent / "action.yml").read_text(encoding="utf-8"))
    yield "| input | default | read from | meaning |\n| --- | --- | --- | --- |\n"
    for name, about in file["inputs"].items():
        setting = SETTINGS.get(name.replace("-", "_"))
        words, _, link = about["description"].rstrip(".").partition(f" See {HOME}")
        words, _, default = words.rstrip(".").partition(". Default ")
        link = link.replace(".html", ".md")
        words += link and f": [{link}]({link})"
        words = re.sub(r"^true: (\w)", lambda found: found[1].upper(), words)
        whose = "" if setting is None else "base"
        if setting is not None and setting.whose is not Whose.JUDGE:
            whose = "pull request"
        if setting is not None and setting.kind is bool:
            default = str(setting.default).lower()
        yield f"| `{name}` | {default} | {whose} | {cell(words)} |\n"


def cell(text: str) -> str:
    """Return a text that fits into a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write all pages."""
    for path, text in pages().items():
        path.write_text(text.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
