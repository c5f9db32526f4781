"""What a release promises by name is still there: commands, options, inputs, outputs, keys, codes.

``interface.json`` holds the names, those of today included. ``MT_GATE_GOLDEN=write`` adds what is
new and removes nothing: what docs/versioning.md keeps until it was deprecated for two minor
versions, and what no release had yet, is removed by hand.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import yaml

import documents
from mt_gate.base import errors
from mt_gate.cli import cli
from mt_gate.results.result import GateVerdict
from mt_gate.settings.record import SETTINGS, dashed
from reporting import made_up

FILE = Path(__file__).parent / "interface.json"
Names = dict[str, list[str]]
"""What is promised, by part of the interface."""


def options(command: click.Command, path: str = "") -> Iterator[str]:
    """Yield every command, and every option with its command."""
    yield path
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (f"{path} {flag}".strip() for flag in parameter.opts)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from options(inner, f"{path} {name}".strip())


def keys(value: Any, path: str = "") -> Iterator[str]:
    """Yield the keys of JSON that are names of ours, not those of relations, labels and such."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key.replace("_", "").isalnum() and key.islower():
                yield f"{path}{key}"
                yield from keys(item, f"{path}{key}.")
    elif isinstance(value, list):
        for item in value:
            yield from keys(item, path)


def interface() -> Names:
    """Return the names that there are today."""
    action = yaml.safe_load((documents.ROOT / "action.yml").read_text())
    result = made_up.result()
    codes = {
        name: code
        for name, code in vars(errors).items()
        if name.isupper() and not name.startswith("_")
    }
    values = {
        "command line": options(cli),
        "exit codes": (f"{code} {name}" for name, code in codes.items() if isinstance(code, int)),
        "inputs": action["inputs"],
        "outputs": action["outputs"],
        "settings": map(dashed, SETTINGS),
        "verdicts": (verdict.value for verdict in GateVerdict),
        "result.json": keys(json.loads(msgspec.json.encode(result))),
        "groups.jsonl.gz": keys(json.loads(msgspec.json.encode(made_up.rows()))),
    }
    return {part: sorted({name for name in names if name}) for part, names in values.items()}


def without(names: Names, others: Names) -> Names:
    """Return the names that others lack, by part."""
    result = {part: sorted({*names[part]} - {*others.get(part, ())}) for part in names}
    return {part: left for part, left in result.items() if left}


def add(path: Path, today: Names) -> None:
    """Write what is promised and what there is today."""
    promised = json.loads(path.read_text())
    both = {part: sorted({*promised.get(part, ()), *today.get(part, ())}) for part in today}
    path.write_text(json.dumps(promised | both, indent=1) + "\n")


def test_what_is_promised_is_what_there_is() -> None:
    today = interface()
    assert all(today.values())
    if os.environ.get("MT_GATE_GOLDEN") == "write":
        add(FILE, today)
    promised = json.loads(FILE.read_text())
    assert without(promised, today) == {}, "promised, and gone"
    assert without(today, promised) == {}, "new: MT_GATE_GOLDEN=write adds them"
