"""README, docs and workflows as tests read them: blocks of code, and steps that use the action."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of code of a Markdown file."""

    place: str
    language: str
    text: str


class Workflow(NamedTuple):
    """A complete workflow: a file, or a block that says when it runs."""

    place: str
    text: str


def markdown_files() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks() -> Iterator[Block]:
    """Yield the blocks of code of README and docs."""
    for path in markdown_files():
        text = path.read_text(encoding="utf-8")
        for number, match in enumerate(_BLOCK.finditer(text), 1):
            yield Block(f"{path.relative_to(ROOT).as_posix()}-{number}", *match.groups())


def own_workflows() -> list[Workflow]:
    """Return the workflows of this repository."""
    return _files(ROOT / ".github" / "workflows")


def shown_workflows() -> list[Workflow]:
    """Return the complete workflows that README and docs show, and the files of recipes."""
    shown = [
        Workflow(block.place, block.text)
        for block in blocks()
        if block.language in ("yaml", "yml") and re.search(r"^(?:on|'on'):", block.text, re.M)
    ]
    return [*shown, *_files(ROOT / "docs" / "workflows")]


def _files(folder: Path) -> list[Workflow]:
    paths = sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")])
    return [
        Workflow(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in paths
    ]


def fragments() -> Iterator[tuple[str, Any]]:
    """Yield all YAML that is shown or run, decoded: whole workflows, and parts of such."""
    for block in blocks():
        if block.language in ("yaml", "yml"):
            yield block.place, yaml.safe_load(block.text)
    for workflow in (*own_workflows(), *_files(ROOT / "docs" / "workflows")):
        yield workflow.place, yaml.safe_load(workflow.text)


def steps(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the steps of a workflow or a part of one that use this action."""
    if isinstance(value, dict):
        uses = value.get("uses")
        if isinstance(uses, str) and (uses == "./" or re.search(r"/mt-gate(/full)?(@|$)", uses)):
            yield value
        value = [*value.values()]
    if isinstance(value, list):
        for item in value:
            yield from steps(item)


def command_lines() -> Iterator[tuple[str, str]]:
    """Yield each line of ``mt-gate`` that is shown, continued lines joined."""
    texts = [(block.place, block.text) for block in blocks()]
    texts += [(item.place, item.text) for item in (*own_workflows(), *shown_workflows())]
    for place, text in texts:
        for line in re.sub(r"\\\n\s*", " ", text).splitlines():
            for match in re.finditer(r"(?<![\w./-])mt-gate ([a-z]+\b[^|;&#]*)", line):
                yield place, match[1]
