"""The drawings of the packages are the contracts that import-linter checks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "runner" / "ARCHITECTURE.md").read_text(encoding="utf-8")
DRAWINGS = {"layers": "packages are layered", "suite layers": "suite building is layered"}


def contract(name: str) -> list[set[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["name"].startswith(name):
            return [set(line.split(" | ")) for line in contract["layers"]]
    raise AssertionError(name)


def drawn(title: str) -> list[set[str]]:
    (drawing,) = re.findall(rf"^```\n{title}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    return [set(re.split("  +", line)[0].split(" | ")) for line in drawing.splitlines()]


@pytest.mark.parametrize("title", DRAWINGS)
def test_a_drawing_has_the_layers_of_the_contract_in_their_order(title: str) -> None:
    layers = contract(DRAWINGS[title])
    assert drawn(title) == [layer for layer in layers if "__main__" not in layer]


def test_every_package_is_drawn_and_described() -> None:
    package = ROOT / "runner" / "mt_gate"
    packages = {path.parent.name for path in package.glob("*/__init__.py")}
    assert packages <= set().union(*drawn("layers"))
    assert not {name for name in packages if f"`{name}/`" not in TEXT}


def test_the_page_and_the_decisions_are_short() -> None:
    assert len(TEXT.split()) <= 1_500
    notes = [*(ROOT / "docs" / "design").glob("*.md")]
    assert 20 <= len(notes) <= 30
    assert [note.name for note in notes if len(note.read_text("utf-8").split()) > 150] == []
